//go:build !amd64

package sha256x

const haveSHANI = false

// shani stands here only for the Hasher's field: New never makes one.
type shani = std

func newSHANI() shani { return shani{} }
