from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hopyard.classifiers.manifest import TrainSettings
from hopyard.classifiers.t5 import Network, T5Scorer, load_network, train_t5
from lab.distil_t5 import distil, held_out_cosine, lines_of
from lab.gate_questions import WRITTEN
from lab.small_t5 import make_network, save_base
from lab.sources import read_source
from lab.tests.gate_labels import separable

LINES = [f"{word} {number}" for word in ("red", "blue") for number in range(8)]
WANTED = np.array([[1, 0, 0]] * 8 + [[0, 0.6, 0.8]] * 8, dtype=np.float32)


def tiny() -> Network:
    return make_network(
        LINES * 2, dropout=0.0, seed=3, vocabulary=64, width=32, layers=1, outputs=3
    )


@pytest.fixture(scope="module")
def distilled() -> Network:
    network = tiny()
    list(distil(network, LINES, WANTED, epochs=30, batch=4, rate=3e-3, seed=1))
    return network


def test_the_outputs_turn_to_the_wanted_vectors(distilled: Network) -> None:
    assert held_out_cosine(tiny(), LINES, WANTED) < 0.6
    assert held_out_cosine(distilled, LINES, WANTED) > 0.98
    assert held_out_cosine(distilled, LINES, WANTED[::-1].copy()) < 0.2


def test_progress_is_reported_to_the_last_step() -> None:
    found = list(distil(tiny(), LINES, WANTED, epochs=2, batch=6, rate=1e-3, seed=1, every=4))
    assert [(step, total) for step, total, _ in found] == [(4, 6), (6, 6)]
    assert all(0 < loss < 2 for _, _, loss in found)


def test_the_word_pieces_keep_their_vectors(distilled: Network) -> None:
    pieces = distilled.model.transformer.shared.weight
    assert pieces.tolist() == tiny().model.transformer.shared.weight.tolist()
    assert pieces.requires_grad


def test_a_seed_gives_the_same_weights() -> None:
    losses = []
    for _ in range(2):
        steps = distil(tiny(), LINES, WANTED, epochs=1, batch=4, rate=1e-3, seed=5)
        losses.append([loss for *_, loss in steps])
    assert losses[0] == losses[1]


def test_a_gate_starts_from_all_but_the_output_layer(distilled: Network, tmp_path: Path) -> None:
    save_base(distilled, tmp_path / "base")
    base = load_network(str(tmp_path / "base"))
    loaded, kept = base.model.state_dict(), distilled.model.state_dict()
    same = {name for name in loaded if loaded[name].tolist() == kept[name].tolist()}
    output = {f"classification_head.out_proj.{part}" for part in ("weight", "bias")}
    assert set(loaded) - same == output
    assert loaded["classification_head.out_proj.weight"].shape == (1, 32)
    text = "Blue 7, red? "
    assert base.tokenizer.encode(text).ids == distilled.tokenizer.encode(text).ids
    settings = TrainSettings(base=str(tmp_path / "base"), epochs=40, rate=3e-3)
    train_t5(separable(), separable(), settings, tmp_path / "gate", lambda *_: None)
    red, blue = T5Scorer.load(tmp_path / "gate").scores(["red 3", "blue 3"])
    assert red < blue


def test_held_out_questions_and_their_passages_are_not_read(tmp_path: Path) -> None:
    hidden = "the qwertz text that answers the held out question is here to be kept away"
    base = {"answers": ["x"], "type": "single"}
    questions = [
        {**base, "id": "t", "question": "What is free?", "split": "train", "supporting_ids": ["p"]},
        {**base, "id": "d", "question": "What is quux?", "split": "dev", "supporting_ids": ["q"]},
        {**base, "id": "c", "question": "what is QUUX", "split": "train", "supporting_ids": ["p"]},
    ]
    corpus = [
        {"id": "p", "title": "", "text": "An open passage is this one. U.S. It has two sentences."},
        {"id": "q", "title": "", "text": f"{hidden}."},
        {"id": "r", "title": "", "text": f"Copied: {hidden}, as one sees."},
    ]
    for name, rows in (("questions", questions), ("corpus", corpus)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    lines = lines_of([read_source(tmp_path)], 1)
    assert {"What is free", "An open passage is this one", "It has two sentences"} <= set(lines)
    assert not [line for line in lines if "quux" in line.lower() or "qwertz" in line]
    everyday = (WRITTEN / "train_everyday.jsonl").read_text().splitlines()
    assert json.loads(everyday[0])["question"].rstrip(" ?.") in lines
    assert len(lines) == len(set(lines))
    assert lines == lines_of([read_source(tmp_path)], 1) != lines_of([read_source(tmp_path)], 2)
