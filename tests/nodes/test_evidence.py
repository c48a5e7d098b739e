"""Evidence found for several questions, merged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.evidence import as_read, merge_by_max_score
from hopyard.state.schemas import Evidence, passage_evidence


def ranking(**scores: float) -> list[Evidence]:
    return [passage_evidence(name, score) for name, score in scores.items()]


def test_by_hand() -> None:
    found = [ranking(a=0.5, b=0.3, c=0.1), ranking(b=0.6, d=0.4), ranking()]
    assert merge_by_max_score(found, 3) == [
        passage_evidence("b", 0.6),
        passage_evidence("a", 0.5),
        passage_evidence("d", 0.4),
    ]


def test_of_equal_scores_the_first_by_name_so_that_every_run_is_the_same() -> None:
    best = merge_by_max_score([ranking(z=0.5, a=0.5), ranking(m=0.5)], 2)
    assert [unit["id"] for unit in best] == ["a", "m"]


def test_a_passage_that_scores_below_zero_counts() -> None:
    assert merge_by_max_score([ranking(a=-0.2), ranking(a=-0.5)], 5) == [
        passage_evidence("a", -0.2)
    ]


def test_nothing_found() -> None:
    assert merge_by_max_score([], 5) == []
    assert merge_by_max_score([[]], 5) == []


scored = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=1), st.floats(-1, 1), max_size=8)


@given(found=st.lists(scored, max_size=5), k=st.integers(1, 10))
def test_the_best_k_each_once_the_best_first(found: list[dict[str, float]], k: int) -> None:
    best = merge_by_max_score([ranking(**scores) for scores in found], k)
    names = [unit["id"] for unit in best]
    every = {name for scores in found for name in scores}
    assert len(names) == len(set(names)) == min(k, len(every))
    scores = [unit["score"] for unit in best]
    assert scores == sorted(scores, reverse=True)
    highest = {name: max(scores[name] for scores in found if name in scores) for name in every}
    assert all(highest[unit["id"]] == unit["score"] for unit in best)
    left_out = [score for name, score in highest.items() if name not in names]
    assert not left_out or max(left_out) <= min(scores)


def test_a_passage_that_only_summaries_lead_to_is_read_as_their_sentences() -> None:
    passages = [Passage(name, name, 0, name, f"All of {name}.", "", 3) for name in "abc"]
    summary = Evidence(
        kind="summary", id="#1-0", score=0.5, passages=["a", "b", "c"], texts=["A.", "B.", ""]
    )
    again = Evidence(kind="summary", id="#1-1", score=0.4, passages=["b"], texts=["Also B."])
    read = as_read(passages, [passage_evidence("a", 0.9), summary, again])
    assert [passage.text for passage in read] == ["All of a.", "B. Also B.", "See [2]."]
