"""Which phrases come back often enough to be terms, worked out by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import Mention
from hopyard.indexes.kinds.entity_graph.find.rules import extract, extract_with_phrases
from hopyard.indexes.text.terms import choose_terms, term_of

LYMPH = ("lymph", "node")


def test_a_phrase_of_several_words_is_a_term_in_two_passages() -> None:
    once = [[LYMPH, LYMPH], [("bone", "marrow")]]
    assert choose_terms(once) == frozenset()
    assert choose_terms([*once, [("nearby", *LYMPH)]]) == {LYMPH}


def test_a_rare_phrase_is_the_term_that_it_ends_with() -> None:
    terms = frozenset({LYMPH, ("swollen", *LYMPH)})
    assert term_of(("very", "swollen", *LYMPH), terms) == ("swollen", *LYMPH)
    assert term_of(("nearby", *LYMPH), terms) == LYMPH
    assert term_of(("node",), terms) == ()


def test_a_single_word_is_a_term_as_part_of_three_others() -> None:
    biopsies = [("needle", "biopsy"), ("skin", "biopsy"), ("liver", "biopsy")]
    two, three = ([[phrase] for phrase in biopsies[:number] * 2] for number in (2, 3))
    assert ("biopsy",) not in choose_terms(two)
    assert choose_terms(three) == {*biopsies, ("biopsy",)}


def test_a_single_word_that_stands_everywhere_is_no_term() -> None:
    phrases = [("skin", "cancer"), ("lung", "cancer"), ("rare", "cancer")]
    passages = [[*phrases] for _ in range(21)]
    assert ("cancer",) not in choose_terms(passages)
    assert ("cancer",) in choose_terms(passages[:20])


@given(st.lists(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple))))
def test_the_order_of_passages_does_not_matter(passages: list[list[tuple[str, ...]]]) -> None:
    assert choose_terms(passages) == choose_terms(passages[::-1])


def test_common_words_with_a_capital_are_no_names() -> None:
    text = "Treatment options. The drug Imatinib stops the growth signals. 14 Key points."
    passage = Passage("p", "d", 0, "", text, "hash", 1)
    assert {mention.name for mention in extract(passage, "en").mentions} >= {"Imatinib"}
    found = extract_with_phrases(passage, "en")
    assert {mention.name for mention in found.mentions} == {"Imatinib"}
    assert Mention(name="growth signal", sentence=1) in found.phrases
    assert extract_with_phrases(passage, "de").phrases == ()
