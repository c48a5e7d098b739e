"""An answer's citations as the model named them: quoted, checked and numbered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.citations import cited_sentences
from hopyard.nodes.cited_answer import NOT_STATED, cite_answer
from hopyard.nodes.support.words import language_of, script_of
from hopyard.state.schemas import UNCITED

Q_BORN = "Where was the discoverer of Pluto born?"


def passage(title: str, text: str) -> Passage:
    return Passage(title.lower(), title, 0, title, text, "", len(text.split()))


PLUTO = passage("Pluto", "Pluto is a dwarf planet. Clyde Tombaugh discovered it in 1930.")
TOMBAUGH = passage("Clyde Tombaugh", "He was an astronomer. He was born in Streator, Illinois.")
CERES = passage("Ceres", "Ceres lies in the asteroid belt. Giuseppe Piazzi found it in 1801.")
PAGES = [PLUTO, TOMBAUGH, CERES]


WHO, BORN_IN, DISCOVERED = (
    "Who discovered Pluto?",
    "Streator, Illinois",
    "명왕성은 언제 발견되었나?",
)
FOUND = "Clyde Tombaugh discovered it in 1930."
BORN = "He was born in Streator, Illinois."
PIAZZI = "Giuseppe Piazzi found it in 1801."
BELT = "Ceres lies in the asteroid belt."
BOTH = "Clyde Tombaugh ist der Entdecker; er wurde in Streator, Illinois, geboren."
SHORT = {
    "both steps of the way are support": (
        (Q_BORN, BORN_IN, [1, 2]),
        [(FOUND, True), (BORN, True)],
    ),
    "a place made up": ((Q_BORN, "Ponderano, Italy", [1, 2]), [(FOUND, False), (BORN, False)]),
    "another year": (("When was Pluto discovered?", "1931", [1]), [(FOUND, False)]),
    "a judgement": (
        ("Was Ceres found before Pluto was discovered?", "Yes", [3, 1]),
        [(PIAZZI, True), (FOUND, True)],
    ),
    "a passage about something else, numbers outside the range": (
        (WHO, "Clyde Tombaugh", [1, 3, 7, 0]),
        [(FOUND, True), (BELT, False)],
    ),
    "no passage named: found by its words": (
        (WHO, "Clyde Tombaugh", []),
        [(FOUND, None), ("He was an astronomer.", None)],
    ),
    "nothing found": ((WHO, "Napoleon", []), []),
    "unknown": ((WHO, "Unknown", [1]), []),
    "unknown, worded so": ((WHO, " unknown.", [1]), []),
    "another language": (
        ("Wer hat Pluto entdeckt und wo wurde er geboren?", BOTH, [1, 2]),
        [(FOUND, True), (BORN, True)],
    ),
    "another script": ((DISCOVERED, "1930년", [1]), [(FOUND, True)]),
    "another script, another year": ((DISCOVERED, "1931년", [1]), [(FOUND, False)]),
    "general knowledge": (
        ("Who was Tombaugh's wife?", "From general knowledge: Patricia Edson.", [2]),
        [],
    ),
}
UNCONFIRMED = {
    "a place made up": NOT_STATED,
    "another year": NOT_STATED,
    "another script, another year": NOT_STATED,
    "nothing found": UNCITED,
}


@pytest.mark.parametrize("case", SHORT)
def test_short_answers(case: str) -> None:
    (question, answer, numbers), quotes = SHORT[case]
    cited = cite_answer(question, answer, PAGES, numbers)
    found = [(citation["quote"], citation.get("supported")) for citation in cited.citations]
    assert found == quotes
    assert cited.unconfirmed == UNCONFIRMED.get(case, "")
    assert cited.answer == answer


def test_the_markers_of_a_full_answer_are_the_numbers_of_its_citations() -> None:
    cited = cite_answer(
        "Tell me about Pluto and Ceres.",
        "Giuseppe Piazzi found Ceres in 1801 [3]. Ceres lies in the asteroid belt [3].\n\n"
        "- Clyde Tombaugh discovered Pluto in 1930. [1][3]\n"
        "- He was born in Paris [2][9].\n"
        "- Ceres was found by Giuseppe Piazzi in 1801 [3, 8].",
        PAGES,
        [1, 2, 3],
    )
    assert cited.answer == (
        "Giuseppe Piazzi found Ceres in 1801 [1]. Ceres lies in the asteroid belt [2].\n\n"
        "- Clyde Tombaugh discovered Pluto in 1930. [3][4]\n"
        "- He was born in Paris [5].\n"
        "- Ceres was found by Giuseppe Piazzi in 1801 [1]."
    )
    assert [(cited["quote"], cited["supported"]) for cited in cited.citations] == [
        (PIAZZI, True),
        (BELT, True),
        (FOUND, True),
        (BELT, False),  # it adds nothing to the statement
        (BORN, False),
    ]
    assert cited.citations[4].get("claim") == "He was born in Paris"
    assert cited.unconfirmed == ""


@pytest.mark.parametrize(
    ("lead", "place", "supported"),
    [("In Illinois", "Streator", [True, True]), ("In Paris", "Streator", [False, True])],
)
def test_the_passages_of_a_sentence_are_read_together(
    lead: str, place: str, supported: list[bool]
) -> None:
    cited = cite_answer(
        Q_BORN,
        f"{lead}: Pluto was discovered by Clyde Tombaugh [1], who was born in {place} [2].",
        PAGES,
    )
    assert [each["supported"] for each in cited.citations] == supported


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        (
            "Die Miete steigt um 3 % [1], am 6. Juni 2025 auf 80 Euro [2] im Monat. Er kommt [1].",
            ["Die Miete steigt um 3 %, am 6. Juni 2025 auf 80 Euro im Monat", "Er kommt"],
        ),
        ("Lake One is 3 km long [1], and 5 km wide [2].", ["Lake One is 3 km long, and 5 km wide"]),
        ("It rained [1]. It snowed [2].", ["It rained", "It snowed"]),
        ("It rained. [1] It snowed. [2]", ["It rained", "It snowed"]),
        (
            "It rained [1], or snowed. [2] Then it froze [3]",
            ["It rained, or snowed", "Then it froze"],
        ),
        ("Closed are:\n- Ulm [1]\n- Bonn [2]", ["Closed are: Ulm", "Closed are: Bonn"]),
        ("| Lake | Km |\n|---|---|\n| One | 3 [1] |", ["Lake: One · Km: 3"]),
        ("[1]", [""]),
    ],
)
def test_the_whole_sentence_of_each_marker(answer: str, sentences: list[str]) -> None:
    assert [sentence for sentence, _ in cited_sentences(answer)] == sentences


def test_one_statement_is_checked_with_its_question() -> None:
    cited = cite_answer("Who found Ceres?", "Piazzi [3][9]", PAGES)
    assert cited.answer == "Piazzi [1]"
    assert [citation["quote"] for citation in cited.citations] == [PIAZZI]


def test_findings_are_what_a_short_answer_is_concluded_from() -> None:
    findings = [
        ("Clyde Tombaugh discovered Pluto.", PLUTO),
        ("Clyde Tombaugh was born in Streator.", TOMBAUGH),
    ]
    cited = cite_answer(Q_BORN, "Streator [2][3]", PAGES, findings=findings)
    assert cited.answer == "Streator [2]"
    assert [(each["quote"], each.get("claim")) for each in cited.citations] == [
        (FOUND, findings[0][0]),
        (BORN, findings[1][0]),
    ]
    assert cited.unconfirmed == ""
    doubtful = cite_answer(Q_BORN, "Rome", PAGES, findings=[("Piazzi was born in Rome.", CERES)])
    assert [each["supported"] for each in doubtful.citations] == [False]
    assert doubtful.unconfirmed == NOT_STATED


def test_no_statement_is_supported() -> None:
    cited = cite_answer("?", "Mars has two moons [1]. Venus has none [3].", PAGES)
    assert [citation["supported"] for citation in cited.citations] == [False, False]
    assert cited.unconfirmed == NOT_STATED


def test_what_is_general_knowledge_is_not_checked() -> None:
    answer = "Clyde Tombaugh. From general knowledge: he died in 1997."
    cited = cite_answer("Who discovered Pluto?", answer, PAGES, [1])
    assert cited.answer == answer
    assert [citation["supported"] for citation in cited.citations] == [True]


@pytest.mark.parametrize(
    ("one", "other", "two"),
    [
        ("The bridge was opened in 1781.", "Die Brücke wurde in den Jahren eröffnet.", True),
        ("The bridge was opened.", "It was closed by the town.", False),
        ("Danube", "The bridge was opened.", False),
        ("Le pont est une merveille", "El puente es una maravilla", True),
        ("How do I open it?", "The bridge was opened.", False),
        ("A ponte abriu a João a porta.", "O rio e a ponte foi um sonho.", False),
    ],
)
def test_two_languages(one: str, other: str, two: bool) -> None:
    languages = {language_of(one), language_of(other)}
    assert ("" not in languages and len(languages) == 2) is two


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Iron 1781", "LATIN"),
        ("江戸は東京になった", "CJK"),
        ("エド", "CJK"),
        ("한강 km", "HANGUL"),
        ("Дунай", "CYRILLIC"),
        ("1781", ""),
    ],
)
def test_scripts(text: str, script: str) -> None:
    assert script_of(text) == script


texts = st.lists(
    st.sampled_from(["Pluto", "found.", "1781", "[1]", "[2, 3]", "\n", "- x", "Unknown", "東京。"])
    | st.text(max_size=5),
    max_size=20,
).map(" ".join)


@given(
    question=texts,
    answer=texts,
    pages=st.lists(texts, max_size=3),
    numbers=st.lists(st.integers(-1, 5), max_size=4),
)
def test_every_marker_is_a_citation_and_every_quote_is_in_its_passage(
    question: str, answer: str, pages: list[str], numbers: list[int]
) -> None:
    from hopyard.nodes.citations import statements

    passages = [passage(f"P{number}", text) for number, text in enumerate(pages)]
    by_id = {page.id: page for page in passages}
    cited = cite_answer(question, answer, passages, numbers)
    for citation in cited.citations:
        assert citation["quote"] in by_id[citation["passage_id"]].text
    for _, named in statements(cited.answer):
        assert all(1 <= number <= len(cited.citations) for number in named)


def test_an_answer_that_its_passage_states_is_confirmed_though_the_finding_says_more() -> None:
    moon = passage("Ganymede", "Ganymede is the largest moon in the solar system.")
    finding = "Ganymede, which orbits the planet Jupiter beyond Europa, is the largest moon."
    question = "What is the largest moon in the solar system?"
    cited = cite_answer(question, "Ganymede", [moon], findings=[(finding, moon)])
    assert (cited.unconfirmed, cited.citations[0]["supported"]) == ("", True)
    assert cited.citations[0]["claim"] == "Ganymede"
    other = cite_answer(question, "Callisto", [moon], findings=[(finding, moon)])
    assert other.unconfirmed == NOT_STATED


@pytest.mark.parametrize(("day", "supported"), [("5 April 2025", True), ("6 April 2025", False)])
def test_the_head_of_a_document_says_when_its_sections_were_written(
    day: str, supported: bool
) -> None:
    head = Passage("m#0", "m", 0, "Minutes", "Date: 5 April 2025. 37 members came.", "", 9)
    fees = Passage("m#1", "m", 1, "Minutes", "The fee stays as it is.", "", 9)
    other = Passage("n#0", "n", 0, "Notes", "A letter of 6 April 2025.", "", 9)
    answer = f"The fee stays as it is since the meeting of {day} [2]. A letter came [3]."
    cited = cite_answer("Did the fee change?", answer, [head, fees, other])
    assert cited.citations[0]["supported"] == supported
    quoted = [each["quote"] for each in cited.citations if each["passage_id"] == "m#0"]
    assert quoted == (["Date: 5 April 2025."] if supported else [])


@pytest.mark.parametrize(
    "claim",
    [
        "Bo Lind resigned as treasurer",  # who came is said in the head, not who resigned
        "The fee rose by 37 euros and the treasurer resigned",
        "The treasurer resigned on 12 July 2025",  # the date of another section
    ],
)
def test_a_head_gives_its_dates_only(claim: str) -> None:
    head = Passage("m#0", "m", 0, "Minutes", "Date: 5 April 2025. 37 came, also Bo Lind.", "", 9)
    money = Passage("m#1", "m", 1, "Minutes", "The treasurer resigned. The fee stays.", "", 9)
    feast = Passage("m#2", "m", 2, "Minutes", "The summer feast is on 12 July 2025.", "", 9)
    other = Passage("n#0", "n", 0, "Notes", "A letter came.", "", 9)
    answer = f"{claim} [2]. A letter came [4]."
    cited = cite_answer("What was decided?", answer, [head, money, feast, other])
    assert [each["supported"] for each in cited.citations] == [False, True]


def test_a_citation_of_two_claims_is_supported_if_both_are() -> None:
    head = Passage("m#0", "m", 0, "Minutes", "Date: 5 April 2025. Ida Weil, Bo Lind came.", "", 9)
    money = Passage("m#1", "m", 1, "Minutes", "The treasurer resigned. The fee stays.", "", 9)
    answer = "The treasurer resigned on 5 April 2025 [2]. Ida Weil resigned on 6 May 2024 [2]."
    [cited, _] = cite_answer("What was decided?", answer, [head, money]).citations
    assert (cited["supported"], cited["claim"]) == (False, "Ida Weil resigned on 6 May 2024")
