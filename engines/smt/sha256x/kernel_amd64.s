// SHA-256 of one or four messages on the SHA extensions of amd64.
//
// A lane is one message. Its state is held in two registers, ABEF and CDGH
// (most significant word first, the order SHA256RNDS2 wants), its current four
// message words in a third. Sixteen registers do not hold the other message
// words of four lanes: these are in the frame, 64 bytes a lane, word group g
// (words 4g to 4g+3) in slot g mod 4. The frame also keeps the state from
// before the block, 32 bytes a lane.
//
//	X0       message words + round constants, the implicit operand of SHA256RNDS2
//	X1-X8    states          X9-X12   current message words
//	X13 X14  scratch         X15      byte order
//	SI       *lanes          BX       frame, aligned to 16 bytes
//	DI DX R12  digests, messages, second blocks: what offsets count from
//	CX       kind of second block      R8-R11  schedules of the second blocks

#include "textflag.h"


// Offsets in the Go structure lanes.
#define DST(l)   (0+8*l)(SI)
#define REST(l)  (32+8*l)(SI)
#define TAIL(l)  (64+8*l)(SI)
#define FIRST(l) (96+8*l)(SI)

// Lane l: where word group g of its message is, and its former state.
#define WORDS(l, g) (64*l+16*((g)&3))(BX)
#define ABEF0(l)    (256+32*l)(BX)
#define CDGH0(l)    (272+32*l)(BX)

// ONE(M, i) and FOUR(M, i) apply a macro M(i, lane, abef, cdgh, words, pointer) to the
// lanes. Neighbouring instructions of FOUR are independent: that fills the
// four cycles one SHA256RNDS2 takes.
#define ONE(M, i) M(i, 0, X1, X2, X9, R8)
#define FOUR(M, i) M(i, 0, X1, X2, X9, R8); M(i, 1, X3, X4, X10, R9); M(i, 2, X5, X6, X11, R10); M(i, 3, X7, X8, X12, R11)

// START sets the state to the initial value of FIPS 180-4, section 5.3.3.
#define START(i, l, a, b, w, p) \
	VMOVDQU initial<>+0(SB), a;  \
	VMOVDQU initial<>+16(SB), b

// The message words of the first block: one byte, then 63 from memory.
#define LOADFIRST(i, l, a, b, w, p) \
	MOVQ    REST(l), AX;         \
	ADDQ    DX, AX;              \
	VMOVDQU (AX), X9;            \
	VMOVDQU 15(AX), X10;         \
	VMOVDQU 31(AX), X11;         \
	VMOVDQU 47(AX), X12;         \
	VPSLLDQ $1, X9, X9;          \
	VMOVQ   FIRST(l), X13;       \
	VPOR    X13, X9, X9;         \
	TOWORDS(l)

// The message words of the second block: 64 bytes from memory.
#define LOADTAIL(i, l, a, b, w, p) \
	MOVQ    TAIL(l), AX;        \
	ADDQ    R12, AX;            \
	VMOVDQU (AX), X9;           \
	VMOVDQU 16(AX), X10;        \
	VMOVDQU 32(AX), X11;        \
	VMOVDQU 48(AX), X12;        \
	TOWORDS(l)

#define TOWORDS(l) \
	VPSHUFB X15, X9, X9;         \
	VPSHUFB X15, X10, X10;       \
	VPSHUFB X15, X11, X11;       \
	VPSHUFB X15, X12, X12;       \
	VMOVDQU X9, WORDS(l, 0);     \
	VMOVDQU X10, WORDS(l, 1);    \
	VMOVDQU X11, WORDS(l, 2);    \
	VMOVDQU X12, WORDS(l, 3)

// SAVE keeps the state, ADD adds what was kept.
#define SAVE(i, l, a, b, w, p) \
	VMOVDQU a, ABEF0(l);    \
	VMOVDQU b, CDGH0(l)

#define ADD(i, l, a, b, w, p) \
	VPADDD ABEF0(l), a, a; \
	VPADDD CDGH0(l), b, b

// STORE writes the digest, big-endian.
#define STORE(i, l, a, b, w, p) \
	MOVQ       DST(l), AX;   \
	ADDQ       DI, AX;       \
	VPUNPCKHQDQ b, a, X0;    \
	VPSHUFB    X15, X0, X0;  \
	VMOVDQU    X0, (AX);     \
	VPUNPCKLQDQ b, a, X0;    \
	VPSHUFB    X15, X0, X0;  \
	VMOVDQU    X0, 16(AX)

// Four rounds with X0 = message words + constants. Two rounds exchange the
// roles of the two registers, four put them back.
#define ROUNDS(a, b) \
	SHA256RNDS2 X0, a, b;     \
	VPSHUFD     $0x0E, X0, X0; \
	SHA256RNDS2 X0, b, a

