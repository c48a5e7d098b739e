"""A few runs with the real embedded models."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from hopyard.models.call import call_model, model_caller, usage_of
from hopyard.models.embeddings import embedder
from hopyard.prompts.answer import ANSWER
from hopyard.prompts.passages import passage_lines
from hopyard.state.settings import Context

pytestmark = pytest.mark.embedded

VALUES = {
    "passages": passage_lines([("Mars", "Mars has two moons, Phobos and Deimos.")]),
    "question": "How many moons does Mars have?",
}


async def ask(seed: int, run: str) -> str:
    context = Context(seed=seed, temperature=0.8)
    return (await call_model(ANSWER, VALUES, context=context, run=run)).answer


async def test_the_embedded_model_answers_in_the_schema(
    closed_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", closed_address)  # is not for what runs in this process
    monkeypatch.delenv("NO_PROXY")
    assert (await ask(7, "run")).strip()
    usage = usage_of("run", Context())
    assert usage["model_calls"] == 1
    assert usage["input_tokens"] > 100
    assert 0 < usage["output_tokens"] <= ANSWER.max_tokens
    (rate,) = model_caller("embedded").ledger.parse_rates()
    assert (rate.prompt, rate.parsed) == ("answer", 1)


def test_one_seed_gives_one_answer_in_every_event_loop(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for number in range(2):
        monkeypatch.setenv("HOPYARD_HOME", str(home / f"{number}"))  # another ledger
        answers.append(asyncio.run(ask(3, "run")))
    assert len(set(answers)) == 1


def test_minilm_embeds_to_unit_length_and_by_meaning() -> None:
    model = embedder("embedded")
    cat, kitten, tax = model.embed_documents(["a cat", "a small kitten", "income tax law"])
    assert cat.shape == (model.dimension,)
    assert np.allclose([np.linalg.norm(one) for one in (cat, kitten, tax)], 1, atol=1e-5)
    assert cat @ kitten > 0.5 > cat @ tax
    assert np.allclose(model.embed_query("a cat"), cat, atol=1e-5)
