# ruff: noqa: E501  (tables of sentences are read by the line)
"""Questions written from templates: comparisons, bridges and single facts, with their halves."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from lab.pools import POOLS

__all__ = ("Split", "bridge", "comparison", "simple_question")


@dataclass(frozen=True)
class Split:
    """A compound question and its two halves.

    Attributes:
        question: The compound question.
        first: The first half.
        second: The second, understandable on its own.
        pattern: Of a bridge: the second half with `{r}` for what the first one finds.
        found: Of a bridge: the kind of thing that the first half finds.
    """

    question: str
    first: str
    second: str
    pattern: str = ""
    found: str = ""


_COMPARED: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    # kind of thing, ways to ask, the half ({x} is one of the two)
    ("person", ("Who was born first, {a} or {b}?", "Who was born earlier, {a} or {b}?", "Who is older, {a} or {b}?", "Is {a} older than {b}?"), "When was {x} born?"),
    ("person", ("Who is younger, {a} or {b}?", "Which of the two is younger, {a} or {b}?"), "When was {x} born?"),
    ("person", ("Who died first, {a} or {b}?", "Did {a} die before {b}?"), "When did {x} die?"),
    ("person", ("Who lived longer, {a} or {b}?",), "How old was {x} at death?"),
    ("person", ("Were {a} and {b} born in the same city?", "Were {a} and {b} born in the same town?"), "In which city was {x} born?"),
    ("person", ("Were {a} and {b} born in the same country?", "Do {a} and {b} come from the same country?"), "In which country was {x} born?"),
    ("person", ("Are {a} and {b} of the same nationality?", "Do {a} and {b} have the same nationality?"), "What is the nationality of {x}?"),
    ("person", ("Did {a} and {b} have the same profession?", "Did {a} and {b} have the same occupation?", "What did {a} and {b} both do for a living?"), "What was the profession of {x}?"),
    ("person", ("Did {a} and {b} both win a Nobel Prize?", "Which of {a} and {b} won a Nobel Prize?"), "Which prizes did {x} win?"),
    ("person", ("Did {a} and {b} study at the same university?",), "At which university did {x} study?"),
    ("film", ("Which film came out first, {a} or {b}?", "Which film was released earlier, {a} or {b}?", "Was {a} released before {b}?"), "When was the film {x} released?"),
    ("film", ("Were {a} and {b} directed by the same person?", "Do the films {a} and {b} have the same director?"), "Who directed the film {x}?"),
    ("film", ("Which film is longer, {a} or {b}?",), "How long is the film {x}?"),
    ("book", ("Which was published first, {a} or {b}?", "Which novel was published earlier, {a} or {b}?"), "When was {x} published?"),
    ("book", ("Were {a} and {b} written by the same author?",), "Who wrote {x}?"),
    ("song", ("Which song was released first, {a} or {b}?",), "When was the song {x} released?"),
    ("song", ("Were the songs {a} and {b} recorded by the same artist?",), "Who recorded the song {x}?"),
    ("band", ("Which band was formed first, {a} or {b}?", "Which band is older, {a} or {b}?"), "When was the band {x} formed?"),
    ("band", ("Which band has more members, {a} or {b}?",), "How many members does the band {x} have?"),
    ("band", ("Are {a} and {b} from the same city?", "Are the bands {a} and {b} both from England?"), "Where does the band {x} come from?"),
    ("river", ("Which river is longer, the {a} or the {b}?", "Is the {a} longer than the {b}?", "Which is shorter, the {a} or the {b}?"), "How long is the {x}?"),
    ("river", ("Do the {a} and the {b} flow into the same sea?",), "Into which sea does the {x} flow?"),
    ("river", ("Do the {a} and the {b} flow through the same country?",), "Through which countries does the {x} flow?"),
    ("mountain", ("Which mountain is higher, {a} or {b}?", "Which is taller, {a} or {b}?"), "How high is {x}?"),
    ("mountain", ("Are {a} and {b} in the same country?",), "In which country is {x}?"),
    ("mountain", ("Was {a} or {b} climbed first?",), "When was {x} first climbed?"),
    ("lake", ("Which lake has the larger area, {a} or {b}?", "Which is larger, {a} or {b}?"), "What is the area of {x}?"),
    ("lake", ("Which lake is deeper, {a} or {b}?", "Is {a} deeper than {b}?"), "How deep is {x}?"),
    ("lake", ("Which lake has the greater length, {a} or {b}?",), "What is the length of {x}?"),
    ("city", ("Which city has more inhabitants, {a} or {b}?", "Which city has the larger population, {a} or {b}?"), "What is the population of {x}?"),
    ("city", ("Are {a} and {b} in the same country?", "Are {a} and {b} both capitals?"), "In which country is {x}?"),
    ("city", ("Did {a} or {b} host the Olympic Games first?",), "When did {x} host the Olympic Games?"),
    ("city", ("Do {a} and {b} lie on the same river?",), "On which river does {x} lie?"),
    ("country", ("Which country is larger, {a} or {b}?", "Which country has the larger area, {a} or {b}?"), "What is the area of {x}?"),
    ("country", ("Which country has more people, {a} or {b}?",), "What is the population of {x}?"),
    ("country", ("Do {a} and {b} use the same currency?",), "What is the currency of {x}?"),
    ("country", ("Are {a} and {b} on the same continent?",), "On which continent is {x}?"),
    ("country", ("Is the same language spoken in {a} and {b}?",), "Which language is spoken in {x}?"),
    ("country", ("Which country became independent first, {a} or {b}?",), "When did {x} become independent?"),
    ("country", ("Did {a} and {b} both host the World Cup?",), "When did {x} host the World Cup?"),
    ("building", ("Which is taller, the {a} or the {b}?", "Which building is higher, the {a} or the {b}?"), "How tall is the {x}?"),
    ("building", ("Which was built first, the {a} or the {b}?", "Which was completed earlier, the {a} or the {b}?"), "When was the {x} completed?"),
    ("building", ("Were the {a} and the {b} designed by the same architect?",), "Who designed the {x}?"),
    ("building", ("Are the {a} and the {b} in the same city?",), "In which city is the {x}?"),
    ("company", ("Which company was founded first, {a} or {b}?", "Which company is older, {a} or {b}?"), "When was {x} founded?"),
    ("company", ("Do {a} and {b} have their headquarters in the same country?", "Are {a} and {b} based in the same country?"), "Where are the headquarters of {x}?"),
    ("company", ("Which company has more employees, {a} or {b}?",), "How many employees does {x} have?"),
    ("company", ("Were {a} and {b} founded by the same person?",), "Who founded {x}?"),
    ("product", ("Are the {a} and the {b} made by the same company?",), "Which company makes the {x}?"),
    ("product", ("Which was sold first, the {a} or the {b}?",), "When was the {x} first sold?"),
    ("invention", ("Which was invented first, the {a} or the {b}?", "Was the {a} invented before the {b}?"), "When was the {x} invented?"),
    ("invention", ("Were the {a} and the {b} invented by the same person?",), "Who invented the {x}?"),
    ("ship", ("Which ship was launched first, the {a} or the {b}?", "Which ship was launched earlier, the {a} or the {b}?"), "When was the {x} launched?"),
    ("ship", ("Which ship was longer, the {a} or the {b}?",), "How long was the {x}?"),
    ("ship", ("Were the {a} and the {b} built in the same shipyard?",), "In which shipyard was the {x} built?"),
    ("university", ("Which university is older, {a} or {b}?", "Which university was founded first, {a} or {b}?"), "When was the university of {x} founded?"),
    ("team", ("Which club has won more titles, {a} or {b}?",), "How many titles has {x} won?"),
    ("team", ("Which club was founded earlier, {a} or {b}?",), "When was the club {x} founded?"),
    ("team", ("Do {a} and {b} play in the same league?",), "In which league does {x} play?"),
    ("animal", ("Which animal is heavier, the {a} or the {b}?",), "How heavy is the {x}?"),
    ("animal", ("Which is faster, the {a} or the {b}?", "Can the {a} run faster than the {b}?"), "How fast is the {x}?"),
    ("animal", ("Do the {a} and the {b} live on the same continent?",), "On which continent does the {x} live?"),
    ("animal", ("Are the {a} and the {b} both mammals?",), "What kind of animal is the {x}?"),
    ("newspaper", ("Which was first published earlier, {a} or {b}?", "Which publication is older, {a} or {b}?"), "When was {x} first published?"),
    ("newspaper", ("Are {a} and {b} published in the same country?",), "In which country is {x} published?"),
    ("element", ("Which has the higher melting point, {a} or {b}?",), "What is the melting point of {x}?"),
    ("element", ("Were {a} and {b} discovered by the same chemist?",), "Who discovered {x}?"),
    ("element", ("Are {a} and {b} both metals?",), "What kind of element is {x}?"),
    ("war", ("Which began first, the {a} or the {b}?", "Did the {a} begin before the {b}?"), "When did the {x} begin?"),
    ("war", ("Were the {a} and the {b} fought in the same country?",), "Where was the {x} fought?"),
)  # fmt: skip

_MEASURES: Final = (
    ("lake", "larger area", "area"), ("lake", "greater depth", "depth"), ("lake", "larger volume", "volume"),
    ("building", "greater height", "height"), ("building", "larger floor area", "floor area"),
    ("ship", "higher top speed", "top speed"), ("ship", "greater length", "length"),
    ("animal", "larger mass", "mass"), ("animal", "higher top speed", "top speed"),
    ("animal", "greater weight", "weight"), ("product", "higher price", "price"),
    ("building", "wider base", "width of the base"), ("city", "larger area", "area"),
    ("city", "higher elevation", "elevation"), ("company", "larger revenue", "revenue"),
)  # fmt: skip

_REFERENCES: Final[tuple[tuple[str, str, str, str, str], ...]] = (
    # kind of thing, what it leads to, noun phrase, clause, first half
    ("film", "person", "the director of {x}", "the person who directed the film {x}", "Who directed the film {x}?"),
    ("film", "person", "the composer of the music of {x}", "the person who wrote the music of the film {x}", "Who wrote the music of the film {x}?"),
    ("film", "person", "the star of {x}", "the actor who played the lead in {x}", "Who played the lead in the film {x}?"),
    ("book", "person", "the author of {x}", "the writer who wrote {x}", "Who wrote {x}?"),
    ("song", "person", "the singer of {x}", "the artist who recorded the song {x}", "Who recorded the song {x}?"),
    ("invention", "person", "the inventor of the {x}", "the person who invented the {x}", "Who invented the {x}?"),
    ("element", "person", "the discoverer of {x}", "the person who discovered {x}", "Who discovered {x}?"),
    ("building", "person", "the architect of the {x}", "the architect who designed the {x}", "Who designed the {x}?"),
    ("company", "person", "the founder of {x}", "the person who founded {x}", "Who founded {x}?"),
    ("person", "person", "the father of {x}", "the man whose child was {x}", "Who was the father of {x}?"),
    ("person", "person", "the spouse of {x}", "the person who married {x}", "Who was the spouse of {x}?"),
    ("mountain", "person", "the first person to climb {x}", "the person who first climbed {x}", "Who first climbed {x}?"),
    ("person", "city", "the birthplace of {x}", "the city where {x} was born", "In which city was {x} born?"),
    ("building", "city", "the city of the {x}", "the city where the {x} stands", "In which city is the {x}?"),
    ("university", "city", "the seat of the university of {x}", "the city where the university of {x} is located", "In which city is the university of {x} located?"),
    ("river", "country", "the source country of the {x}", "the country where the {x} rises", "In which country does the {x} rise?"),
    ("mountain", "country", "the country of {x}", "the country where {x} lies", "In which country is {x}?"),
    ("city", "country", "the country of {x}", "the country that {x} belongs to", "In which country is {x}?"),
    ("war", "country", "the winner of the {x}", "the country that won the {x}", "Which country won the {x}?"),
    ("product", "company", "the maker of the {x}", "the company that makes the {x}", "Which company makes the {x}?"),
    ("ship", "company", "the builder of the {x}", "the shipyard that built the {x}", "Which shipyard built the {x}?"),
    ("newspaper", "company", "the owner of {x}", "the company that owns {x}", "Which company owns {x}?"),
    ("team", "building", "the home ground of {x}", "the stadium where {x} play", "In which stadium does {x} play?"),
)  # fmt: skip

_ASKED: Final[dict[str, tuple[str, ...]]] = {
    "person": (
        "Where was {r} born?", "In which year did {r} die?", "When was {r} born?", "In which city was {r} born?",
        "What is the nationality of {r}?", "Which university did {r} attend?", "When did {r} die?",
        "Who was the father of {r}?", "Which award did {r} receive?", "Where did {r} grow up?",
        "Where is {r} buried?", "Who was {r} married to?", "What was the first work of {r}?",
    ),
    "city": (
        "What is the population of {r}?", "Which river flows through {r}?", "Who is the mayor of {r}?",
        "When was {r} founded?", "In which country is {r}?", "What is the oldest church in {r}?",
    ),
    "country": (
        "What is the capital of {r}?", "What is the currency of {r}?", "Who is the president of {r}?",
        "Which language is spoken in {r}?", "What is the highest mountain of {r}?", "When did {r} become independent?",
    ),
    "company": (
        "Who founded {r}?", "Where is {r} based?", "When was {r} founded?", "Who runs {r}?",
        "In which country is {r}?", "How many people work for {r}?",
    ),
    "building": (
        "When was {r} opened?", "How many people fit into {r}?", "Who designed {r}?",
    ),
}  # fmt: skip

_SIMPLE_EXTRA: Final = (
    "What is the largest {k} in the world?", "Which {k} is the oldest in Europe?", "How many kinds of {k} are there?",
    "What is the most famous {k} of all?", "What is the smallest {k} in the world called?",
    "Which {k} came first?", "Who was the first owner of the {x}?", "What is the {x} known for?",
    "In which year did the {x} become famous?", "Whose idea was the {x}?", "How much did the {x} cost?",
    "What is {x} named after?",
)  # fmt: skip


def comparison(rng: random.Random) -> Split:
    """A question that compares two things, and the same question about each of them."""
    if rng.random() < 0.15:
        kind, wanted, measure = rng.choice(_MEASURES)
        a, b = rng.sample(POOLS[kind], 2)
        the = "" if kind in {"lake", "city", "company"} else "the "
        half = f"What is the {measure} of {the}{{x}}?"
        asked = f"Which {kind} has the {wanted}, {the}{{a}} or {the}{{b}}?"
    else:
        kind, ways, half = rng.choice(_COMPARED)
        a, b = rng.sample(POOLS[kind], 2)
        asked = rng.choice(ways)
    return Split(asked.format(a=a, b=b), half.format(x=a), half.format(x=b))


def bridge(rng: random.Random) -> Split:
    """A question about a thing that is only described, and the question who or what it is.

    The second sub-question keeps a description in other words: both are answered side by side, so
    a name in its place would be a guess.
    """
    kind, leads_to, noun, clause, first = rng.choice(_REFERENCES)
    x = rng.choice(POOLS[kind])
    asked, again = (noun, clause) if rng.random() < 0.6 else (clause, noun)
    ways = [way for way in _ASKED[leads_to] if way.format(r="") != first.format(x="")]
    way = rng.choice(ways)
    return Split(
        way.format(r=asked.format(x=x)),
        first.format(x=x),
        way.format(r=again.format(x=x)),
        way,
        leads_to,
    )


def simple_question(rng: random.Random) -> str:
    """A question that asks for one fact."""
    kind = rng.choice(sorted(POOLS))
    x = rng.choice(POOLS[kind])
    draw = rng.random()
    if draw < 0.4:
        return rng.choice(_SIMPLE_EXTRA).format(k=kind, x=x)
    if draw < 0.7:
        kind, _, half = rng.choice(_COMPARED)
        return half.format(x=rng.choice(POOLS[kind]))
    if draw < 0.85:
        kind, _, _, _, first = rng.choice(_REFERENCES)
        return first.format(x=rng.choice(POOLS[kind]))
    leads_to = rng.choice(["person", "city", "country", "company"])
    return rng.choice(_ASKED[leads_to]).format(r=rng.choice(POOLS[leads_to]))
