from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import gguf
import lazy_loader
import pytest
from model_server import ModelServer

from hopyard.classifiers.causal import load_causal
from hopyard.models.builtin.chat import builtin_identity
from hopyard.models.builtin.weights import weights
from hopyard.state.errors import HopyardError, ModelUnreachableError, UsageError

from .conftest import tiny_llama

torch = lazy_loader.load("torch")  # each process that tests imports this file


@pytest.mark.parametrize("spec", ["ollama:llama3.1:8b", "openai:gpt-4o", "nobody:knows"])
def test_a_model_behind_a_server_is_told_of_answer_f1(spec: str) -> None:
    with pytest.raises(UsageError, match="answer-f1") as raised:
        load_causal(spec)
    assert spec in str(raised.value)


def test_a_registered_chat_model_is_too(model_server: ModelServer) -> None:
    with pytest.raises(UsageError, match="answer-f1"):
        load_causal("scripted")


def test_a_folder_is_loaded(causal_folder: Path) -> None:
    found = load_causal(str(causal_folder))
    assert found.identity == str(causal_folder)
    assert not found.model.training
    wanted = tiny_llama().model.embed_tokens.weight
    assert torch.equal(found.model.model.embed_tokens.weight, wanted)


def test_a_folder_without_a_model_is_not_reachable(tmp_path: Path) -> None:
    with pytest.raises(ModelUnreachableError, match="cannot be loaded"):
        load_causal(str(tmp_path))


def test_a_model_without_chat_template_is_refused(causal_folder: Path, tmp_path: Path) -> None:
    for file in causal_folder.iterdir():
        if file.name != "chat_template.jinja":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(HopyardError, match="no chat template"):
        load_causal(str(tmp_path))


@pytest.mark.parametrize("spec", ["builtin", "builtin:base"])
def test_the_built_in_model_has_the_weights_that_its_engine_has(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def load(place: str, options: dict[str, str]) -> tuple[None, SimpleNamespace]:
        read.append(Path(place) / options["gguf_file"])
        return None, SimpleNamespace(chat_template="…")

    monkeypatch.setattr("hopyard.classifiers.causal._load", load)
    variant = spec.partition(":")[2]
    assert load_causal(spec).identity == builtin_identity(variant)
    [file] = read
    assert (file == weights()) is (variant == "base")
    assert gguf.GGUFReader(file).get_field("tokenizer.chat_template")
