module assay/rewardpool/peers/tidwall-wal

go 1.25

require (
	assay/rewardpool v0.0.0
	github.com/tidwall/wal v1.2.1
)

require (
	assay/gocommon v0.0.0 // indirect
	github.com/tidwall/gjson v1.10.2 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.0 // indirect
	github.com/tidwall/tinylru v1.1.0 // indirect
)

replace (
	assay/gocommon => ../../../gocommon
	assay/rewardpool => ../..
)
