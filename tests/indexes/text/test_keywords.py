import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.text.keywords import extract_keywords, normalise_keyword


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Beatles", "beatles"),
        ("  Teutberga’s ", "teutberga"),
        ("J. R. R. Tolkien", "jrr tolkien"),
        ("J.R.R. Tolkien", "jrr tolkien"),
        ("U.S.", "us"),
        ("Dvořák", "dvořák"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("ﬁlm", "film"),
        ("New\n York", "new york"),
        ("The", "the"),
        ("The Who", "the who"),
        ("the WHO", "who"),
        ("the US", "us"),
        ("हिन्दी", "हिन्दी"),
        ("(C++),", "c++"),
        ("C#'s", "c#"),
        ("`.NET`", ".net"),
        ("A+.", "a+"),
        ("“A-”", "a-"),
        ("Na⁺ and Cl⁻", "na+ and cl-"),
        ("…and **so** on: - well-", "and so on well"),
        ("#5, a 20% share; Yahoo!", "5 a 20 share yahoo"),
        ("?!", ""),
        ("", ""),
    ],
)
def test_one_spelling_for_each_keyword(text: str, expected: str) -> None:
    assert normalise_keyword(text) == expected


@given(
    st.text("aB1ÉßİДжﬁि .'’s-+#&\"?\n", max_size=12)
    | st.sampled_from(["the the a", "x's's", "a b"])
)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise_keyword(text)
    assert normalise_keyword(once) == once


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # Names: possessives, joiners, initials, brackets of punctuation.
        ("Who was Teutberga's husband?", {"teutberga"}),
        ("Who is Boso the Elder's daughter, Bertha?", {"boso the elder", "bertha"}),
        ("Did J. R. R. Tolkien write The Lord of the Rings?", {"jrr tolkien", "lord of the rings"}),
        ("In what city is St. Maurice's Abbey?", {"st maurice abbey"}),
        ("Where did Ludwig van Beethoven meet O'Brien?", {"ludwig van beethoven", "o'brien"}),
        ("Which iPhone rivals AT&T sold?", {"iphone", "at&t"}),
        ("What is Will Smith's first film?", {"will smith"}),
        # A comma ends a name.
        ("Is Paris, France older than Rome?", {"paris", "france", "rome"}),
        # Question words are dropped at the start, with or without a name after them.
        ("Which American won?", {"american"}),
        ("Did In Bruges win?", {"in bruges"}),
        ("Who Is The Director Of Inception?", {"director of inception"}),
        # Years stand alone, numbers belong to the name beside them.
        ("Who won the 1998 FIFA World Cup?", {"1998", "fifa world cup"}),
        ("When did Apollo 11 land?", {"apollo 11"}),
        ("Who signed 50 Cent for 1,000,000 dollars?", {"50 cent", "1,000,000"}),
        ("Who starred in 12 Angry Men in 1957?", {"12 angry men", "1957"}),
        # Quotations are one keyword, unless somebody speaks in them.
        ('Who wrote "What is God?" in 1989?', {"what is god", "1989"}),
        ("Who wrote “What is God?”", {"what is god"}),
        ("Who directed 'it' first?", {"it"}),
        ('Who said "ask not what your country can do for you, Sam"?', {"sam"}),
        # No name at all: content words, without the verbs of asking.
        ("which river is longest in the world", {"river", "longest", "world"}),
        ("who wrote the national anthem", {"national anthem"}),
        ("WHO IS THE KING OF FRANCE", {"king", "france"}),
        # Other scripts.
        ("кто такой Лев Толстой", {"лев толстой"}),
        ("東京は何処", {"東京は何処"}),
        ("हिन्दी भाषा", {"हिन्दी भाषा"}),
        # Signs at the end of a name.
        ("Is C++ older than C#, or C?", {"c++", "c#", "c"}),
        # Nothing there.
        ("Who was it?", set()),
        ("?", set()),
        ("", set()),
    ],
)
def test_keywords_by_example(question: str, expected: set[str]) -> None:
    assert extract_keywords(question) == expected


def test_every_keyword_is_normalised_and_longer_than_nothing() -> None:
    text = "The Queen’s 'Dr. Who' met A. B. Smith of the U.K. on 3 May 1971; Ørsted's 2nd law!"
    for keyword in extract_keywords(text):
        assert keyword
        assert normalise_keyword(keyword) == keyword
