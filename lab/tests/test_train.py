"""Training: what the model sees of a tree, the exact copies of its weights, and going on."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import torch

from lab import train as training
from lab.examples import TrainingExample, read_examples, write_examples
from lab.packing import Packed, branches_of, pack
from lab.tests.test_packing import EXAMPLES, route
from lab.train import Plan, Weights, loss_of, train
from lab.tree_attention import use

CPU = torch.device("cpu")

# PEFT asks transformers for a name that is to go.
pytestmark = pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")


def tiny() -> Any:
    """A model of the Llama family with two query heads to a key head."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(3)
    shape = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=400, **shape, **heads)).eval()


def states(model: Any, packed: Packed) -> torch.Tensor:
    hidden: torch.Tensor = model.model(
        input_ids=torch.tensor([packed.tokens]),
        position_ids=torch.tensor([packed.positions]),
        branches=list(branches_of(packed.previous)),
        use_cache=False,
    ).last_hidden_state[0]
    return hidden


def test_each_token_sees_its_own_conversation_alone(tokenizer: Any) -> None:
    model = tiny()
    (tree,) = pack(EXAMPLES, tokenizer, 10_000, seed=1)
    paths = []
    for leaf in set(range(len(tree.tokens))) - set(tree.previous):
        path = [leaf]
        while tree.previous[path[-1]] >= 0:
            path.append(tree.previous[path[-1]])
        paths.append(path[::-1])
    with torch.no_grad():
        alone = [
            model.model(input_ids=torch.tensor([[tree.tokens[at] for at in path]]))
            .last_hidden_state[0]
            for path in paths
        ]  # fmt: skip
        use(model)
        together = states(model, tree)
    for path, wanted in zip(paths, alone, strict=True):
        torch.testing.assert_close(together[path], wanted, atol=1e-4, rtol=1e-4)


def test_a_small_step_is_not_rounded_away() -> None:
    """1 + 1/1024 is 1 in bfloat16: the copy keeps it, and the model gets it when it is enough."""
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(model.weight)
    weights = Weights(model, bf16=True)
    for _ in range(8):
        weights.exact[0].sub_(-1 / 1024)
        weights.give()
    assert model.weight.dtype == torch.bfloat16
    assert model.weight.item() == 1 + 8 / 1024
    weights.exact[0].add_(1 / 4096)
    weights.give()
    assert model.weight.item() == 1 + 8 / 1024
    weights.restore()
    assert model.weight.item() == 1 + 8 / 1024 + 1 / 4096


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    many: list[TrainingExample] = [route(f"What is {n} plus {n}?", "direct") for n in range(12)]
    write_examples(tmp_path / "examples.jsonl", many)
    return tmp_path / "examples.jsonl"


@pytest.fixture
def on_tiny(monkeypatch: pytest.MonkeyPatch, tokenizer: Any) -> None:
    pytest.importorskip("peft")
    monkeypatch.setattr(training, "load_base", lambda _: (tiny(), tokenizer))


def plan(**changed: Any) -> Plan:
    given = {"base": "tiny", "start": "", "seed": 5, "epochs": 2, "rate": 1e-2, "batch": 2}
    kept = {"longest": 800, "checkpoint_every": 1, "minutes": 0.0, "bf16": False}
    return Plan(**{**given, **kept, **changed})


def adapter(out: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(out / "adapter" / "adapter_model.safetensors")


@pytest.mark.usefixtures("on_tiny")
@pytest.mark.timeout(900)  # it trains twice
@pytest.mark.parametrize("bf16", [False, True])
def test_a_run_that_was_stopped_goes_on_and_ends_the_same(
    tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch, *, bf16: bool
) -> None:
    train(examples, tmp_path / "whole", plan(bf16=bf16))
    steps = 0

    def stopped(*given: Any) -> float:
        nonlocal steps
        steps += 1
        if steps == 4:
            raise KeyboardInterrupt
        return step(*given)

    step = training._step
    monkeypatch.setattr(training, "_step", stopped)
    with pytest.raises(KeyboardInterrupt):
        train(examples, tmp_path / "stopped", plan(bf16=bf16))
    monkeypatch.setattr(training, "_step", step)
    assert not (tmp_path / "stopped" / "adapter").exists()
    train(examples, tmp_path / "stopped", plan(bf16=bf16))
    whole, after = adapter(tmp_path / "whole"), adapter(tmp_path / "stopped")
    assert whole.keys() == after.keys()
    for name, matrix in whole.items():
        torch.testing.assert_close(after[name], matrix)
    assert any(bool(matrix.abs().sum() > 0) for name, matrix in whole.items() if "lora_B" in name)


@pytest.mark.usefixtures("on_tiny")
def test_what_there_was_no_time_for_is_left_for_a_further_run(
    tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_step = itertools.chain([0.0, 1.0], itertools.repeat(3600.0))
    monkeypatch.setattr(training.time, "monotonic", lambda: next(one_step))
    monkeypatch.setattr(training, "_say_how_long", lambda *_: None)
    train(examples, tmp_path / "short", plan(longest=400, minutes=1.0))
    left = list(read_examples(tmp_path / "short" / "left.jsonl"))
    every = list(read_examples(examples))
    assert 0 < len(left) < len(every)
    assert all(example in every for example in left)


@pytest.mark.usefixtures("on_tiny")
def test_a_whole_run_leaves_nothing(tmp_path: Path, examples: Path) -> None:
    train(examples, tmp_path / "whole", plan())
    assert (tmp_path / "whole" / "left.jsonl").read_text() == ""


@pytest.mark.usefixtures("on_tiny")
def test_a_checkpoint_of_another_plan_is_refused(tmp_path: Path, examples: Path) -> None:
    train(examples, tmp_path / "run", plan())
    with pytest.raises(SystemExit, match=r"of another run; give another --out"):
        train(examples, tmp_path / "run", plan(rate=2e-2))


def test_the_loss_of_a_tree_is_that_of_its_conversations(tokenizer: Any) -> None:
    peft = pytest.importorskip("peft")
    base = tiny()
    use(base)
    model = peft.get_peft_model(base, peft.LoraConfig(r=2, target_modules=["q_proj"]))
    (tree,) = pack(EXAMPLES, tokenizer, 10_000, seed=1)
    alone = [pack([each], tokenizer, 10_000, seed=1)[0] for each in EXAMPLES]
    counts = [sum(tree.weights) for tree in alone]
    with torch.no_grad():
        losses = [float(loss_of(model, tree, CPU)) for tree in alone]
        together = float(loss_of(model, tree, CPU))
    mean = sum(n * loss for n, loss in zip(counts, losses, strict=True)) / sum(counts)
    assert together == pytest.approx(mean, rel=1e-4)
