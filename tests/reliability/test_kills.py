"""SIGKILL at a random moment: nothing is lost, nothing finished is paid for twice."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Ended, Zygote
from model_server import ModelServer

from hopyard.indexes.corpus.manifest import find_manifest
from hopyard.indexes.index import Index

from ..graphs.script import full_tree, said
from ..indexes.kinds.passage_graph.script import people
from .conftest import EMBEDDING, Everything
from .extent import LONG, report, seeds
from .kills import Subject, kill_and_go_on, undisturbed

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="SIGKILL and /proc"),
    pytest.mark.timeout(0 if LONG else 180),
]

ASKED = ("When was the Iron Bridge opened?", "Who cast its ribs?", "Where is the Danube?")
TREE, HOP, GLOBAL = "All?", "When was the Iron Bridge opened?", "What about bridges?"
MODELS = ("--model", "openai:scripted", "--embedding", EMBEDDING)
SMALL = ("--set", "tree.max_depth=2", "--set", "concurrency=4", "-k", "2")


def _answer(ended: Ended, folder: Path) -> dict[str, Any]:
    """All that `ask --json` prints but names, times, and what the ledger answered."""
    result: dict[str, Any] = ended.json
    usage = {key: result["usage"][key] for key in ("model_calls", "input_tokens", "output_tokens")}
    return {**result, "thread_id": "", "usage": usage}


def _index_files(ended: Ended, folder: Path) -> dict[str, Any]:
    """Every derived file, byte for byte, but for the ones that hold names of runs and times."""
    # A kill may come after the manifest: then there is nothing left to add.
    report = ended.json["documents"]
    assert report["added"] + report["unchanged"] == len(people(6))
    directory = folder / "index"
    manifest = find_manifest(directory)
    assert manifest is not None
    [generation] = directory.glob("gen-*")
    with Index.open(directory) as opened:
        passages = list(opened.corpus.passages())
        vectors = opened.corpus.vectors(EMBEDDING)[1].tobytes()
    files = {
        name: (generation / name).read_bytes()
        for name in manifest.files
        if not name.endswith("stats.json")
    }
    return {"passages": passages, "vectors": vectors, "counts": manifest.counts, **files}


def _records(ended: Ended, folder: Path) -> list[Any]:
    """Every record, without times and without what the ledger answered."""
    records = _lines(folder / "eval" / "records.jsonl")
    assert len(records) == 2 * len(ASKED)
    return sorted(
        [each["question_id"], each["strategy"], each["answer"], each["steps"], each["evidence"]]
        for each in records
    )


def _labels(ended: Ended, folder: Path) -> list[Any]:
    """Every label, without times."""
    labels = _lines(folder / "labels.jsonl")
    assert len(labels) == len(ASKED)
    timeless = [{key: each[key] for key in each if key != "seconds"} for each in labels]
    return sorted(timeless, key=lambda each: str(each["id"]))


def _lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def _index_opens(folder: Path) -> None:
    directory = folder / "index"
    if directory.exists() and find_manifest(directory) is not None:
        Index.open(directory).close()


@pytest.fixture
def make_subject(
    index: Path, communities: Path, tmp_path: Path, model_server: ModelServer
) -> Callable[[str], Subject]:
    """The commands that are killed, by name."""
    model_server.answer = everything = Everything()
    everything.lines = full_tree(TREE, 2)
    everything.lines |= {("read", each): said("1781") for each in ASKED}
    everything.lines["route", TREE] = {"strategy": "tree"}
    everything.useful = {"Which river does the Iron Bridge cross?": "necessary"}
    model_server.delay = 0.01
    corpus = tmp_path / "corpus.jsonl"
    lines = [{"id": each.id, "title": each.title, "text": each.text} for each in people(6)]
    corpus.write_text("\n".join(map(json.dumps, lines)))

    def ask(question: str, name: str, index: Path = index, *settings: str) -> Subject:
        arguments = ("ask", question, "-s", name, "-t", "t", "-i", str(index), *MODELS, *SMALL)
        arguments += settings
        resumed = ("resume", "t", "--json")
        return Subject(name, (*arguments, "--json"), _answer, 4, resumed)

    build = ("index", "build", str(corpus), "--out", "{folder}/index", "--chunk-tokens", "0")
    build += ("--with", "dense,sparse,passage-graph", "--set", "concurrency=2", "--json")
    questions = tmp_path / "questions.jsonl"
    asked = [{"id": str(n), "question": each, "answers": ["1781"]} for n, each in enumerate(ASKED)]
    questions.write_text("\n".join(map(json.dumps, asked)))
    evaluate = ("eval", str(questions), "-i", str(index), "-s", "single,tree")
    evaluate += ("--out", "{folder}/eval", *SMALL[:-2], "--json")
    label = ("gate", "label", str(questions), "-i", str(index), "--out", "{folder}/labels.jsonl")
    label += ("--value", "answer-f1", *SMALL[:-2])
    label += ("--set", "retrieval.k=2", "--json")
    subjects = {
        "tree": ask(TREE, "auto"),
        "hop": ask(HOP, "hop"),
        "global": ask(GLOBAL, "global", communities, "--set", "global.window=1"),
        "build": Subject("build", (*build, *MODELS), _index_files, 2, readable=_index_opens),
        "eval": Subject("eval", (*evaluate, *MODELS), _records, 4),
        "label": Subject("label", (*label, *MODELS), _labels, 4),
    }
    return subjects.__getitem__


@pytest.mark.parametrize(
    ("name", "kills"),
    [("tree", 2), ("build", 2), ("eval", 1)]
    # The contract of strategies stops every graph between its nodes.
    + [("hop", 2), ("global", 2), ("label", 1)] * LONG,
)
def test_a_killed_command_goes_on(
    name: str,
    kills: int,
    make_subject: Callable[[str], Subject],
    zygote: Zygote,
    model_server: ModelServer,
    tmp_path: Path,
) -> None:
    subject, done = make_subject(name), 0
    wanted = undisturbed(subject, zygote, model_server, tmp_path)
    for seed in seeds(2 * kills, 400, share=0.15):
        done += kill_and_go_on(subject, wanted, zygote, model_server, tmp_path, seed)
        report(kills=done)
        if done >= (100 if LONG else kills):
            break
    assert done >= kills
