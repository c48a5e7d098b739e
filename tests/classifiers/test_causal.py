from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from model_server import ModelServer

from hopyard.classifiers.causal import load_causal, merge_adapter
from hopyard.state.errors import HopyardError, ModelUnreachableError, UsageError

from .conftest import tiny_llama


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


def write_adapter(tmp_path: Path, rows: int) -> tuple[Path, np.ndarray]:
    """A llama.cpp LoRA of rank 2 and alpha 6 for layer 1's query projection, and its B·A.

    llama.cpp pairs row i of a head's first half with row i of its second half; four heads here.
    """
    rng = np.random.default_rng(0)
    down = rng.normal(size=(2, 32)).astype(np.float16)
    up = rng.normal(size=(rows, 2)).astype(np.float16)
    engine_order = np.arange(rows).reshape(4, 2, -1).swapaxes(1, 2).ravel()
    file = tmp_path / "a.gguf"
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 6.0)
    writer.add_tensor("blk.1.attn_q.weight.lora_a", down)
    writer.add_tensor("blk.1.attn_q.weight.lora_b", np.ascontiguousarray(up[engine_order]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file, up.astype(np.float32) @ down.astype(np.float32)


def test_the_engines_adapter_is_added_in_hugging_faces_order(tmp_path: Path) -> None:
    """W + alpha / rank · B·A, with B's rows back in Hugging Face's order."""
    file, product = write_adapter(tmp_path, rows=32)
    model, before = tiny_llama(), tiny_llama()
    merge_adapter(model, file)
    change = model.model.layers[1].self_attn.q_proj.weight
    change = (change - before.model.layers[1].self_attn.q_proj.weight).detach().numpy()
    assert np.allclose(change, 3.0 * product, atol=1e-4)
    same = model.model.layers[0].self_attn.q_proj.weight
    assert torch.equal(same, before.model.layers[0].self_attn.q_proj.weight)


def test_an_adapter_of_another_model_is_refused(tmp_path: Path) -> None:
    file, _ = write_adapter(tmp_path, rows=48)
    with pytest.raises(HopyardError, match="does not fit"):
        merge_adapter(tiny_llama(), file)
