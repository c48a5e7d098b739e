from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.classifiers.labels import Label
from hopyard.classifiers.manifest import TrainSettings
from hopyard.classifiers.retrieval_gate import RetrievalGate, decide
from hopyard.classifiers.t5 import T5Scorer, load_network, split_labels
from hopyard.classifiers.train import Trained
from hopyard.classifiers.train import train_gate as train_with
from hopyard.measures.nearness import Nearness
from hopyard.models.builtin.minilm import MiniLMEmbedder
from hopyard.models.embedder import Vector
from hopyard.state.errors import GateUnavailableError, ModelUnreachableError, UsageError
from hopyard.state.settings.fields import GateSettings

from .conftest import separable

Made = tuple[Path, Trained]
QUESTIONS = ("Hello!", "Who wrote the anthem of Hungary?", "12 + 30?")
THREADS = 8


def silent(stage: str, done: int, total: int) -> None:
    pass


@cache
def minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


def embed(question: str, model: str) -> Vector:
    assert model == "builtin:e5"
    return minilm().embed_query(question)


def load_gate(folder: Path) -> RetrievalGate:
    return RetrievalGate.load(folder, embed)


def train_gate(rows: Sequence[Label], settings: TrainSettings, folder: Path) -> Trained:
    return train_with(rows, settings, folder, embed=embed, progress=silent)


