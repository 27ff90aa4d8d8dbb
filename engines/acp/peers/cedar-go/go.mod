module assay/acp/peers/cedar-go

go 1.26.0

require (
	assay/acp v0.0.0
	github.com/cedar-policy/cedar-go v1.9.0
)

require (
	assay/gocommon v0.0.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	golang.org/x/exp v0.0.0-20220921023135-46d9e7742f1e // indirect
)

replace (
	assay/acp => ../..
	assay/gocommon => ../../../gocommon
)
