"""English words that are no keywords and no names, and the small words inside names."""

from __future__ import annotations

from typing import Final

__all__ = (
    "ARTICLES",
    "FUNCTION_WORDS",
    "JOINERS",
    "NEVER_ALONE",
    "NEVER_OUTSIDE",
    "NOT_CONTENT",
    "OPENERS",
    "word_set",
)


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
# They often begin a sentence, and are seldom a name. Adverbs in -ly are not listed.
OPENERS: Final = NOT_CONTENT | word_set(
    """
    actor actors actress adapted additional adult afterward afterwards album almost alongside
    already always amateur amongst animals annual apart article artists aside assuming attendance
    author average awards band based bands beating believe births books boys breed buses business
    career careers centered century character characters child children cities citizens clinical
    clubs coach combined common companies company comparing completed composed computer
    consequently considered consider considering consisting construction contrary countries
    country critics critical cultural culture current damage daughter daughters day days dear death
    debt declared demand depending deposed designed desire despite details developed development
    different director doctors dozens drafted drug earlier eight economic edited education eight
    eighteen eleven elections electoral elsewhere emerging employees end energy engineers episode
    episodes equal established estimates even event events everybody everyone everything evidence
    examples except experts extreme fact families family fans father featuring few field fifteen
    fifty figures film filmed filming films financial five food forces forget formed former forty
    four free friends full future game games general girls goals good government great growth guest
    half head headquartered health heavy hello hence high higher historians historical history
    hits hosted hundreds husband important imagine improved inc increasing indeed independent
    individual individuals influenced information initial inside inspired instrumental judges jump
    keep key landlocked language large largest late launched lead leading learn left legal licensed
    life light likewise little local located locations long longer looking losing lost low lower
    lowest lying lyrics main major males marriage married meanwhile medical meet members men
    military mixed modern money months mother movie movies music musicians named native nearby
    nearly needless never nevertheless new news nice nicknamed night nine nobody none nonetheless
    notable note nothing notwithstanding nowadays numbers numerous officials old older online open
    opened opening operating opposite ordained original originating others outside overall owned
    owing pages parents parts passengers past patients performers perhaps physical plans players
    please plot poor population posts precipitation present previous primary principal prior
    private prize production profits programs protests public published pupils questions raised
    rather recent recorded records regarded regardless relations released religion religious
    remember research residents returning rights rise running sales schools science scientists
    seasonal seeing selling serious seven shooting short shortly shot similar simple singer six
    sixteen sixty small smaller snow social society soldiers sometime sometimes son songs soon
    sources speaking species spoken sports starring starting states stations stories story
    students studies subsequent success summers supporters surveys surrounded taking talks teachers
    teams technology temperatures ten terms texts thanks theme thereafter therefore thirty thousands
    three throughout today tomorrow tonight top total tourism tracks trade traditional training
    twelve twenty typical unable underneath unfortunately unknown unlike urban users usual
    various version victims viewers visitors voters wages water weather welcome whereas whereby
    whilst wide widespread wife winner winners winter winters wives woman women word words workers
    workings world worse writers writing yesterday young zero film song novel
    """
)
# Hubs that would connect everything, unless they are a part of a longer name.
NEVER_ALONE: Final = FUNCTION_WORDS | word_set(
    """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    ad bc bce ce am pm tv mr mrs ms dr st no nos vol inc
    """
)
