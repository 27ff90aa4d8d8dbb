module assay/transcode/peers/protojson

go 1.25

require (
	assay/transcode/peers/gobench v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace assay/transcode/peers/gobench => ../gobench
