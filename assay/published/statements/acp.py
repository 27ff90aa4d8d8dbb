"""What the report on document access control says of its own tables."""

from assay.published.statements.kinds import Factor, Number


def _acp(call: str, scale: int, column: str = "time", memory: str = "true") -> Number:
    section = "Old vs New:" if call.endswith(("Old", "New")) else "document objects."
    return Number(section, f"BenchmarkACP{call}/scale={scale},inMem={memory}-22", column)


FACTORS = [
    Factor(
        "acp",
        "Is-registered, first list: the time doubles with the documents, so 32 times from 256",
        (_acp("IsDocRegistered", 8192),),
        (_acp("IsDocRegistered", 256),),
        16,
        64,
    ),
    Factor(
        "acp",
        "Is-registered, first list: the memory doubles with the documents, so 32 times from 256",
        (_acp("IsDocRegistered", 8192, "bytes"),),
        (_acp("IsDocRegistered", 256, "bytes"),),
        16,
        64,
    ),
    Factor(
        "acp",
        "Is-registered, second list: the time stays when the documents double (persistent)",
        (_acp("IsDocRegistered", 4096, memory="false"),),
        (_acp("IsDocRegistered", 2048, memory="false"),),
        0.5,
        1.5,
    ),
    Factor(
        "acp",
        "Is-registered, second list: the memory stays when the documents double (persistent)",
        (_acp("IsDocRegistered", 8192, "bytes", "false"),),
        (_acp("IsDocRegistered", 4096, "bytes", "false"),),
        0.9,
        1.1,
    ),
    Factor(
        "acp",
        "Access check: little slower when the documents double (persistent)",
        (_acp("CheckDocAccess", 4096, memory="false"),),
        (_acp("CheckDocAccess", 2048, memory="false"),),
        0.5,
        1.5,
    ),
    Factor(
        "acp",
        "Access check: the memory stays when the documents double (persistent)",
        (_acp("CheckDocAccess", 8192, "bytes", "false"),),
        (_acp("CheckDocAccess", 4096, "bytes", "false"),),
        0.9,
        1.1,
    ),
    Factor(
        "acp",
        "Access check: the old and the new engine behave alike",
        (_acp("CheckDocAccessOld", 8192),),
        (_acp("CheckDocAccessNew", 8192),),
        0.8,
        1.25,
    ),
    Factor(
        "acp",
        "Register: about 100 times faster overall",
        (_acp("RegisterOld", 256),),
        (_acp("RegisterNew", 256),),
        50,
        200,
    ),
    Factor(
        "acp",
        "Register: the time doubles with the documents",
        (_acp("Register", 8192),),
        (_acp("Register", 4096),),
        1.8,
        2.2,
    ),
    Factor(
        "acp",
        "Register, old: the time quadrupled when the documents doubled",
        (_acp("RegisterOld", 8192),),
        (_acp("RegisterOld", 4096),),
        3.5,
        4.5,
    ),
    Factor(
        "acp",
        "Register: about 100 times faster at 8192 documents",
        (_acp("RegisterOld", 8192),),
        (_acp("RegisterNew", 8192),),
        50,
        200,
    ),
    Factor(
        "acp",
        "Is-registered: 180 times as fast as before at 8192 documents",
        (_acp("IsDocRegisteredOld", 8192),),
        (_acp("IsDocRegisteredNew", 8192),),
        179,
        181,
    ),
    Factor(
        "acp",
        "Is-registered: 312 times less memory than before at 8192 documents",
        (_acp("IsDocRegisteredOld", 8192, "bytes"),),
        (_acp("IsDocRegisteredNew", 8192, "bytes"),),
        311,
        313,
    ),
]
