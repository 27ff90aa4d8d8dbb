module assay/rewardpool/peers/channel-text

go 1.25

require (
	assay/gocommon v0.0.0
	assay/rewardpool v0.0.0
)

replace (
	assay/gocommon => ../../../gocommon
	assay/rewardpool => ../..
)
