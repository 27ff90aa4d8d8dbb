module assay/rewardpool/peers/rosedb-wal

go 1.25

require (
	assay/rewardpool v0.0.0
	github.com/rosedblabs/wal v1.3.8
)

require (
	assay/gocommon v0.0.0 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
)

replace (
	assay/gocommon => ../../../gocommon
	assay/rewardpool => ../..
)
