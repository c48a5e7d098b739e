"""English function words and words of asking, and the small words inside names.

The lists are written by hand. They hold function words, words of asking, and words that are names
only as a part of longer names. The texts themselves and
`language.stop_words` show which other words begin a sentence and name nothing.
"""

from __future__ import annotations

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(text.split())


ARTICLES: Final = frozenset({"the", "a", "an"})
# "and" and "in" are left out: they stand between two names more often than inside one.
JOINERS: Final = word_set(
    "of de del della des di da do dos du la le van von der den ter zu al el bin ibn the"
)
FUNCTION_WORDS: Final = word_set(
    """
    a about above across after again against all along also although am among an and another any
    anyone anything are around as at back be became because become been before behind being below
    besides between both but by can could did do does doing done down due during each either else
    ever every few first for from further get given had has have having he her here hers herself
    him himself his how however i if in instead into is it its itself just kind kinds last later
    least less let like made make makes many may me might more most much must my name named near
    neither next no nor not now of off often on once one only onto or other others our out over
    own part people per person rather same second several shall she should since so some someone
    something sort still such than that the their them themselves then there these they thing
    things third this those though through thus time times to together too toward towards two type
    types under until up upon us used using very via was way we well were what whatever when where
    whether which while who whoever whom whose why will with within without would year years yes
    yet you your
    """
)
# Verbs and adjectives of asking: in a question they say what is wanted, not what it is about.
QUESTION_WORDS: Final = word_set(
    """
    according appear appeared based began begin belong belonged born build built buried called
    cause caused come comes compare contain contains created describe described die died directed
    explain express famous find found founded give gave go goes happen happened held help include
    included includes involve involved join joined kill killed know known lead led list live lived
    located look married mean means mention mentioned occur occurred originate play played produced
    provide published released say said serve served show situated start started state take taken
    tell took want wanted went win won work worked write written wrote
    """
)
NOT_CONTENT: Final = FUNCTION_WORDS | QUESTION_WORDS
# Capitalised in a Title Case Question, yet never the first or last word of a name.
NEVER_OUTSIDE: Final = ARTICLES | word_set("of is are was were do does did has have had and or")
# Hubs that would connect everything, unless they are a part of a longer name.
NEVER_ALONE: Final = FUNCTION_WORDS | word_set(
    """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    ad bc bce ce am pm tv mr mrs ms dr st no nos vol inc
    """
)
