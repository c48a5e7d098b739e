"""The shipped adapter, and the variants of the built-in model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hopyard.models.builtin.chat import adapter_file, builtin_identity
from hopyard.models.chat import chat_provider
from hopyard.state.errors import UsageError

LARGEST = 12_000_000


def test_the_adapter_is_small_and_has_all_projections() -> None:
    file = adapter_file()
    assert file is not None
    assert file.stat().st_size <= LARGEST
    gguf = pytest.importorskip("gguf")
    read = gguf.GGUFReader(file)
    assert read.fields["adapter.type"].contents() == "lora"
    names = {each.name for each in read.tensors}
    assert len(names) == 30 * 7 * 2  # layers, projections, sides
    assert "blk.29.ffn_down.weight.lora_b" in names


def test_the_card_stands_beside_it() -> None:
    file = adapter_file()
    assert file is not None
    card = (file.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in card
    assert "lab.train" in card


def test_each_variant_has_a_name_of_its_own_in_the_ledger(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"1")
    before = chat_provider(f"builtin:{own}").identity
    assert chat_provider(f"builtin:{own}").identity == before
    names = {chat_provider(spec).identity for spec in ("builtin", "builtin:base")}
    assert len(names | {before}) == 3
    stored = builtin_identity(str(own))
    own.write_bytes(b"22")
    os.utime(own, ns=(1, 1))
    assert chat_provider(f"builtin:{own}").identity != before
    assert builtin_identity(str(own)) != stored


def test_base_is_the_name_that_earlier_answers_were_kept_under() -> None:
    assert "+" not in chat_provider("builtin:base").identity


def test_an_adapter_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone.gguf.*builtin:base"):
        chat_provider(f"builtin:{tmp_path / 'gone.gguf'}")
