package sha256x

// lanes is what the assembly reads: four messages of one or two blocks, each
// its first byte, the other 63 bytes of the first block, and the second block,
// as offsets from the pointers given beside. The assembly knows this layout.
type lanes struct {
	dst   [4]int
	rest  [4]int
	tail  [4]int
	first [4]uint64
}

// second tells what a lane's tail is.
type second int

const (
	noSecond        second = iota // not read
	plainSecond                   // 64 bytes, the second block
	scheduledSecond               // 256 bytes, its schedule with round constants
)

// sum4 writes the digests of four lanes. It reads and writes what lanes says,
// checking nothing.
//
//go:noescape
func sum4(in *lanes, dst, src, tail *byte, second second)

// sum1 does one lane.
//
//go:noescape
func sum1(in *lanes, lane int, dst, src, tail *byte, second second)

// constant is round constant i of FIPS 180-4, from the assembly's table.
func constant(i int) uint32

// haveSHANI says that the processor has SHA and AVX, and the system keeps the
// AVX registers.
var haveSHANI = detect()

func detect() bool {
	const (
		osxsave, avx = 1 << 27, 1 << 28 // leaf 1, ECX
		sha          = 1 << 29          // leaf 7, EBX
		xmm, ymm     = 1 << 1, 1 << 2   // XCR0
	)
	maxLeaf, _, _ := cpuid(0, 0)
	if maxLeaf < 7 {
		return false
	}
	if _, _, ecx := cpuid(1, 0); ecx&osxsave == 0 || ecx&avx == 0 {
		return false
	}
	if xgetbv()&(xmm|ymm) != xmm|ymm {
		return false
	}
	_, ebx, _ := cpuid(7, 0)
	return ebx&sha != 0
}

func cpuid(leaf, subleaf uint32) (eax, ebx, ecx uint32)

// xgetbv reads the low half of XCR0. Only with OSXSAVE.
func xgetbv() uint32
