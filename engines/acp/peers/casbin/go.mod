module assay/acp/peers/casbin

go 1.25

require (
	assay/acp v0.0.0
	github.com/casbin/casbin/v3 v3.10.0
)

require (
	assay/gocommon v0.0.0 // indirect
	github.com/bmatcuk/doublestar/v4 v4.6.1 // indirect
	github.com/casbin/govaluate v1.3.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

replace (
	assay/acp => ../..
	assay/gocommon => ../../../gocommon
)
