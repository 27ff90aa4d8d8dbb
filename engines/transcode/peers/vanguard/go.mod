module assay/transcode/peers/vanguard

go 1.26.0

require (
	connectrpc.com/vanguard v0.3.0
	google.golang.org/protobuf v1.36.12
)

require (
	connectrpc.com/connect v1.16.2 // indirect
	google.golang.org/genproto v0.0.0-20230807174057-1744710a1577 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20230803162519-f966b187b2e5 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20230807174057-1744710a1577 // indirect
)
