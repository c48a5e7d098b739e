from __future__ import annotations

import math
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.kinds.sparse.scores import best_rows
from hopyard.indexes.kinds.sparse.words import Words
from hopyard.state.errors import IndexMissingError

TEXTS = {
    "p1": "The river runs through the valley",
    "p2": "Rivers and mountains",
    "p3": "A singer from the mountains",
    "p4": "Rivers and mountains",
}


@pytest.fixture
def index() -> SparseIndex:
    return SparseIndex.build(list(TEXTS), [(text,) for text in TEXTS.values()])


def test_words_are_stemmed_and_stop_words_dropped() -> None:
    assert Words().of(["The rivers were RUNNING", ""]) == [["river", "were", "run"], []]


def test_scores_are_lucenes_bm25_by_hand(index: SparseIndex) -> None:
    # "singer" is in one text of four, which has two words ("from" counts) of a mean of 2.5.
    length = len(Words().of([TEXTS["p3"]])[0])
    mean = sum(len(text) for text in Words().of(list(TEXTS.values()))) / 4
    idf = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 1 / (1 + 1.5 * (1 - 0.75 + 0.75 * length / mean))

    ((name, score),) = index.search("singers", 5)

    assert name == "p3"
    assert score == pytest.approx(expected)
    assert type(score) is float


def test_numbers_make_a_passage_no_longer() -> None:
    texts = [("rent paid",), ("rent paid 2021 1,577 12.5 88",), ("rent paid by the harbour",)]
    plain, row, longer = (
        score for _, score in sorted(SparseIndex.build(["a", "b", "c"], texts).search("rent", 3))
    )
    assert plain == row > longer


def test_a_long_gap_takes_no_longer_than_its_length() -> None:
    began = process_time()
    assert Words().terms([f"rent{' ' * 100_000}\n{' ' * 100_000}paid"]) == [["rent", "paid"]]
    assert process_time() - began < 5


def test_equal_scores_go_by_id_and_k_cuts(index: SparseIndex) -> None:
    assert [name for name, _ in index.search("rivers mountains", 2)] == ["p2", "p4"]


def test_only_passages_that_share_a_word(index: SparseIndex) -> None:
    assert {name for name, _ in index.search("valley singer", 10)} == {"p1", "p3"}


@pytest.mark.parametrize("query", ["", "the of and", "zyzzyva", "?!"])
def test_a_query_without_known_words_finds_nothing(index: SparseIndex, query: str) -> None:
    assert index.search(query, 5) == []


def test_save_and_load_without_pickle(index: SparseIndex, tmp_path: Path) -> None:
    index.save(tmp_path)

    loaded = SparseIndex.load(tmp_path)

    assert loaded.search("river valley", 5) == index.search("river valley", 5)
    assert {file.suffix for file in tmp_path.iterdir()} == {".npy", ".json"}


def test_the_same_texts_give_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        SparseIndex.build(list(TEXTS), [(text,) for text in TEXTS.values()]).save(tmp_path / name)

    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_equals_of_the_last_hit_are_chosen_by_row() -> None:
    scores = np.array([0.5, 0, 2, 1, 1, 1, 3, 1], dtype=np.float64)
    for k, rows in [
        (0, []),
        (1, [6]),
        (3, [6, 2, 3]),
        (4, [6, 2, 3, 4]),
        (9, [6, 2, 3, 4, 5, 7, 0]),
    ]:
        assert best_rows(scores, k).tolist() == rows


def test_texts_without_a_single_word(tmp_path: Path) -> None:
    SparseIndex.build(["a", "b"], [("?",), ("of the",)]).save(tmp_path)

    assert SparseIndex.load(tmp_path).search("of ?", 5) == []
    assert SparseIndex.load(tmp_path).search("word", 5) == []


@pytest.mark.parametrize(
    "name",
    ["terms-numbers.npy", "lengths.npy", "terms.npy", "terms-bounds.npy", "ids.npy", "words.json"],
)
@pytest.mark.parametrize("content", [None, b"", b"[]"])
def test_damaged_files(
    index: SparseIndex, tmp_path: Path, name: str, content: bytes | None
) -> None:
    index.save(tmp_path)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(content)

    with pytest.raises(IndexMissingError, match="hopyard index build"):
        SparseIndex.load(tmp_path)


def test_words_that_only_ask_weigh_less_unless_a_question_has_no_others() -> None:
    assert Words("en").asked("Which town is named Ash?") == {
        "which": 0.3,
        "town": 1.0,
        "name": 0.3,
        "ash": 1.0,
    }
    assert Words("en").asked("Who named whom?") == {"who": 1.0, "name": 1.0, "whom": 1.0}