def saved_t5(folder: Path) -> None:
    """A language model of the T5 family as a hub keeps it: no classifier, a unigram tokenizer."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    torch.manual_seed(3)
    letters = "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ?!."
    pieces = [
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        *((letter, -3.0) for letter in letters),
    ]
    tokenizer = T5Tokenizer(vocab=pieces, extra_ids=4)
    tokenizer.save_pretrained(folder)
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=16,
        num_heads=2,
        d_ff=32,
        num_layers=1,
        decoder_start_token_id=0,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TrainSettings:
    folder = tmp_path_factory.mktemp("t5")
    saved_t5(folder)
    return TrainSettings(base=str(folder), validation=0.5, cost_ratio=1.0, epochs=30, rate=3e-3)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tiny: TrainSettings) -> Made:
    folder = tmp_path_factory.mktemp("gate") / "gate"
    return folder, train_gate(separable(), tiny, folder)


def test_a_gate_learns_and_says_the_same_after_loading(made: Made, tiny: TrainSettings) -> None:
    folder, trained = made
    gate = load_gate(folder)
    _, held_out = split_labels(
        [row for row in separable() if row.label is not None], tiny.validation, tiny.seed
    )
    assert trained.labels == [row.label for row in held_out]
    assert trained.manifest.validation["auroc"] == 1
    assert gate.probability("Hello Karl") < gate.probability("When was Karl Street opened?")
    assert gate.decide("When was Karl Street opened?", GateSettings()).retrieve
    assert not gate.decide("Hello Karl", GateSettings()).retrieve
    assert isinstance(gate.scorer, T5Scorer)
    names = {file.name for file in folder.iterdir()}
    assert names == {"config.json", "gate.json", "model.safetensors", "tokenizer.json"}


def test_a_head_over_sentence_vectors_learns_and_says_the_same_after_loading(
    tmp_path: Path,
) -> None:
    trained = train_gate(separable(), TrainSettings(), tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {"gate.json", "head.npy", "words.json"}
    gate = load_gate(tmp_path)
    assert gate.probability("Hello Karl") < 0.25 < gate.probability("When was Karl Street opened?")
    assert trained.manifest.validation["auroc"] == 1
    assert trained.manifest.threshold == pytest.approx(1 / 4)
    again = train_gate(separable(), TrainSettings(), tmp_path / "again")
    assert again.probabilities == trained.probabilities


def test_the_nearness_is_learned_beside_the_question(tmp_path: Path) -> None:
    """The same words need a document where the corpus is near."""
    rows = [
        row.model_copy(
            update={
                "question": "Tell me about it",
                "nearness": Nearness(0.7 if row.label else 0.2),
            }
        )
        for row in separable()
    ]
    train_gate(rows, TrainSettings(), tmp_path)
    gate = load_gate(tmp_path)
    near, far = Nearness(cosine=0.7), Nearness(cosine=0.2)
    assert gate.probability("Tell me about it", far) < 0.3
    assert gate.probability("Tell me about it", near) > 0.7
    assert list(gate.manifest.nearness) == ["cosine"]
    mean = gate.manifest.nearness["cosine"][1]
    unmeasured = gate.probability("Tell me about it")
    assert unmeasured == pytest.approx(gate.probability("Tell me about it", Nearness(mean)))


def test_padding_changes_nothing_and_long_questions_are_cut(made: Made) -> None:
    gate = load_gate(made[0])
    short, long = "Hello", "When was the street opened " * 200
    alone = [*gate.scorer.scores([short]), *gate.scorer.scores([long])]
    assert gate.scorer.scores([short, long]) == pytest.approx(alone, abs=1e-4)


def test_the_same_seed_makes_the_same_gate(tiny: TrainSettings, tmp_path: Path) -> None:
    settings = tiny.model_copy(update={"epochs": 2})
    [first, other] = [train_gate(separable(), settings, tmp_path / name) for name in "ab"]
    assert first.probabilities == other.probabilities
    for name in ("bias", "score", "validation"):
        assert getattr(first.manifest, name) == getattr(other.manifest, name)
    losses = [made.manifest.training["validation_losses"] for made in (first, other)]
    assert losses[0] == losses[1]


def test_an_empty_class_is_refused_before_anything_is_written(
    tiny: TrainSettings, tmp_path: Path
) -> None:
    rows = [row for row in separable() if row.label != 0]
    with pytest.raises(UsageError, match="that need no retrieval"):
        train_gate(rows, tiny, tmp_path / "gate")
    assert not (tmp_path / "gate").exists()


def test_a_t5_needs_enough_questions_for_its_validation_split(
    tiny: TrainSettings, tmp_path: Path
) -> None:
    settings = tiny.model_copy(update={"validation": 0.25})
    with pytest.raises(UsageError, match="needs at least 20"):  # five in a quarter
        train_gate(separable(), settings, tmp_path / "gate")
    assert not (tmp_path / "gate").exists()


def test_a_t5_by_name_is_trained_at_the_papers_rate(tiny: TrainSettings, tmp_path: Path) -> None:
    network = load_network(tiny.base)
    assert network.tokenizer.encode("a b").ids[-1] == network.model.config.eos_token_id
    settings = TrainSettings(base=tiny.base, validation=0.5, epochs=1)
    trained = train_gate(separable(), settings, tmp_path / "gate")
    assert trained.manifest.training["settings"]["rate"] == 5e-5
    assert 0 <= load_gate(tmp_path / "gate").probability("Hello?") <= 1
    with pytest.raises(ModelUnreachableError, match="--base vector"):
        load_network(str(tmp_path / "gone"))


def test_of_many_that_load_a_t5_at_once_each_gets_its_weights(made: Made) -> None:
    folder = made[0]
    expected = T5Scorer.load(folder).scores(QUESTIONS)
    together = Barrier(THREADS + 1)

    def asked(_: int) -> list[float]:
        together.wait()
        return T5Scorer.load(folder).scores(QUESTIONS)

    def embedded() -> int:
        together.wait()
        return MiniLMEmbedder().embed_query("one").shape[0]

    with ThreadPoolExecutor(THREADS + 1) as pool:
        vector = pool.submit(embedded)
        answers = list(pool.map(asked, range(THREADS)))
    assert vector.result() == MiniLMEmbedder.dimension
    assert answers == [expected] * THREADS


@pytest.mark.parametrize("name", ["gate.json", "model.safetensors", "tokenizer.json"])
def test_a_damaged_gate_is_named(made: Made, tmp_path: Path, name: str) -> None:
    for file in made[0].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / name).write_text("damaged")
    with pytest.raises(GateUnavailableError, match="hopyard gate train"):
        load_gate(tmp_path)


def test_a_gate_of_another_format_is_named(made: Made, tmp_path: Path) -> None:
    for file in made[0].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((tmp_path / "gate.json").read_text())
    (tmp_path / "gate.json").write_text(json.dumps({**manifest, "format": 99}))
    with pytest.raises(GateUnavailableError, match="another version"):
        load_gate(tmp_path)


@pytest.mark.parametrize(
    ("probability", "settings", "retrieve", "reason"),
    [
        (0.1, GateSettings(), False, "below 0.20"),
        (0.2, GateSettings(), True, "unsure"),
        (0.5, GateSettings(), True, "unsure"),
        (0.6, GateSettings(), True, "above 0.50"),
        (0.3, GateSettings(unsure_from=0.4, unsure_to=0.9), False, "below 0.40"),
        (0.8, GateSettings(unsure_from=0.4, unsure_to=0.9), True, "unsure (0.40 to 0.90)"),
        (0.15, GateSettings(unsure_to=0.1), True, "above 0.10"),
        (0.05, GateSettings(unsure_to=0.1), False, "below 0.10"),
    ],
)
def test_an_unsure_gate_retrieves(
    probability: float, settings: GateSettings, retrieve: bool, reason: str
) -> None:
    found = decide(probability, 0.2, settings)
    assert found.retrieve is retrieve
    assert reason in found.reason


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_question_that_needs_it_more_is_never_retrieved_for_less(
    first: float, other: float, threshold: float, unsure_to: float
) -> None:
    settings = GateSettings(unsure_to=unsure_to)
    low, high = sorted((first, other))
    assert decide(low, threshold, settings).retrieve <= decide(high, threshold, settings).retrieve
