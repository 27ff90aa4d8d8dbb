module assay/rewardpool

go 1.25
