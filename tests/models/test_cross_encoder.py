"""Cross-encoders: what a pair's score depends on, and a hub that does not answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hopyard.models import cross_encoder
from hopyard.models.builtin.minilm import MiniLMEmbedder
from hopyard.models.cross_encoder import PairScorer
from hopyard.state.errors import ModelUnreachableError

QUESTION = "When was the Iron Bridge opened?"


def test_a_pairs_score_does_not_depend_on_its_batch(tiny_cross_encoder: Path) -> None:
    scorer = PairScorer(str(tiny_cross_encoder))
    texts = ["The Iron Bridge was opened in 1781.", "Gardens need water."]
    both = scorer.scores(QUESTION, texts)
    alone = [scorer.scores(QUESTION, [text])[0] for text in texts]
    assert both == pytest.approx(alone, abs=1e-5)
    assert both[0] != both[1]
    assert scorer.scores(QUESTION, []) == []


def test_a_hub_that_does_not_answer_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(name: str) -> None:
        asked.append(name)
        raise ConnectionError("no route to host")

    monkeypatch.setattr(cross_encoder, "_look_for", refuse)
    scorer = PairScorer("nobody/nothing")
    for _ in range(2):
        with pytest.raises(ModelUnreachableError, match=r"no route to host.*rerank\.model=chat"):
            scorer.scores(QUESTION, ["a"])
    assert asked == ["nobody/nothing"]


def test_the_builtin_embedding_leaves_the_hub_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is loaded before the cross-encoder is looked for, in the same process."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert MiniLMEmbedder().embed_query("a bridge").shape == (384,)
    assert "HF_HUB_OFFLINE" not in os.environ


@pytest.fixture(scope="session")
def tiny_cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of one narrow layer with random weights."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    raw, folder = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("tiny")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = "the iron bridge was opened in 1781 . gardens need water when ?".split()  # noqa: SIM905
    (raw / "vocab.txt").write_text("\n".join([*special, *words]))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(special) + len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=512,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(raw)
    BertTokenizerFast(vocab=str(raw / "vocab.txt")).save_pretrained(raw)
    CrossEncoder(str(raw)).save(str(folder))
    return folder
