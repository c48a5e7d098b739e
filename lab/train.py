"""Train the adapter: `python -m lab.train examples.jsonl --out FOLDER`.

Sequences run one at a time; the gradients of `--batch` sequences make a step. An accelerator is
used if there is one, in bfloat16. A stopped run continues from its last checkpoint. Examples for
which `--minutes` left no time are written to `FOLDER/left.jsonl`, for another run.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import torch

from lab.base import load_base, with_adapter
from lab.examples import read_examples, write_examples
from lab.packing import Packed, branches_of, pack
from lab.tree_attention import use

__all__ = ("Plan", "main", "rate_at", "train")

WARM_UP: Final = 0.04
_TRIED: Final = 3
"""Sequences timed before the run, to say how long it will take."""


@dataclass(frozen=True)
class Plan:
    """Everything that the result depends on, except for the examples."""

    base: str
    start: str
    seed: int
    epochs: int
    rate: float
    batch: int
    longest: int
    checkpoint_every: int
    minutes: float
    bf16: bool


def rate_at(done: float, highest: float) -> float:
    """The learning rate: a short rise, then half a cosine.

    Args:
        done: Share of the run that is done, 0 to 1.
        highest: The rate at its top.
    """
    if done < WARM_UP:
        return highest * done / WARM_UP
    return highest * (
        0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP)))
    )


def train(examples: Path, out: Path, plan: Plan) -> None:
    """Train, with checkpoints in `out`, and leave the finished adapter in `out/adapter`."""
    out.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    base, tokenizer = load_base(plan.base)
    use(base)
    model = with_adapter(base, plan.seed, plan.start).to(device)
    weights = Weights(model, bf16=plan.bf16)
    packed = pack(list(read_examples(examples)), tokenizer, plan.longest, plan.seed)
    order = [tree for _ in range(plan.epochs) for tree in packed]
    optimizer = torch.optim.AdamW(weights.exact, lr=plan.rate, weight_decay=0.0)
    done = _resume(out, weights, optimizer, plan)
    _say_how_long(model, order[done:], device)
    model.train()
    started, losses, spent = time.monotonic(), [], 0
    begun = done / len(order)
    while done < len(order):
        group = order[done : done + plan.batch]
        passed = (time.monotonic() - started) / 60 / plan.minutes if plan.minutes else 0.0
        share = max(done / len(order), begun + (1 - begun) * passed)
        if share >= 1:
            print(f"the time is up after {done} of {len(order)} sequences", flush=True)
            break
        rate = rate_at(share, plan.rate)
        for setting in optimizer.param_groups:
            setting["lr"] = rate
        losses.append(_step(model, group, optimizer, weights, device))
        done += len(group)
        spent += sum(len(tree.tokens) for tree in group)
        if (done // plan.batch) % 5 == 0 or done >= len(order):
            seconds = time.monotonic() - started
            recent = sum(losses[-10:]) / len(losses[-10:])
            print(
                f"{done}/{len(order)} sequences, loss {recent:.3f}, {spent / seconds:.0f} tokens/s",
                flush=True,
            )
        if (done // plan.batch) % plan.checkpoint_every == 0:
            _save(out, weights, optimizer, done, plan)
    _save(out, weights, optimizer, done, plan)
    write_examples(
        out / "left.jsonl", [example for tree in packed[done:] for example in tree.examples]
    )
    weights.restore()
    model.save_pretrained(str(out / "adapter"))
    print(f"done: {out / 'adapter'}", flush=True)


def loss_of(model: Any, packed: Packed, device: torch.device) -> torch.Tensor:
    """The weighted mean loss over the learned tokens; logits are computed only for them."""
    tokens = torch.tensor(packed.tokens, device=device)
    learned = [at for at, weight in enumerate(packed.weights) if weight]
    weights = torch.tensor([packed.weights[at] for at in learned], device=device)
    # The state at a token predicts the next one of its conversation.
    predicting = [packed.previous[at] for at in learned]
    inner = model.get_base_model()
    hidden = inner.model(
        input_ids=tokens[None],
        position_ids=torch.tensor([packed.positions], device=device),
        branches=list(branches_of(packed.previous)),
        use_cache=False,
    ).last_hidden_state[0]
    logits = inner.lm_head(hidden[predicting])
    losses = torch.nn.functional.cross_entropy(logits.float(), tokens[learned], reduction="none")
    return (losses * weights).sum() / weights.sum()


class Weights:
    """The adapter's weights: as the model computes with them, and exactly.

    In bfloat16, which newer processors multiply twice as fast, a small step would be rounded away.
    So the optimizer works on copies in float32, and the model gets them rounded after each step.

    Attributes:
        exact: The copies, which the optimizer changes.
    """

    def __init__(self, model: Any, *, bf16: bool) -> None:
        self._used = {
            name: parameter
            for name, parameter in model.named_parameters()
            if parameter.requires_grad
        }
        self.exact = [parameter.detach().float().clone() for parameter in self._used.values()]
        if bf16:
            model.to(torch.bfloat16)

    def take_gradients(self) -> None:
        """Add the model's gradients to those of the copies."""
        for used, exact in zip(self._used.values(), self.exact, strict=True):
            gradient = used.grad.float()
            exact.grad = gradient if exact.grad is None else exact.grad + gradient
            used.grad = None

    def give(self) -> None:
        """Let the model compute with the copies' values."""
        with torch.no_grad():
            for used, exact in zip(self._used.values(), self.exact, strict=True):
                used.copy_(exact)

    def restore(self) -> None:
        """Put the exact values into the model."""
        for used, exact in zip(self._used.values(), self.exact, strict=True):
            used.data = exact.detach()

    def state(self) -> dict[str, torch.Tensor]:
        """The exact values by name, for a checkpoint."""
        return dict(zip(self._used, (tensor.detach().cpu() for tensor in self.exact), strict=True))

    def load(self, state: dict[str, torch.Tensor]) -> None:
        """Take the values of a checkpoint."""
        for name, exact in zip(self._used, self.exact, strict=True):
            exact.copy_(state[name])
        self.give()


