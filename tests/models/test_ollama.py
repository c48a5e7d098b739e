"""Ollama's client and protocol, against a server that speaks its API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from langchain_core.messages import HumanMessage
from model_server import word_vector
from ollama_server import Model, OllamaServer, Tokens

from hopyard.models import ollama, ollama_chat
from hopyard.models.chat import learn_size
from hopyard.models.embeddings import embedder
from hopyard.prompts.answer import ANSWER
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.errors import CallFailedError, ModelOutputError, ModelUnreachableError
from hopyard.state.settings import model_size
from hopyard.state.settings.fields import Context, profile_of

from .asking import model_caller, usage_of

pytestmark = pytest.mark.usefixtures("one_attempt")

LLAMA = Context(model="ollama:llama")
READ, WRITTEN = 300, 5


def paris(payload: dict[str, Any]) -> Tokens:
    yield from ('{"answer"', ': "Pa', 'ris"}')
    yield READ, WRITTEN


def words(texts: list[str]) -> list[list[float]]:
    return [(3 * word_vector(text)).tolist() for text in texts]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    models = {"llama:latest": Model(chat=paris), "vectors:latest": Model(embed=words)}
    with OllamaServer(models) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        monkeypatch.setattr(model_size, "_told", {})
        monkeypatch.setattr(ollama_chat, "_windows", {})
        yield server


async def ask(question: str = "What is the capital of France?", context: Context = LLAMA) -> str:
    values = {"question": question}
    return (await model_caller(context.model).call(DIRECT, values, context, "run")).answer


async def test_what_is_sent_with_a_call(server: OllamaServer) -> None:
    assert await ask() == "Paris"
    assert [path for path, _ in server.requests] == ["/api/show", "/api/chat"]
    [sent] = server.payloads("/api/chat")
    assert sent["model"] == "llama"
    assert sent["format"]["properties"].keys() == {"answer"}
    assert sent["format"]["title"] == DIRECT.output.__name__
    assert sent["think"] is False
    assert (sent["truncate"], sent["shift"]) == (False, False)
    assert sent["keep_alive"] == ollama.KEEP_ALIVE
    assert sent["options"] == {
        "num_ctx": 4096,
        "num_predict": DIRECT.max_tokens,
        "temperature": 0.0,
        "seed": 7,
    }
    assert [message["role"] for message in sent["messages"]][:2] == ["system", "user"]
    usage = usage_of("run", LLAMA)
    assert (usage["input_tokens"], usage["output_tokens"]) == (READ, WRITTEN)


async def test_the_window_grows_with_the_prompt_ends_at_the_models_and_never_shrinks(
    server: OllamaServer,
) -> None:
    """Ollama reloads a model for each new size of its window."""
    windows = ((6_000, 4096), (12_000, 8192), (30_000, 8192), (6_001, 8192), (10, 8192))
    for characters, window in windows:
        values = {"passages": "x" * characters, "question": "Why?"}
        await model_caller(LLAMA.model).call(ANSWER, values, LLAMA, "run")
        assert server.payloads("/api/chat")[-1]["options"]["num_ctx"] == window
    assert len(server.payloads("/api/show")) == 1
    server.models["other:latest"] = Model(chat=paris)
    await ask(context=Context(model="ollama:other"))
    assert server.payloads("/api/chat")[-1]["options"]["num_ctx"] == 4096


async def test_an_answer_takes_no_more_than_the_prompt_leaves(server: OllamaServer) -> None:
    values = {"passages": "", "question": "Why?", "style": ""}
    for passages, least, most in (
        ("x" * 6_000, 4000, 4000),
        ("x" * 15_000, 2000, 3900),
        ("x" * 30_000, 256, 256),
    ):
        asked = values | {"passages": passages}
        await model_caller(LLAMA.model).call(ANSWER.of("capable"), asked, LLAMA, "run")
        options = server.payloads("/api/chat")[-1]["options"]
        assert options["num_ctx"] == 8192
        assert least <= options["num_predict"] <= most


async def test_a_prompt_that_cannot_fit_is_not_sent_to_be_cut(server: OllamaServer) -> None:
    values = {"passages": "x" * 60_000, "question": "Why?"}
    with pytest.raises(ModelOutputError, match="longer than the window of ollama:llama"):
        await model_caller(LLAMA.model).call(ANSWER, values, LLAMA, "run")
    assert server.payloads("/api/chat") == []


SIGNS = {"passages": "|" * 16_000, "question": "Why?"}
"""To this model a token each: four times the estimate."""


def dense(server: OllamaServer, version: str, context_length: int = 32_768) -> None:
    """A model that makes a token of each character."""
    server.models["llama:latest"] = Model(paris, context_length=context_length, tokens=len)
    server.version = version
    ollama._about.cache_clear()


@pytest.mark.parametrize(
    ("version", "windows"), [("0.40.2", [8192, 32_768]), ("0.12.6", [8192, 16_384, 32_768])]
)
async def test_a_refused_prompt_is_sent_again_with_a_window_that_holds_it(
    server: OllamaServer, version: str, windows: list[int]
) -> None:
    dense(server, version)
    await model_caller(LLAMA.model).call(ANSWER, SIGNS, LLAMA, "run")
    sent = server.payloads("/api/chat")
    assert [each["options"]["num_ctx"] for each in sent] == windows
    assert usage_of("run", LLAMA)["input_tokens"] > 16_000
    assert usage_of("run", LLAMA)["model_calls"] == 1


@pytest.mark.parametrize("version", ["0.40.2", "0.12.6"])
async def test_passages_are_left_out_for_a_window_that_cannot_grow(
    server: OllamaServer, version: str
) -> None:
    dense(server, version, context_length=8192)
    lines = "\n".join(f"[{number}] T: {'7' * 993}" for number in range(1, 11))
    values = {"passages": lines, "question": "Why?"}
    await model_caller(LLAMA.model).call(ANSWER, values, LLAMA, "run")
    last = server.payloads("/api/chat")[-1]
    shown = last["messages"][-1]["content"].count("] T:")
    assert 3 <= shown <= 7
    [note] = model_caller(LLAMA.model).ledger.notes("run")
    assert f"holds {shown} of the 10 passages found" in note


async def test_an_older_server_that_cuts_a_prompt_is_found_out(server: OllamaServer) -> None:
    dense(server, "0.12.5")
    with pytest.raises(CallFailedError, match=r"read 8,192 tokens.*0\.12\.6 and newer") as raised:
        await model_caller(LLAMA.model).call(ANSWER, SIGNS, LLAMA, "run")
    assert raised.value.reason == "too long"
    assert model_caller(LLAMA.model).ledger.parse_rates() == []


@pytest.mark.parametrize(
    ("version", "read", "cut"),
    [
        ("0.12.5", 2051, True),  # half of 4,096: some gateways have a window of their own
        ("", 2051, True),
        ("0.12.5", 1500, False),  # the beginning was cached
        ("0.30.0", 2051, False),  # it counts only what was not cached
        ("0.12.5", 0, False),
        ("0.40.2", 16_384, True),
    ],
)
async def test_a_small_count_alone_is_no_proof(
    server: OllamaServer, version: str, read: int, cut: bool
) -> None:
    def chat(payload: dict[str, Any]) -> Tokens:
        yield '{"answer": "Paris"}'
        yield read, WRITTEN

    server.models["llama:latest"], server.version = Model(chat, context_length=32_768), version
    ollama._about.cache_clear()
    values = {"passages": "word " * 6000, "question": "Why?"}
    called = model_caller(LLAMA.model).call(ANSWER, values, LLAMA, "run")
    if cut:
        with pytest.raises(CallFailedError, match="longer than the window"):
            await called
    else:
        assert (await called).answer == "Paris"
    assert server.payloads("/api/chat")[-1]["options"]["num_ctx"] == 16_384


@pytest.mark.parametrize(
    ("characters", "messages", "answer", "window"),
    [(0, 1, 0, 4096), (3 * 4000, 1, 88, 4096), (3 * 4000, 1, 89, 8192), (3 * 9000, 2, 64, 16384)],
)
def test_the_window_holds_prompt_and_answer(
    characters: int, messages: int, answer: int, window: int
) -> None:
    texts = [HumanMessage("x" * (characters // messages)) for _ in range(messages)]
    assert ollama_chat.window_for(texts, answer) == window


async def test_a_missing_model_is_to_be_pulled_and_nothing_is_sent(server: OllamaServer) -> None:
    with pytest.raises(ModelUnreachableError, match="`ollama pull mistral:7b`") as raised:
        await ask(context=Context(model="ollama:mistral:7b"))
    assert "serve" not in str(raised.value)
    assert server.payloads("/api/chat") == []
    assert usage_of("run", LLAMA)["model_calls"] == 0


async def test_an_absent_server_is_to_be_started(
    closed_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", closed_address)
    with pytest.raises(ModelUnreachableError, match="`ollama serve`, then `ollama pull llama`"):
        await ask()
    with pytest.raises(ModelUnreachableError, match=f"{closed_address}.*`ollama serve`"):
        ollama.installed_models()


async def test_nothing_on_this_machine_goes_through_a_proxy(
    server: OllamaServer, closed_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_PROXY")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, closed_address)
    assert await ask() == "Paris"
    assert embedder("ollama:vectors:latest").embed_query("river").shape == (32,)
    assert set(ollama.installed_models()) == {"llama:latest", "vectors:latest"}
    assert ollama.server_version()
    assert {path for path, _ in server.requests} == {
        "/api/show",
        "/api/chat",
        "/api/embed",
        "/api/tags",
        "/api/version",
    }


@pytest.mark.parametrize(
    ("host", "address", "local"),
    [
        ("", "http://127.0.0.1:11434", True),
        ("localhost", "http://localhost:11434", True),
        ("127.0.0.2:80", "http://127.0.0.2:80", True),
        ("0.0.0.0", "http://0.0.0.0:11434", True),  # noqa: S104  (where the server was told to listen)
        ("[::1]:9", "http://[::1]:9", True),
        ("https://localhost", "https://localhost", True),
        ("gpu.example.org", "http://gpu.example.org:11434", False),
        ("https://gpu.example.org/ollama", "https://gpu.example.org/ollama", False),
        ("10.0.0.7", "http://10.0.0.7:11434", False),
        ("::nonsense::", "http://::nonsense::", False),
    ],
)
def test_the_address_is_read_as_ollama_reads_it(
    monkeypatch: pytest.MonkeyPatch, host: str, address: str, local: bool
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert ollama.ollama_address() == address
    assert (ollama.client_options(address) == {"trust_env": False, "verify": False}) is local


async def test_an_answer_streams_token_by_token(server: OllamaServer) -> None:
    model = ollama_chat.connect_chat("llama", max_tokens=9, temperature=0, seed=1)
    parts = [part.text async for part in model.astream("?")]
    assert [part for part in parts if part] == ['{"answer"', ': "Pa', 'ris"}']
    answer = await model.ainvoke("?")
    assert json.loads(answer.text) == {"answer": "Paris"}
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["input_tokens"] == READ


def test_the_protocol_without_streaming(server: OllamaServer) -> None:
    answer = ollama._client().chat("llama", [{"role": "user", "content": "?"}])
    assert answer.message.content == '{"answer": "Paris"}'
    assert (answer.done_reason, answer.prompt_eval_count, answer.eval_count) == ("stop", 300, 5)


def test_embeddings_come_by_the_batch(server: OllamaServer) -> None:
    vectors = embedder("ollama:vectors").embed_documents(["a river", "a bank"])
    assert np.allclose(vectors, [word_vector("a river"), word_vector("a bank")], atol=1e-6)
    [sent] = server.payloads("/api/embed")
    assert sent["input"] == ["a river", "a bank"]
    assert sent["keep_alive"] == ollama.KEEP_ALIVE


def test_a_missing_embedding_model_is_to_be_pulled(server: OllamaServer) -> None:
    with pytest.raises(ModelUnreachableError, match=r"was not found.*`ollama pull gone`"):
        embedder("ollama:gone").embed_query("hop")


async def test_the_server_says_how_large_a_model_is(server: OllamaServer) -> None:
    server.models["mine:latest"] = Model(chat=paris, parameter_size="3.21B")
    server.models["large:latest"] = Model(chat=paris, parameter_size="70.6B")
    for name, profile in (("mine", "small"), ("large", "capable"), ("absent", "capable")):
        learn_size(f"ollama:{name}")
        assert profile_of(Context(model=f"ollama:{name}")) == profile
    assert [path for path, _ in server.requests] == ["/api/show"] * 3
    learn_size("ollama:mine")
    assert len(server.requests) == 3