// Rounds 4i to 4i+3 with the words in w.
#define WITHWORDS(i, a, b, w) \
	VPADDD constants<>+(16*i)(SB), w, X0; \
	ROUNDS(a, b)

// X13 = word group i+1 of the schedule. Its slot holds group i-3 as EARLY left it.
#define EXTEND(i, l, w) \
	VPALIGNR   $4, WORDS(l, i+3), w, X13;  \
	VPADDD     WORDS(l, i+1), X13, X13;    \
	SHA256MSG2 w, X13

// First part of the schedule of group i+3, which takes the place of group i-1.
#define EARLY(i, l, w) \
	VMOVDQU    WORDS(l, i+3), X14; \
	SHA256MSG1 w, X14;             \
	VMOVDQU    X14, WORDS(l, i+3)

#define ADVANCE(i, l, w) \
	VMOVDQU X13, WORDS(l, i+1); \
	VMOVDQA X13, w

// The sixteen groups of four rounds differ in how much of the schedule is left.
#define G0(i, l, a, b, w, p) \
	VMOVDQU WORDS(l, i), w; \
	WITHWORDS(i, a, b, w)

#define G1TO2(i, l, a, b, w, p) \
	VMOVDQU WORDS(l, i), w; \
	WITHWORDS(i, a, b, w);  \
	EARLY(i, l, w)

#define G3(i, l, a, b, w, p) \
	VMOVDQU WORDS(l, i), w; \
	G4TO12(i, l, a, b, w, p)

#define G4TO12(i, l, a, b, w, p) \
	WITHWORDS(i, a, b, w); \
	EXTEND(i, l, w);       \
	EARLY(i, l, w);        \
	ADVANCE(i, l, w)

#define G13TO14(i, l, a, b, w, p) \
	WITHWORDS(i, a, b, w); \
	EXTEND(i, l, w);       \
	ADVANCE(i, l, w)

#define G15(i, l, a, b, w, p) \
	WITHWORDS(i, a, b, w)

#define BLOCK(LANES) \
	LANES(SAVE, 0);    \
	LANES(G0, 0);      \
	LANES(G1TO2, 1);   \
	LANES(G1TO2, 2);   \
	LANES(G3, 3);      \
	LANES(G4TO12, 4);  \
	LANES(G4TO12, 5);  \
	LANES(G4TO12, 6);  \
	LANES(G4TO12, 7);  \
	LANES(G4TO12, 8);  \
	LANES(G4TO12, 9);  \
	LANES(G4TO12, 10); \
	LANES(G4TO12, 11); \
	LANES(G4TO12, 12); \
	LANES(G13TO14, 13); \
	LANES(G13TO14, 14); \
	LANES(G15, 15);    \
	LANES(ADD, 0)

// Four rounds with message words + constants from memory.
#define SCHEDULED(i, l, a, b, w, p) \
	VMOVDQU (16*i)(p), X0; \
	ROUNDS(a, b)

// The schedules of the second blocks.
#define POINT(i, l, a, b, w, p) \
	MOVQ TAIL(l), p; \
	ADDQ R12, p

#define SCHEDULEDBLOCK(LANES) \
	LANES(POINT, 0); \
	LANES(SAVE, 0);  \
	LANES(SCHEDULED, 0); \
	LANES(SCHEDULED, 1); \
	LANES(SCHEDULED, 2); \
	LANES(SCHEDULED, 3); \
	LANES(SCHEDULED, 4); \
	LANES(SCHEDULED, 5); \
	LANES(SCHEDULED, 6); \
	LANES(SCHEDULED, 7); \
	LANES(SCHEDULED, 8); \
	LANES(SCHEDULED, 9); \
	LANES(SCHEDULED, 10); \
	LANES(SCHEDULED, 11); \
	LANES(SCHEDULED, 12); \
	LANES(SCHEDULED, 13); \
	LANES(SCHEDULED, 14); \
	LANES(SCHEDULED, 15); \
	LANES(ADD, 0)

// func sum4(in *lanes, dst, src, tail *byte, second second)
TEXT ·sum4(SB), NOSPLIT, $400-40
	MOVQ    in+0(FP), SI
	MOVQ    dst+8(FP), DI
	MOVQ    src+16(FP), DX
	MOVQ    tail+24(FP), R12
	MOVQ    second+32(FP), CX
	LEAQ    15(SP), BX
	ANDQ    $~15, BX
	VMOVDQU wordorder<>+0(SB), X15
	FOUR(LOADFIRST, 0)
	FOUR(START, 0)

block:
	BLOCK(FOUR)
	CMPQ CX, $1
	JLT  finish
	JGT  scheduled
	DECQ CX
	FOUR(LOADTAIL, 0)
	JMP  block

scheduled:
	SCHEDULEDBLOCK(FOUR)

finish:
	VMOVDQU digestorder<>+0(SB), X15
	FOUR(STORE, 0)
	RET

