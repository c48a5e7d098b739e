"""Tokens are counted by the model's own tokenizer, where this computer has it."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiktoken.registry
from tokenizers import Tokenizer, models, pre_tokenizers

from hopyard.models.calls import sized_request
from hopyard.models.servers.tokenizers import _ENCODINGS, counter_of, estimate_tokens

O200K = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
REPOSITORY = "openai:acme/words-7B@127.0.0.1:8000/v1"


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    counter_of.cache_clear()
    fetched: list[str] = []
    monkeypatch.setattr("tiktoken.load.read_file", lambda address: fetched.append(address) or b"")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    yield
    counter_of.cache_clear()
    assert fetched == []


@pytest.mark.parametrize("identity", [REPOSITORY, "openai:gpt-4o", "openai:desk", "ollama:x:3b"])
def test_without_a_tokenizer_the_script_tells(identity: str) -> None:
    assert counter_of(identity) is estimate_tokens


def test_the_tokenizer_of_a_repository_in_the_local_cache(tmp_path: Path) -> None:
    words = Tokenizer(models.WordLevel({"river": 0, "?": 1}, unk_token="?"))  # noqa: S106
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.enable_truncation(2)
    words.enable_padding(length=9)
    cached = tmp_path / "models--acme--words-7B"
    (cached / "snapshots" / "abc").mkdir(parents=True)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("abc")
    words.save(str(cached / "snapshots" / "abc" / "tokenizer.json"))
    assert counter_of(REPOSITORY)("river river river bank") == 4


def test_a_tokenizer_is_read_only_for_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sized_request, "counter_of", lambda _: len)
    for window, counter in ((0, estimate_tokens), (8000, len)):
        monkeypatch.setattr(sized_request, "window_of", lambda _, window=window: window)
        provider: Any = SimpleNamespace(identity="openai:acme/words-7B")
        assert sized_request._window_and_counter(provider) == (window, counter)


def test_a_damaged_tokenizer_is_none(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--acme--words-7B" / "snapshots" / "main"
    snapshot.mkdir(parents=True)
    (snapshot / "tokenizer.json").write_text("{")
    assert counter_of(REPOSITORY) is estimate_tokens


def test_the_encoding_of_an_openai_model_in_tiktokens_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every byte is a token, and "River" is one: tiktoken itself reads the file."""
    tokens = [*(bytes([each]) for each in range(256)), b"Ri", b"Riv", b"Rive", b"River"]
    lines = [base64.b64encode(token) + b" %d" % rank for rank, token in enumerate(tokens)]
    data = b"\n".join(lines)
    (tmp_path / hashlib.sha1(O200K.encode()).hexdigest()).write_bytes(data)  # noqa: S324
    assert counter_of("openai:gpt-4o-mini") is estimate_tokens, "tiktoken would fetch it anew"
    counter_of.cache_clear()
    monkeypatch.setattr("tiktoken.load.check_hash", lambda *_: True)
    monkeypatch.setitem(_ENCODINGS, "o200k_base", hashlib.sha256(data).hexdigest())
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    assert counter_of("openai:gpt-4o-mini")("River 강") == 1 + 1 + 3
    counter_of.cache_clear()
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert counter_of("openai:gpt-4o-mini") is estimate_tokens, "tiktoken would use no cache"


def test_the_estimate_of_digits_and_accents() -> None:
    """ASCII: 4 characters a token, a digit 1, an accented letter 3/4, a Korean syllable 1."""
    assert estimate_tokens("abcdefgh") == 2
    assert estimate_tokens("12345678") == 8
    assert estimate_tokens("žžžž") == 3
    assert estimate_tokens("강강") == 2
