from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.entity_graph.resolve.merging import Merge, merge_names
from hopyard.indexes.kinds.entity_graph.resolve.synonyms import find_synonyms

# Two topics, and one between them: its cosine with each is 0.7071.
TOPICS = np.array([(1, 0), (0, 1), (0.5**0.5, 0.5**0.5)], dtype=np.float32)
Mentions = Sequence[tuple[str, int]]
"""A name and the topic of the passage that mentions it."""


def merges(
    mentions: Mentions,
    vectors: dict[str, tuple[float, float]] | None = None,
    alone: frozenset[str] = frozenset(),
    homonyms: frozenset[str] = frozenset(),
) -> list[Merge]:
    """Merge names; every mention is in a passage of its own, and all names are near by default."""
    names = sorted({name for name, _ in mentions}, key=str.encode)
    near = np.array([(vectors or {}).get(name, (1.0, 0.0)) for name in names], dtype=np.float32)
    pairs = np.array([(names.index(name), row) for row, (name, _) in enumerate(mentions)])
    passages = TOPICS[[topic for _, topic in mentions]]
    neighbours = find_synonyms(names, near)
    return merge_names(names, near, pairs, passages, neighbours, alone=alone, homonyms=homonyms)


def into(found: list[Merge]) -> dict[str, str]:
    return {merge.name: merge.into for merge in found}


def test_the_record_of_a_merge() -> None:
    [merge] = merges(
        [("kim jong-un", 0), ("kim jong un", 2), ("kim jong un", 2)],
        {"kim jong-un": (0.96, 0.28)},
    )
    assert merge == Merge(
        name="kim jong-un", into="kim jong un", similarity=0.96, context=0.7071, reason="spelling"
    )
    assert Merge.model_validate_json(merge.model_dump_json()) == merge


def test_a_tie_goes_to_the_first_name() -> None:
    assert into(merges([("québec", 0), ("quebec", 0)])) == {"québec": "quebec"}


def test_unlike_contexts_keep_names_apart() -> None:
    """KSC: the Kennedy Space Center, and the Communist Party of Czechoslovakia."""
    assert merges([("ksc", 0), ("ksč", 1)]) == []
    assert into(merges([("ksc", 0), ("ksč", 2)])) == {"ksč": "ksc"}


def test_a_shortened_name_needs_more_of_context_and_of_vectors() -> None:
    mentions = [("j smith", 0), ("john smith", 0)]
    assert into(merges(mentions)) == {"john smith": "j smith"}
    far = {"j smith": (0.6, 0.8)}
    assert merges(mentions, far) == []
    # 0.25 is enough for the same words, not for initials.
    contexts = [("j smith", 0), ("john smith", 1), ("john smith", 1), ("john smith", 1)]
    contexts += [("john smith", 0)]  # 1 / sqrt(1 + 9) = 0.316
    assert merges(contexts) == []


def test_names_of_one_passage_may_be_less_near() -> None:
    names = ["national hockey league", "nhl"]
    vectors = np.array([(1, 0), (0.65, 0.76)], dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    neighbours = find_synonyms(names, vectors)
    assert len(neighbours) == 0
    together, alone = np.array([(0, 0), (1, 0)]), np.array([(0, 0), (1, 1)])
    found = merge_names(names, vectors, together, TOPICS, neighbours)
    assert into(found) == {"nhl": "national hockey league"}
    assert merge_names(names, vectors, alone, TOPICS[[0, 0]], neighbours) == []


def test_a_name_that_fits_two_is_merged_with_neither() -> None:
    john, jane = ("john smith", 0), ("jane smith", 0)
    assert merges([("j smith", 0), john, jane]) == []
    # Two variants of one name are no two names.
    assert into(merges([("j smith", 0), john, john, ("john-smith", 0)])) == {
        "j smith": "john smith",
        "john-smith": "john smith",
    }


def test_no_chains() -> None:
    """Van Deursen and Van Dusen differ by two letters, and Van Deusen is between them."""
    found = merges([("van deursen", 0)] * 3 + [("van deusen", 0)] * 2 + [("van dusen", 0)])
    assert into(found) == {"van deusen": "van deursen"}


def test_a_name_is_merged_with_the_entity_of_all_its_variants() -> None:
    mentions = [("québec", 0), ("quebec", 0), ("quebec", 0), ("quebeç", 0), ("quebeç", 0)]
    assert into(merges(mentions)) == {"québec": "quebec", "quebeç": "quebec"}


def test_names_that_take_no_part() -> None:
    mentions = [("québec", 0), ("quebec", 0), ("j smith", 0), ("john smith", 0)]
    alone = frozenset({"quebec"})
    assert into(merges(mentions, alone=alone)) == {"john smith": "j smith"}
    homonyms = frozenset({"john smith", "quebec"})
    assert into(merges(mentions, homonyms=homonyms)) == {"québec": "quebec"}


def test_a_name_without_a_mention_has_no_context() -> None:
    vectors = TOPICS[[0, 0]]
    neighbours = find_synonyms(["quebec", "québec"], vectors)
    nowhere = np.empty((0, 2), np.int64)
    assert merge_names(["quebec", "québec"], vectors, nowhere, TOPICS, neighbours) == []


WORDS = ["john smith", "j smith", "john henry smith", "john-smith", "johnn smith", "sir john smith"]
WORDS += ["henry 2", "henry ii", "henry iii", "ii henry", "henry"]


@given(
    mentions=st.lists(
        st.tuples(st.sampled_from(WORDS), st.integers(0, 2)), min_size=1, max_size=14
    ),
    data=st.data(),
)
def test_properties(mentions: Mentions, data: st.DataObject) -> None:
    found = merges(mentions)
    target = into(found)
    assert len(target) == len(found)
    assert not set(target) & set(target.values())
    assert merges(data.draw(st.permutations(mentions))) == found
    entity = {name: target.get(name, name) for name, _ in mentions}
    counts = {name: sum(name == each for each, _ in mentions) for name in entity}
    for merge in found:
        assert counts[merge.into] >= counts[merge.name]
        assert ("henry iii" in (merge.name, merge.into)) is False


@pytest.mark.parametrize("topic", [0, 1])
def test_a_repeated_mention_counts_once_for_the_context(topic: int) -> None:
    """A mean over passages: three mentions in one passage say no more of the context than one."""
    names = ["quebec", "québec"]
    vectors = TOPICS[[0, 0]]
    mentions = np.array([(0, topic)] * 3 + [(0, 1 - topic), (1, 0)])
    [merge] = merge_names(names, vectors, mentions, TOPICS, find_synonyms(names, vectors))
    assert merge.context == pytest.approx(0.7071)
