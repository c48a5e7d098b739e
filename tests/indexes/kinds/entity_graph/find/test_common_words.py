"""Which capitalised words a corpus shows to be common words, worked out by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.common_words import CommonWords
from hopyard.indexes.kinds.entity_graph.find.rules import extract


def passage(text: str, title: str = "") -> Passage:
    return Passage("p", "d", 0, title, text, "hash", 1)


def common(*texts: str, title: str = "", language: str = "en") -> CommonWords:
    return CommonWords([passage("", title), *(passage(text) for text in texts)], language)


def test_a_word_is_common_that_is_written_more_often_in_small_letters() -> None:
    words = common("We bought a rose and a rose. Then Rose left.", "They saw Ann. It is ann.")
    assert words.holds("Rose")  # two small, one capital
    assert not words.holds("Ann")  # one each
    assert not words.holds("Oslo")  # not there


def test_a_capital_counts_inside_a_sentence_and_outside_longer_names() -> None:
    assert common("Rose petals. Rose Hill. A rose.").holds("Rose")
    assert common("to Rose Hill, by Ann Rose. A rose.").holds("Rose")
    assert not common("with Ann, Rose, and Bob. A rose.").holds("Rose")
    assert not common('The film "Rose" is long. A rose.').holds("Rose")


def test_numbers_and_repeated_words_say_nothing() -> None:
    words = common("the diagnosis")
    assert words.holds("7 Diagnosis")
    assert words.holds("Diagnosis Diagnosis")
    assert not words.holds("Diagnosis Office")


def test_a_hyphen_joins_a_word() -> None:
    assert common("an early-stage tumor").holds("Early-stage")
    assert not common("a stage").holds("Early-stage")
    assert not common("an early-stage tumor").holds("Early-Stage")


def test_the_other_number_of_a_word_counts_if_no_sentence_has_the_word() -> None:
    assert common("a jet rose").holds("Jets")
    assert not common("a jet rose over the Jets").holds("Jets")


def test_titles_and_inner_capitals_are_names() -> None:
    words = common("a moon, a moon and an iphone", title="The Moon")
    assert not words.holds("Moon")
    assert not words.holds("iPhone")
    assert common("a moon, a moon").holds("Moon")


def test_a_stop_word_is_common_unless_a_sentence_writes_it_with_a_capital() -> None:
    assert common("Nevertheless it rained.").holds("Nevertheless")
    assert not common("Nevertheless it rained.", language="fr").holds("Nevertheless")
    assert common("Microsoft pays.").holds("Microsoft")  # in the package's English list
    assert not common("Microsoft pays. We buy from Microsoft again.").holds("Microsoft")


def test_the_mentions_of_common_words_go() -> None:
    text = "Methane is a gas. The methane of Titan freezes."
    found = extract(passage(text.partition(". ")[0]), "en")
    assert [mention.name for mention in found.mentions] == ["Methane"]
    assert common(text).without(found).mentions == ()


@given(st.lists(st.sampled_from(["A rose.", "to Rose here", "Rose, rose", "Roses"])))
def test_the_order_of_passages_does_not_matter(texts: list[str]) -> None:
    words, turned = common(*texts), common(*texts[::-1])
    for name in ("Rose", "Roses"):
        assert words.holds(name) == turned.holds(name)
