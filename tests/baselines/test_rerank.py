"""`rerank`: 2·k passages found, the k best read, by a cross-encoder or by the chat model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hopyard.graphs import rerank
from hopyard.models import cross_encoder
from hopyard.models.cross_encoder import cross_scores
from hopyard.models.embeddings import MiniLMEmbedder
from hopyard.nodes.rerank import best_first
from hopyard.state.errors import ModelUnreachableError
from hopyard.state.schemas import Evidence
from hopyard.state.settings import Context

from ..graphs.conftest import changed
from ..graphs.script import GARBAGE, said
from ..graphs.strategy_contract import StrategyContract
from .script import BaselineScript

QUESTION = "When was the Iron Bridge opened?"


class TestRerank(StrategyContract):
    graph = rerank.graph
    question = QUESTION
    lines: ClassVar[Any] = {("read", QUESTION): said("1781")}
    answer = "1781"
    calls = 2

    @pytest.fixture(autouse=True)
    def _useful(self, script: BaselineScript) -> None:
        script.useful = {"Iron Bridge": "necessary", "Severn": "indirect"}


async def run(context: Context, **settings: Any) -> dict[str, Any]:
    return await rerank.graph.ainvoke({"question": QUESTION}, context=changed(context, **settings))


async def test_the_best_k_of_twice_as_many_are_read(
    context: Context, script: BaselineScript
) -> None:
    script.useful = {"Abraham Darby": "necessary", "Stone Bridge": "indirect"}
    output = await run(context)
    search, step, _ = output["steps"]
    assert len(search["passages"]) == 2 * context.retrieval.k
    found = [one["passage_id"] for one in search["passages"]]
    useful = [one for one in ("abraham-darby", "stone-bridge") if one in found]
    assert useful
    kept = [one["passage_id"] for one in output["evidence"]]
    assert kept[: len(useful)] == useful
    assert "chat model scripted" in step["reason"]


async def test_a_failed_judgement_keeps_the_order_of_the_search(
    context: Context, script: BaselineScript
) -> None:
    script.lines = {("rerank", QUESTION): GARBAGE}
    output = await run(context)
    search, step, _ = output["steps"]
    assert output["evidence"] == search["passages"][: context.retrieval.k]
    assert step["verdict"] == "fallback"
    assert "no usable output" in step["reason"]


async def test_a_cross_encoder_that_is_not_there_is_stood_in_for_and_named(
    context: Context, script: BaselineScript, tmp_path: Path
) -> None:
    output = await run(context, rerank__model=str(tmp_path))
    assert ("rerank", QUESTION) in script.asked
    assert "judged by the chat model scripted" in output["steps"][1]["reason"]
    assert "cannot be loaded" in output["steps"][1]["reason"]


async def test_a_cross_encoder_scores_without_a_model_call(
    context: Context, script: BaselineScript, tiny_cross_encoder: Path
) -> None:
    output = await run(context, rerank__model=str(tiny_cross_encoder))
    assert script.asked == [("read", QUESTION)]
    assert output["steps"][1]["reason"] == f"scored by {tiny_cross_encoder}"
    scores = [one["score"] for one in output["evidence"]]
    assert scores == sorted(scores, reverse=True)


def test_a_pairs_score_does_not_depend_on_its_batch(tiny_cross_encoder: Path) -> None:
    texts = ["The Iron Bridge was opened in 1781.", "Gardens need water."]
    both = cross_scores(str(tiny_cross_encoder), QUESTION, texts)
    alone = [cross_scores(str(tiny_cross_encoder), QUESTION, [text])[0] for text in texts]
    assert both == pytest.approx(alone, abs=1e-5)
    assert both[0] != both[1]
    assert cross_scores(str(tiny_cross_encoder), QUESTION, []) == []


def test_a_hub_that_does_not_answer_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(name: str) -> None:
        asked.append(name)
        raise ConnectionError("no route to host")

    monkeypatch.setattr(cross_encoder, "_look_for", refuse)
    for _ in range(2):
        with pytest.raises(ModelUnreachableError, match=r"no route to host.*rerank\.model=chat"):
            cross_scores("nobody/nothing", QUESTION, ["a"])
    assert asked == ["nobody/nothing"]


def test_the_embedded_embedding_leaves_the_hub_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is loaded before the cross-encoder is looked for, in the same process."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert MiniLMEmbedder().embed_query("a bridge").shape == (384,)
    assert "HF_HUB_OFFLINE" not in os.environ


def test_equals_keep_their_order() -> None:
    found = [Evidence(passage_id=one, score=0.0) for one in "abcd"]
    ranked = best_first(found, [0.5, 1.0, 0.5, 1.0])
    assert [one["passage_id"] for one in ranked] == ["b", "d", "a", "c"]


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
