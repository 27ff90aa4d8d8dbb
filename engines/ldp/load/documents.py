"""The documents that `ldpload` sends: the same names and texts for the same seed.

For benches of Python interfaces. Python 3.7 or newer, no libraries.
"""

MASK = (1 << 64) - 1
KIND = 50  # predicates of each kind
LITERAL = 64  # characters
# Characters of literals, first and last of each range.
RANGES = [
    (0x21, 0x21),
    (0x23, 0x26),
    (0x28, 0x7E),
    (0xA1, 0xAC),
    (0xAE, 0xFF),
    (0x100, 0x17F),
    (0x180, 0x24F),
    (0x2C60, 0x2C7F),
    (0x16A0, 0x16F0),
    (0x370, 0x377),
    (0x37A, 0x37E),
    (0x384, 0x38A),
    (0x38C, 0x38C),
]
ALPHABET = [chr(code) for first, last in RANGES for code in range(first, last + 1)]
PREFIXES = "".join(
    f"@prefix {kind}: <http://example.edu/{kind}/> .\n" for kind in ("extp", "intp", "litp")
)


def splitmix(state):
    """64 random bits at a time, from the published generator SplitMix64."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        bits = state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        yield bits ^ (bits >> 31)


def stream(seed, number):
    """The sequence of the part `number` of what `seed` makes."""
    return splitmix(next(splitmix(seed)) ^ (number * 0xD1342543DE82EF95 & MASK))


def name(seed, i):
    """The name of the resource of document `i`: a random UUID."""
    random = stream(seed, i)
    bits = (next(random) << 64) | next(random)
    bits = bits & ~(0xF << 76) & ~(0x3 << 62) | (4 << 76) | (2 << 62)
    digits = f"{bits:032x}"
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


def literals(seed, i):
    """The literals of document `i`: two for each predicate."""
    random = stream(~seed & MASK, i)
    count = len(ALPHABET)
    return [
        "".join(ALPHABET[next(random) * count >> 64] for _ in range(LITERAL))
        for _ in range(2 * KIND)
    ]


def turtle(seed, i, previous):
    """Document `i` in Turtle; `previous` is the IRI that 50 of its triples point to."""
    parts = [f" extp:u{j} <http://example.edu/res/{j // 10}> ;\n" for j in range(KIND)]
    parts += [f" intp:u{j} <{previous}> ;\n" for j in range(KIND)]
    texts = [text.replace("\\", "\\\\") for text in literals(seed, i)]
    for j in range(KIND):
        end = ";" if j + 1 < KIND else "."
        parts.append(f' litp:u{j} "{texts[2 * j]}" ,\n  "{texts[2 * j + 1]}" {end}\n')
    return PREFIXES + "\n<>" + "".join(parts)
