"""Quotes that support a claim, and numbers of passages in an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.nodes.citations import contains_quote, place_claims, statements
from hopyard.nodes.cited_answer import cite_answer
from hopyard.nodes.support.compare import compare
from hopyard.nodes.support.words import units
from hopyard.state.text.markers import find_markers, renumber


def passage(title: str, text: str) -> Passage:
    return Passage(title.lower(), title, 0, title, text, "", len(text.split()))


DANUBE = passage(
    "Danube",
    "The Danube is 2,850 kilometres long. It flows through Regensburg. Ten countries lie on it.",
)
ROLES = passage(
    "Roles",
    "Roles of the plant.\n\n| Role | Name |\n|---|---|\n| Safety officer | Jonas Feld |\n"
    "| Manager | Ada Ito |",
)
TOKYO = passage(
    "東京", "東京は日本の首都である。人口は約1400万人。江戸は1868年に東京と改称された。"
)
SEOUL = passage("서울", "서울은 대한민국의 수도이다. 한강이 도시를 가로지른다.")
TWO = ("It flows through Regensburg.", "Ten countries lie on it.")
PAGES = [DANUBE, ROLES, TOKYO, SEOUL]


LONG, NAMED = "The Danube is 2,850 kilometres long.", "江戸は1868年に東京と改称された。"
ROW, HAN = "| Safety officer | Jonas Feld |", "한강이 도시를 가로지른다."
QUOTED = {
    "separators of thousands": ("The Danube is 2850 kilometres long.", DANUBE, LONG, True),
    "another number": ("The Danube is 2,860 kilometres long.", DANUBE, LONG, False),
    "the title is what it stands for": (
        "The Danube flows through Regensburg.",
        DANUBE,
        TWO[0],
        True,
    ),
    "a number in words": ("10 countries lie on the Danube.", DANUBE, TWO[1], True),
    "two sentences": ("It flows through Regensburg and ten countries.", DANUBE, TWO[1], True),
    "a row of a table": ("Jonas Feld is the safety officer.", ROLES, ROW, True),
    "nothing shared: the shortest": (
        "Napoleon crossed the Rhine in winter.",
        DANUBE,
        TWO[1],
        False,
    ),
    "Japanese": ("江戸は1868年に東京になった。", TOKYO, NAMED, True),
    "Japanese, other names": ("京都は1868年に奈良になった。", TOKYO, NAMED, False),
    "Korean particles": ("한강은 서울을 가로지른다.", SEOUL, HAN, True),
    "another city": ("부산은 바다에 있다.", SEOUL, HAN, False),
    "no content word": ("yes?!", DANUBE, TWO[1], False),
}
SEVERAL = {
    "two sentences": list(TWO),
    "a row of a table": ["Role: Safety officer · Name: Jonas Feld"],
}


@pytest.mark.parametrize("case", QUOTED)
def test_the_quote_of_a_claim(case: str) -> None:
    claim, cited, quote, supported = QUOTED[case]
    assert place_claims([(claim, cited)])[0] == [
        {
            "passage_id": cited.id,
            "title": cited.title,
            "quote": quote,
            "quotes": SEVERAL.get(case, [quote]),
            "claim": claim,
            "supported": supported,
        }
    ]


def test_the_order_is_the_claims_and_a_quote_comes_once() -> None:
    wrong, right = "The Danube has 99 countries.", "Ten countries lie on the Danube."
    same = "On the Danube lie ten countries."
    found = place_claims(
        [
            ("Jonas Feld is the safety officer", ROLES),
            (wrong, DANUBE),
            (right, DANUBE),
            (same, DANUBE),
        ]
    )[0]
    assert [(cited["passage_id"], cited["claim"], cited["supported"]) for cited in found] == [
        ("roles", "Jonas Feld is the safety officer", True),
        ("danube", wrong, False),  # a right claim with the same quote does not hide it
        ("danube", right, True),
    ]


def test_a_claim_may_be_spread_over_its_passages() -> None:
    claim = "The Danube flows through Regensburg, and Ada Ito and Jonas Feld have roles"
    alone = place_claims([(claim, DANUBE)])[0]
    both = place_claims([(claim, DANUBE), (claim, ROLES)])[0]
    assert [cited["supported"] for cited in alone] == [False]
    assert [cited["supported"] for cited in both] == [True, True]


def test_a_passage_without_text_is_not_cited() -> None:
    assert place_claims([("Anything", passage("Empty", " \n "))])[0] == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("A is B [1]. C is D.[2]", [("A is B", [1]), ("C is D", [2])]),
        ("No marker here.", []),
        ("A is B. C is D [1][3].", [("C is D", [1, 3])]),
        ("A is B [1, 3].", [("A is B", [1, 3])]),
        (
            "Born in 1900 [1] and dead in 1950 [2].",
            [("Born in 1900", [1]), ("and dead in 1950", [2])],
        ),
        ("- first [1]\n- second [2]\n", [("- first", [1]), ("- second", [2])]),
        ("2: Nora [1], Vela [2]", [("Nora", [1]), ("Vela", [2])]),
        ("1969: the landing [1]", [("1969: the landing", [1])]),
        ("[1] alone", []),
        ("in [1781] it rained [2]", [("in [1781] it rained", [2])]),
        ("東京は首都。江戸は東京 [3]。", [("江戸は東京", [3])]),
        ("Take `row[0]` [1]", [("Take `row[0]`", [1])]),
        (
            "| Bridge | Length |\n|---|---|\n| Ulm [1] | 5 km [2] |",
            [("Ulm", [1]), ("Ulm: 5 km", [2])],
        ),
        (  # a cell of a table says what it does of its row
            "| | Mars | Venus |\n|---|---|---|\n| Moons | two [1] | none [2] |\nBoth are near [3].",
            [("Moons: two", [1]), ("Moons: none", [2]), ("Both are near", [3])],
        ),
    ],
)
def test_statements(answer: str, found: list[tuple[str, list[int]]]) -> None:
    assert statements(answer) == found


def test_markers_become_claims_and_numbers_outside_the_range_are_dropped() -> None:
    answer = (
        "The Danube flows through Regensburg [1]. The manager is Ada Ito [2][9], "
        "and the safety officer is Napoleon Bonaparte [2]. It is so [0]."
    )
    found = cite_answer("", answer, PAGES).citations
    assert [(cited["quote"], cited["supported"]) for cited in found] == [
        ("It flows through Regensburg.", True),
        ("| Manager | Ada Ito |", True),
        ("| Safety officer | Jonas Feld |", False),  # half of its words, none of its names
    ]


def test_markers_get_the_numbers_of_the_citations() -> None:
    assert renumber("A [3]. B [1, 3] C [2][9].", {3: 1, 1: 2}) == "A [1]. B [2][1] C."
    assert renumber("In [1781] it was so.", {}) == "In [1781] it was so."
    code = "Take `row[0]` [1]:\n```\nx = row[1]\n```"
    assert renumber(code, {1: 2}) == "Take `row[0]` [2]:\n```\nx = row[1]\n```"


def test_a_third_of_the_content_words_has_to_be_there() -> None:
    page = passage("Feld", "He was promoted.")
    assert compare("Feld was promoted", [page]).supported
    assert compare("Feld was promoted quickly yesterday again once", [page]).supported  # 2 of 6
    assert not compare("Feld was promoted quickly yesterday again once late", [page]).supported
    assert not compare("", [page]).supported


def test_what_is_compared() -> None:
    found = units("The discoverer, 20th of 1,234.5 and 3,000 members")
    assert found == {"disco", "membe", "20", "1234.5", "3000"}
    assert units("東京です") == {"東京"}
    assert units("ひらがな") == {"ひら", "らが", "がな"}


texts = st.lists(
    st.sampled_from(
        ["bridge", "Iron.", "1781", "é", "東京。", "|", "\n", "- x", "[2]", "[1, 3]", "yes!"]
    )
    | st.text(max_size=6),
    max_size=25,
).map(" ".join)


@given(
    claims=st.lists(st.tuples(texts, st.integers(0, 3)), max_size=6),
    pages=st.lists(texts, min_size=4, max_size=4),
)
def test_every_quote_is_in_its_passage(claims: list[tuple[str, int]], pages: list[str]) -> None:
    passages = [passage(f"P{number}", text) for number, text in enumerate(pages)]
    by_id = {cited.id: cited for cited in passages}
    found = place_claims([(claim, passages[number]) for claim, number in claims])[0]
    keys = {(each["passage_id"], *each["quotes"], each["supported"]) for each in found}
    assert len(keys) == len(found)
    for cited in found:
        assert cited["quote"] in by_id[cited["passage_id"]].text
        for quote in (cited["quote"], *cited["quotes"]):
            assert contains_quote(by_id[cited["passage_id"]], quote)


@given(answer=texts)
def test_renumbering_with_no_number_leaves_no_marker(answer: str) -> None:
    assert not list(find_markers(renumber(answer, {})))  # [0] in code is no marker
    same = {number: number for number in range(1000)}
    assert renumber(renumber(answer, same), same) == renumber(answer, same)


@given(text=texts, claim=texts)
def test_a_quote_is_a_sentence_of_its_passage(text: str, claim: str) -> None:
    page = passage("P", text)
    spans = sentence_spans(text)
    for found in compare(claim, [page]).quotes.values():
        assert set(found) <= set(spans)


@pytest.mark.parametrize(
    ("claim", "text", "quote"),
    [
        (
            "Der Umsatz des Büros in Bristol betrug 2024 287 Tausend Euro.",
            "Die folgende Tabelle zeigt den Umsatz der Büros in Tausend Euro.\n\n"
            "| Büro | 2023 | 2024 |\n|---|---|---|\n"
            "| Bremen | 488 | 530 |\n| Bristol | 301 | 287 |",
            "| Bristol | 301 | 287 |",
        ),
        (
            "황차는 90도의 물에 3분 동안 우린다.",
            "보리차는 끓는 물에 10분 동안 끓입니다.\n\n| 차 | 온도 | 시간 |\n|---|---|---|\n"
            "| 세작 | 70도 | 2분 |\n| 황차 | 90도 | 3분 |",
            "| 황차 | 90도 | 3분 |",
        ),
    ],
)
def test_the_row_with_the_numbers_is_quoted_not_the_sentence_before_the_table(
    claim: str, text: str, quote: str
) -> None:
    page = passage("Report", text)
    [cited] = place_claims([(claim, page)])[0]
    assert (cited["quote"], cited["supported"]) == (quote, True)


def test_the_question_decides_between_sentences_that_hold_as_much_of_a_statement() -> None:
    page = passage("Titan", "Titan is the largest moon of Saturn. It was found in 1655.")
    quote = "Titan is the largest moon of Saturn."
    [plain] = place_claims([("Titan", page)])[0]
    [asked] = place_claims([("Titan", page)], question="Which moons of Saturn are there?")[0]
    assert asked["quote"] == quote
    assert plain["supported"] and asked["supported"]


@pytest.mark.parametrize(
    ("answer", "first"),
    [
        ("Three cities are old: Trier [1], Bonn [2] and Mainz [3].", "cities are old: Trier"),
        ("Es gibt 2 Orte: Trier [1] und Bonn [2].", "Es gibt Orte: Trier"),
        ("Three cities are old: Trier, Bonn, Mainz [1].", "cities are old: Trier, Bonn, Mainz"),
        ("Three cities are old: Trier [1] and Bonn [2].", "Three cities are old: Trier"),
        ("In 3 years: 2 cities [1].", "In 3 years: 2 cities"),
        ("On 2 May: Ann [1] and Bo [2].", "On 2 May: Ann"),
        ("It costs 2 euros: Ann [1] and Bo [2].", "It costs 2 euros: Ann"),
        ("In phase 2: Ann [1] and Bo [2].", "In phase 2: Ann"),
    ],
)
def test_the_number_of_items_before_a_list_is_no_part_of_the_first(answer: str, first: str) -> None:
    assert statements(answer)[0][0] == first