def _step(
    model: Any,
    group: list[Packed],
    optimizer: torch.optim.Optimizer,
    weights: Weights,
    device: torch.device,
) -> float:
    total = sum(len(tree.examples) ** 0.5 for tree in group)
    mean = 0.0
    for tree in group:
        loss = loss_of(model, tree, device) * (len(tree.examples) ** 0.5 / total)
        loss.backward()
        weights.take_gradients()
        mean += float(loss.detach())
    torch.nn.utils.clip_grad_norm_(weights.exact, 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    weights.give()
    return mean


def _say_how_long(model: Any, order: list[Packed], device: torch.device) -> None:
    """Time a few sequences without training on them, and print how long the rest will take."""
    tried = sorted(order, key=lambda tree: len(tree.tokens))[:: max(len(order) // _TRIED, 1)][
        :_TRIED
    ]
    if not tried:
        return
    started = time.monotonic()
    for tree in tried:
        loss_of(model, tree, device).backward()  # type: ignore[no-untyped-call]
    model.zero_grad(set_to_none=True)
    speed = sum(len(tree.tokens) for tree in tried) / (time.monotonic() - started)
    tokens = sum(len(tree.tokens) for tree in order)
    print(
        f"{len(order)} sequences, {tokens} tokens at {speed:.0f} tokens/s: "
        f"about {tokens / speed / 60:.0f} minutes",
        flush=True,
    )


def _save(
    out: Path, weights: Weights, optimizer: torch.optim.Optimizer, done: int, plan: Plan
) -> None:
    """Write the checkpoint under another name first: a kill leaves the last one whole."""
    state = {
        "weights": weights.state(),
        "optimizer": optimizer.state_dict(),
        "done": done,
        "plan": json.dumps(asdict(plan)),
    }
    torch.save(state, out / "checkpoint.new")
    (out / "checkpoint.new").replace(out / "checkpoint.pt")


def _resume(out: Path, weights: Weights, optimizer: torch.optim.Optimizer, plan: Plan) -> int:
    """Load the checkpoint, if there is one of this plan, and say how many sequences it has done."""
    path = out / "checkpoint.pt"
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    if json.loads(state["plan"]) != asdict(plan):
        raise SystemExit(f"{path} is of another run; give another --out, or remove it.")
    weights.load(state["weights"])
    optimizer.load_state_dict(state["optimizer"])
    print(f"continuing after {state['done']} sequences", flush=True)
    return int(state["done"])


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--base", default="embedded")
    parser.add_argument(
        "--start", default="", help="an adapter to train further: a folder or .gguf"
    )
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--longest", type=int, default=1600)
    parser.add_argument("--checkpoint-every", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=0, help="time limit; 0: none")
    parser.add_argument(
        "--bf16",
        action=argparse.BooleanOptionalAction,
        default=torch.cuda.is_available(),
        help="compute in bfloat16, which newer processors do faster too",
    )
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    options = vars(parser.parse_args())
    if threads := options.pop("threads"):
        torch.set_num_threads(threads)
    examples, out = options.pop("examples"), options.pop("out")
    train(examples, out, Plan(**options))


if __name__ == "__main__":
    main()
