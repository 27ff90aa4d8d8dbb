module assay/smt/peers/pokt-smt-v0-10

go 1.25

require (
	assay/smt v0.0.0
	github.com/pokt-network/smt v0.10.2
)

require assay/gocommon v0.0.0 // indirect

replace (
	assay/gocommon => ../../../gocommon
	assay/smt => ../..
)