// func sum1(in *lanes, lane int, dst, src, tail *byte, second second)
TEXT ·sum1(SB), NOSPLIT, $400-48
	MOVQ    in+0(FP), SI
	MOVQ    lane+8(FP), AX
	LEAQ    (SI)(AX*8), SI
	MOVQ    dst+16(FP), DI
	MOVQ    src+24(FP), DX
	MOVQ    tail+32(FP), R12
	MOVQ    second+40(FP), CX
	LEAQ    15(SP), BX
	ANDQ    $~15, BX
	VMOVDQU wordorder<>+0(SB), X15
	ONE(LOADFIRST, 0)
	ONE(START, 0)

block:
	BLOCK(ONE)
	CMPQ CX, $1
	JLT  finish
	JGT  scheduled
	DECQ CX
	ONE(LOADTAIL, 0)
	JMP  block

scheduled:
	SCHEDULEDBLOCK(ONE)

finish:
	VMOVDQU digestorder<>+0(SB), X15
	ONE(STORE, 0)
	RET

// func constant(i int) uint32
TEXT ·constant(SB), NOSPLIT, $0-12
	MOVQ i+0(FP), CX
	LEAQ constants<>+0(SB), AX
	MOVL (AX)(CX*4), AX
	MOVL AX, ret+8(FP)
	RET

// FIPS 180-4, section 4.2.2.
DATA constants<>+0(SB)/8, $0x71374491428a2f98
DATA constants<>+8(SB)/8, $0xe9b5dba5b5c0fbcf
DATA constants<>+16(SB)/8, $0x59f111f13956c25b
DATA constants<>+24(SB)/8, $0xab1c5ed5923f82a4
DATA constants<>+32(SB)/8, $0x12835b01d807aa98
DATA constants<>+40(SB)/8, $0x550c7dc3243185be
DATA constants<>+48(SB)/8, $0x80deb1fe72be5d74
DATA constants<>+56(SB)/8, $0xc19bf1749bdc06a7
DATA constants<>+64(SB)/8, $0xefbe4786e49b69c1
DATA constants<>+72(SB)/8, $0x240ca1cc0fc19dc6
DATA constants<>+80(SB)/8, $0x4a7484aa2de92c6f
DATA constants<>+88(SB)/8, $0x76f988da5cb0a9dc
DATA constants<>+96(SB)/8, $0xa831c66d983e5152
DATA constants<>+104(SB)/8, $0xbf597fc7b00327c8
DATA constants<>+112(SB)/8, $0xd5a79147c6e00bf3
DATA constants<>+120(SB)/8, $0x1429296706ca6351
DATA constants<>+128(SB)/8, $0x2e1b213827b70a85
DATA constants<>+136(SB)/8, $0x53380d134d2c6dfc
DATA constants<>+144(SB)/8, $0x766a0abb650a7354
DATA constants<>+152(SB)/8, $0x92722c8581c2c92e
DATA constants<>+160(SB)/8, $0xa81a664ba2bfe8a1
DATA constants<>+168(SB)/8, $0xc76c51a3c24b8b70
DATA constants<>+176(SB)/8, $0xd6990624d192e819
DATA constants<>+184(SB)/8, $0x106aa070f40e3585
DATA constants<>+192(SB)/8, $0x1e376c0819a4c116
DATA constants<>+200(SB)/8, $0x34b0bcb52748774c
DATA constants<>+208(SB)/8, $0x4ed8aa4a391c0cb3
DATA constants<>+216(SB)/8, $0x682e6ff35b9cca4f
DATA constants<>+224(SB)/8, $0x78a5636f748f82ee
DATA constants<>+232(SB)/8, $0x8cc7020884c87814
DATA constants<>+240(SB)/8, $0xa4506ceb90befffa
DATA constants<>+248(SB)/8, $0xc67178f2bef9a3f7
GLOBL constants<>(SB), RODATA|NOPTR, $256

// FIPS 180-4, section 5.3.3, as ABEF and CDGH.
DATA initial<>+0(SB)/8, $0x510e527f9b05688c
DATA initial<>+8(SB)/8, $0x6a09e667bb67ae85
DATA initial<>+16(SB)/8, $0x1f83d9ab5be0cd19
DATA initial<>+24(SB)/8, $0x3c6ef372a54ff53a
GLOBL initial<>(SB), RODATA|NOPTR, $32

// VPSHUFB masks: big-endian words, and the pairs of words of a digest.
DATA wordorder<>+0(SB)/8, $0x0405060700010203
DATA wordorder<>+8(SB)/8, $0x0c0d0e0f08090a0b
GLOBL wordorder<>(SB), RODATA|NOPTR, $16
DATA digestorder<>+0(SB)/8, $0x0001020304050607
DATA digestorder<>+8(SB)/8, $0x08090a0b0c0d0e0f
GLOBL digestorder<>(SB), RODATA|NOPTR, $16
