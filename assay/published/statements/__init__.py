"""What the published reports say of their own tables, in our words, with the numbers it rests on.

Not every statement, but every one that arithmetic can test and a reader may lean on.
`assay.published.slips` holds each against the tables. Its range says what the words allow.
"""

from assay.published.statements import acp, ldp, rewardpool, smt, transcode

FACTORS = [*acp.FACTORS, *smt.FACTORS, *transcode.FACTORS, *ldp.FACTORS, *rewardpool.FACTORS]
LINES = transcode.LINES
NO_TRENDS = transcode.NO_TRENDS
PAIRS = [*smt.PAIRS, *ldp.PAIRS]
