"""An index that grew by small changes finds what a fresh index of the same documents finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from hopyard.indexes.arrays import growing
from hopyard.indexes.building import run
from hopyard.indexes.building.build import add, build, remove, vacuum
from hopyard.indexes.corpus.records import PAGE_END, Document
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.index import Index
from hopyard.indexes.kinds import dense
from hopyard.indexes.kinds.sparse import postings
from hopyard.indexes.status import check_index
from hopyard.models.embedder import Embedder
from hopyard.state.errors import UsageError

FILTERS = (
    *("year=3", "year>1", "year!=2", "place=Harbour 1", "place=harb*", "title=Report 7"),
    *("source=reports/*", "page=2", "section=Part 1", "date>=2005", "date!=2004-01", "rare=yes"),
)
WORDS = ["river", "harbour", "ship", "valley", "crew", "letter", "owner", "Amber", "Cobalt", "X-17"]


def made(number: int, version: int) -> Document:
    """A document of one to four passages on two pages."""
    random = np.random.default_rng((number, version))
    length = int(random.integers(3, 40))
    words = [WORDS[int(random.integers(len(WORDS)) * random.random())] for _ in range(length)]
    half = length // 2
    text = f"# Part {number % 3}\n\n{' '.join(words[:half])}.{PAGE_END}{' '.join(words[half:])}."
    about: dict[str, str | int] = {
        "year": int(random.integers(4)),
        "place": f"Harbour {random.integers(3)}",
        "date": f"{2000 + random.integers(9)}-01-{1 + random.integers(28):02}",
    }
    if random.random() < 0.05:
        about["rare"] = "yes"
    name = f"{'Amber' if number % 2 else 'Cobalt'}_{2000 + number % 7}"
    return Document(f"d{number:03}", f"Report {number}", text, about, f"reports/{name}.pdf")


def found(directory: Path) -> dict[str, object]:
    """The finds of an index by words, names and filters."""
    with Index.open(directory) as index:
        words, everything = index.reader("sparse"), {}
        for question in (
            *("the ship and the crew of the valley", "How was winter on Amber in 2003?"),
            *("letters of X-17", "Cobalt before 2004", "island owner", "Report 7 of Harbour 1"),
        ):
            ranking = words.rank(question)
            everything[question] = (
                [(unit["id"], unit["score"], unit.get("why")) for unit in words.find(question, 99)],
                [
                    each.tolist()
                    for each in (ranking.exact, ranking.weights, ranking.long, ranking.scores)
                ],
                words.by_words(question, 9),
                words.shares(question),
            )
        for where in FILTERS:
            try:
                everything[where] = sorted(index.allowed([where]) or ())
            except UsageError as error:
                everything[where] = str(error)
        some = index.allowed(["year>1"])
        everything["with a filter"] = words.search("ship river of Amber", 9, some)
    return everything


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_LARGE", 10)
    monkeypatch.setattr(run, "_GROWS", 10)
    monkeypatch.setattr(dense, "LARGE", 10)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(2))
async def test_random_changes(
    tmp_path: Path, embedder: Embedder, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "_CHANGED", 0.9)
    random = np.random.default_rng(seed)
    held = {number: made(number, 0) for number in range(0, 240, 2)}
    grown, where = tmp_path / "grown", {"embedder": embedder, "chunk_tokens": 12}
    await build(held.values(), directory=grown, **where)
    for version in range(1, 5):
        changed = {
            int(number): made(int(number), version) for number in random.integers(240, size=3)
        }
        held |= changed
        await add(changed.values(), directory=grown, embedder=embedder)
        gone = [int(number) for number in random.choice([*held], size=2, replace=False)]
        if version % 2:
            held = {number: each for number, each in held.items() if number not in gone}
            await remove([f"d{number:03}" for number in gone], directory=grown)
    files = {file.name for file in (sorted(grown.glob("gen-*"))[-1] / "sparse").iterdir()}
    assert {"later-terms.npy", "later-names.npy", "later-lengths.npy"} <= files
    check_index(grown)
    fresh = tmp_path / "fresh"
    await build(held.values(), directory=fresh, **where)
    now, expected = found(grown), found(fresh)
    for asked, answer in expected.items():
        assert now[asked] == answer, asked


def counting(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many passages were cut into terms since the last call."""
    counted = [0]
    terms = postings._terms

    def told(texts: Sequence[str], words: postings.Words) -> list[list[str]]:
        counted[0] += len(texts)
        return terms(texts, words)

    def since() -> int:
        count, counted[0] = counted[0], 0
        return count // 5  # fields

    monkeypatch.setattr(postings, "_terms", told)
    return since


@pytest.mark.usefixtures("small")
async def test_a_small_change_reads_only_itself(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = counting(monkeypatch)
    await build([made(number, 0) for number in range(99)], directory=tmp_path, embedder=embedder)
    assert read() >= 99

    def nothing(*_: object) -> None:
        raise AssertionError("all passages are read")

    monkeypatch.setattr(Snapshot, "places", nothing)
    for name in ("passages", "outlines"):
        whole = getattr(Snapshot, name)
        monkeypatch.setattr(
            Snapshot,
            name,
            lambda corpus, only=None, whole=whole: (
                nothing() if only is None else whole(corpus, only)
            ),
        )
    await add([made(200, 0), made(5, 1)], directory=tmp_path, embedder=embedder)
    assert read() == 2
    await remove(["d007"], directory=tmp_path)
    assert read() == 0
    first, later = (tmp_path / f"gen-{number:07}" for number in (2, 3))
    for file in ("sparse/terms-keys.npy", "sparse/names-keys.npy", "fields/values-keys.npy"):
        assert (first / file).samefile(later / file)


@pytest.mark.usefixtures("small")
async def test_after_a_tenth_all_is_built_again(tmp_path: Path, embedder: Embedder) -> None:
    await build([made(number, 0) for number in range(99)], directory=tmp_path, embedder=embedder)
    await add(
        [made(number, 0) for number in range(100, 106)], directory=tmp_path, embedder=embedder
    )
    assert list(tmp_path.glob("gen-*2/*/later-*"))
    await add(
        [made(number, 0) for number in range(106, 112)], directory=tmp_path, embedder=embedder
    )
    assert not list(tmp_path.glob("gen-*3/*/later-*"))


@pytest.mark.usefixtures("small")
async def test_vacuum_deletes_the_words_of_removed_passages(
    tmp_path: Path, embedder: Embedder
) -> None:
    secret = Document(
        "payroll", "Quimby", "Zorbland Quimby.", {"team": "Osklane"}, "pay/quimby.pdf"
    )
    others = [made(number, 0) for number in range(99)]
    await build([*others[:98], secret], directory=tmp_path, embedder=embedder)

    def keeping() -> set[str]:
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        texts = {f"{file.parent.name}/{file.name}": file.read_bytes().lower() for file in files}
        secrets = (b"zorbland", b"quimb", b"osklane", b"payroll")
        return {name for name, text in texts.items() if any(word in text for word in secrets)}

    await remove(["payroll"], directory=tmp_path)
    await add([others[98]], directory=tmp_path, embedder=embedder)
    await add([made(120, 0)], directory=tmp_path, embedder=embedder)
    assert keeping() == {"sparse/terms.npy", "sparse/names.npy", "fields/values.npy"}
    before = found(tmp_path)
    with Index.open(tmp_path) as index, pytest.raises(UsageError, match="has the field 'team'"):
        index.allowed(["team=Osklane"])
    await vacuum(directory=tmp_path)
    assert not keeping()
    assert found(tmp_path) == before
