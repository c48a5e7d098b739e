"""Names in a text, by rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.text.language import LANGUAGES
from hopyard.indexes.text.names import add_known, names_in


def written(text: str, language: str = "en", known: tuple[str, ...] = ()) -> list[str]:
    return [name.text for name in add_known(text, names_in(text, language), known)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Runs: joiners, initials, numbers, inner capitals, possessives, points.
        (
            "the Duke of the Marches met Ludwig van Beethoven",
            ["Duke of the Marches", "Ludwig van Beethoven"],
        ),
        ("Later J. R. R. Tolkien’s son left", ["J. R. R. Tolkien"]),
        ("St. Maurice's Abbey and the abbey of O'Brien", ["St. Maurice's Abbey", "O'Brien"]),
        (
            "when de Havilland left Washington D.C. for the U.S. again",
            ["de Havilland", "Washington D.C.", "U.S."],
        ),
        ("after Apollo 11 and World War II", ["Apollo 11", "World War II"]),
        ("an iPhone with GPT-4 and COVID-19", ["iPhone", "GPT-4", "COVID-19"]),
        (
            "by Martin Luther King, Jr. and Simon & Garfunkel",
            ["Martin Luther King, Jr.", "Simon & Garfunkel"],
        ),
        ('by Floyd "Nate" Hills here', ['Floyd "Nate" Hills']),
        # Lists and places.
        ("in Paris, Texas, with Anna, Bert and Carl", ["Paris", "Texas", "Anna", "Bert", "Carl"]),
        # Numbers are no names; years and dates are, and a year belongs to its event.
        ("In 907 the Tang had 2,000 men, 15 ships and 1500 people", ["Tang"]),
        (
            "on 12 May 1987, July 4, 1999 or in May 1990",
            ["12 May 1987", "July 4, 1999", "May 1990"],
        ),
        ("in the 1980s, from 1914–1918", ["1980s", "1914", "1918"]),
        ("He came on July 25. In May he left.", ["July 25"]),
        (
            "the 1998 FIFA World Cup and a 1998 Disney film",
            ["1998 FIFA World Cup", "1998", "Disney"],
        ),
        # Quotations: works, and neither words in small letters nor what lies between two.
        ('in "What is God?" (1989), "Elle," and "so-called" art', ["What is God?", "1989", "Elle"]),
        ('Ann said "this is a sentence of more than just eight words" to Bob', ["Ann", "Bob"]),
        # Qualifiers.
        ("in Slender Man (2018 film) and Mercury (liquid)", ["Slender Man (2018 film)", "Mercury"]),
        # Terms that the text abbreviates, wherever they are.
        (
            "some part of speech (POS), no part of speech",
            ["part of speech", "POS", "part of speech"],
        ),
        # Addresses, months alone, pronouns, text in capitals.
        ("see https://Example.org/Page or A@B.com on Monday, as I do in June", []),
        ("WHO IS THE KING OF FRANCE", []),
        ("", []),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The first word of a sentence is a name unless something speaks against it.
        ("Teutberga was a queen. However, she died.", ["Teutberga"]),
        (
            "Meanwhile it began. Originally it was short. Directed by Ann. Serving as a guide.",
            ["Ann"],
        ),
        ("Archaeological finds are rare. Snakes are common. Treatment helps.", []),
        ("Rose petals fall. The rose is red.", []),
        ("Rose petals fall. Everybody likes Rose.", ["Rose", "Rose"]),
        ("In the end The Beatles won", ["Beatles"]),
        ("Jets of steam rise. Driven by wind, Ann sails. Contact with Bob ended.", ["Ann", "Bob"]),
        # The point of an initial ends no sentence, the number of a war does.
        ("After World War I. During the war. I saw E. Smith.", ["World War I", "E. Smith"]),
        ("It left the U.S. According to Ann, J. Young won.", ["U.S.", "Ann", "J. Young"]),
        # Short lines do not run on, long ones do.
        ("Green Bay\nRed Lake", ["Green Bay", "Red Lake"]),
        (f"{'and so on ' * 7}to New\nYork", ["New\nYork"]),
    ],
)
def test_the_start_of_a_sentence_needs_evidence(text: str, expected: list[str]) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("as Chapter 4, Figure 2, Table 3 and Step 1 of Apollo 11 show. See Part 5", ["Apollo 11"]),
        ("the care of Stage II and Phase 1 patients in Stage 2 Oslo", ["Oslo"]),
        ("the tides Key points Oslo is cold Words to know Bergen is wet", ["Oslo", "Bergen"]),
        ("the lynx 5 What is a lynx? 6 Who is Ann Lee? 7 How does Oslo vote", ["Ann Lee", "Oslo"]),
        ("a scan by NASA If the scan fails, NASA There are others", ["NASA", "NASA"]),
        ("we read 66 When Ann slept, and so You'll see, as Can't and Don't tell", ["Ann"]),
    ],
)
def test_labels_and_headings_are_no_names(text: str, expected: list[str]) -> None:
    assert written(text) == expected


def test_known_names_are_found_unless_inside_a_longer_name() -> None:
    text = "Side by Side by Sondheim is a revue. Prague Castle is in Prague."
    known = ("Side by Side by Sondheim", "Prague")
    assert written(text, known=known) == ["Side by Side by Sondheim", "Prague Castle", "Prague"]
    assert written("photosynthesis feeds plants", known=("Photosynthesis",)) == ["photosynthesis"]
    assert written("it rains, said the Apple man", known=("It", "apples")) == ["Apple"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # German: nouns have capitals too.
        ("de", "Die große Stadt liegt an der Elbe, sagte Merkel.", ["Merkel"]),
        (
            "de",
            "Angela Merkel kam am 12. Mai 1987 mit BMW nach Hamburg.",
            ["Angela Merkel", "12. Mai 1987", "BMW", "Hamburg"],
        ),
        ("de", "Wo wurde Goethe geboren? Regierung und Freiheit.", ["Goethe"]),
        # Others: a lone word that begins a sentence needs a second place.
        (
            "fr",
            "Gustave Eiffel vit à Dijon. Hier il dort. Dijon dort.",
            ["Gustave Eiffel", "Dijon", "Dijon"],
        ),
        ("ru", "кто такой Лев Толстой", ["Лев Толстой"]),
        # A stop word begins no name if the text has it in small letters.
        (
            "fr",
            "Dans Paris il dort dans un lit. Après Victor Hugo.",
            ["Paris", "Après Victor Hugo"],
        ),
        ("es", "Buenos Aires es grande.", ["Buenos Aires"]),
        # No capitals of their own.
        (
            "ja",
            "『千と千尋』は2001年7月20日にスタジオジブリとApple Inc.が公開",
            ["千と千尋", "2001年7月20日", "スタジオジブリ", "Apple Inc."],
        ),
        ("zh", "他写了《红楼梦》和iPhone。", ["红楼梦", "iPhone"]),
        ("ar", "في عام 1987 مع Google", ["1987", "Google"]),
        # Korean: a noun has two endings in the text, and particles are cut off.
        ("ko", "한강은 서울의 강이다. 서울은 한강을 끼고 있다.", ["한강", "서울", "서울", "한강"]),
        ("ko", "경기도는 크다. 경기도의 시는 많다.", ["경기도", "경기도"]),
        (
            "ko",
            "LG전자는 2024년 1월 17일 Galaxy S24를 '기생충'의 7명에게 1950 m에서 주었다.",
            ["LG전자", "2024년 1월 17일", "Galaxy S24", "기생충"],
        ),
        # Once only, or a verb: no evidence.
        ("ko", "이순신은 언제 태어났나요? 생각하는 것과 생각하고 있다.", []),
    ],
)
def test_other_languages(language: str, text: str, expected: list[str]) -> None:
    assert written(text, language) == expected


PIECES = st.sampled_from(
    [
        "Ann",
        "the",
        "of",
        "de",
        "I",
        "St",
        "(RAG)",
        "12",
        "1998",
        "May",
        "'s",
        "’s",
        '"',
        "“",
        "'",
        ". ",
        ", ",
        " ",
        " ",
        " ",
        " ",
        "\n",
        " & ",
        "Jr",
        "(film)",
        "ﬁ",
        "서울은",
        "東京",
        "スター",
    ]
)


@given(
    st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=30),
    st.sampled_from(sorted(LANGUAGES)),
)
def test_spans_are_in_order_apart_and_as_written(text: str, language: str) -> None:
    end = 0
    for name in add_known(text, names_in(text, language), ("Ann of", "서울")):
        assert end <= name.start < name.end
        assert text[name.start : name.end] == name.text
        assert name.text.strip(" \n,;") == name.text
        end = name.end
