"""The built-in models: a few real runs, and their names."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hopyard.models.builtin import chat as builtin
from hopyard.models.builtin.chat import SPINS, SPINS_VARIABLE, builtin_identity
from hopyard.models.chat import chat_provider
from hopyard.models.embeddings import embedder
from hopyard.models.names import known_as, point_out
from hopyard.prompts.answer import ANSWER
from hopyard.prompts.passages import passage_lines
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context

from ..asking import model_caller, restart, usage_of

needs_model = pytest.mark.builtin

VALUES = {
    "passages": passage_lines([("Mars", "Mars has two moons, Phobos and Deimos.")]),
    "question": "How many moons does Mars have?",
}


async def ask(seed: int, run: str) -> str:
    context = Context(seed=seed, temperature=0.8)
    return (await model_caller(context.model).call(ANSWER, VALUES, context, run)).answer


@needs_model
def test_the_built_in_model_answers_in_the_schema_and_in_every_event_loop_alike(
    home: Path, closed_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", closed_address)  # is not for what runs in this process
    monkeypatch.delenv("NO_PROXY")
    answer = asyncio.run(ask(3, "run"))
    assert answer.strip()
    usage = usage_of("run", Context())
    assert usage["model_calls"] == 1
    assert usage["input_tokens"] > 100
    assert 0 < usage["output_tokens"] <= ANSWER.max_tokens
    (rate,) = model_caller("builtin").ledger.parse_rates()
    assert (rate.prompt, rate.parsed) == ("answer", 1)
    monkeypatch.setenv("HOPYARD_HOME", str(home / "other"))  # another ledger, and the same seed
    restart()
    assert asyncio.run(ask(3, "run")) == answer
    assert usage_of("run", Context())["model_calls"] == 1


@needs_model
def test_the_built_in_model_embeds_to_unit_length_and_by_meaning() -> None:
    model = embedder("builtin")
    cat, kitten, tax = model.embed_documents(["a cat", "a small kitten", "income tax law"])
    assert cat.shape == (model.dimension,)
    assert np.allclose([np.linalg.norm(vector) for vector in (cat, kitten, tax)], 1, atol=1e-5)
    assert cat @ kitten > 0.5 > cat @ tax
    assert np.allclose(model.embed_query("a cat"), cat, atol=1e-5)


# Names


@pytest.fixture
def notices(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], int]]:
    """Counts the notices, under the level that the command line sets."""
    logger = logging.getLogger("hopyard")
    before = logger.level
    logger.setLevel(logging.ERROR)
    point_out.cache_clear()
    yield lambda: caplog.text.count("is now `builtin`")
    logger.setLevel(before)


@pytest.mark.parametrize("variant", ["", ":base"])
def test_the_former_name_selects_the_same_model_with_one_notice(
    variant: str, notices: Callable[[], int]
) -> None:
    current = chat_provider(f"builtin{variant}").identity
    assert notices() == 0
    for _ in range(2):
        assert chat_provider(f"embedded{variant}").identity == current
    assert notices() == 1


def test_stored_names_are_the_former_ones(notices: Callable[[], int]) -> None:
    """Another name would lose every finished call, every vector, and the gate that ships."""
    identity = chat_provider("builtin").identity
    assert identity.startswith("embedded/smollm2-135m@")
    assert embedder("builtin").name == embedder("builtin:e5").name == "builtin:e5"
    assert embedder("embedded").name == embedder("builtin:minilm").name == "embedded"
    assert known_as(identity) == f"builtin/{builtin_identity().removeprefix('embedded/')}"
    assert known_as("ollama:embedded") == "ollama:embedded"
    assert notices() == 0


def test_the_threads_of_the_engine_are_read_from_a_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOPYARD_BUILTIN_THREADS", "3")
    assert builtin._cores() == 3
    monkeypatch.setenv("HOPYARD_BUILTIN_THREADS", "many")
    with pytest.raises(UsageError, match="HOPYARD_BUILTIN_THREADS='many'"):
        builtin._cores()


_LIBRARY = "import ctypes; ctypes.CDLL('libgomp.so.1').omp_display_env(1)"


@pytest.mark.parametrize("given", ["", "7"])
def test_waiting_threads_sleep_soon(given: str) -> None:
    """The library tells what it has read. Else most of the time on busy cores is waiting."""
    code = f"from hopyard.models.builtin.chat import _library; _library(); {_LIBRARY}"
    environment = {name: value for name, value in os.environ.items() if name != SPINS_VARIABLE}
    environment |= {SPINS_VARIABLE: given} if given else {}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "libgomp.so.1: cannot open" in done.stderr:
        pytest.skip("The engine has another library here.")
    assert f"{SPINS_VARIABLE} = '{given or SPINS}'" in done.stderr
