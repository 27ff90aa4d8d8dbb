module assay/smt

go 1.25

require assay/gocommon v0.0.0

replace assay/gocommon => ../gocommon
