module assay/gocommon

go 1.25
