module assay/acp

go 1.25

require (
	assay/gocommon v0.0.0
	go.yaml.in/yaml/v3 v3.0.4
)

replace assay/gocommon => ../gocommon
