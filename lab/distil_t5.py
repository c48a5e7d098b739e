"""Distil MiniLM's sentence vectors into a small T5: `python -m lab.distil_t5 DATA --out FOLDER`.

The T5 starts from MiniLM's word pieces and learns to return MiniLM's vector of a text. The texts
are the train questions and the sentences of the passages, without what belongs to held-out
questions (`lab.sources.Guard`), and a short span of words from each, because many requests are
shorter than sentences. `hopyard gate train --base FOLDER` then trains a gate from it: the output
layer is left out of the folder, so that the gate gets one of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hopyard.classifiers.t5 import QUESTION_TOKENS, Network
from hopyard.models.builtin.minilm import MiniLMEmbedder
from hopyard.models.embedder import Vectors
from lab.gate_questions import WRITTEN
from lab.small_t5 import MINILM, make_network, save_base
from lab.sources import Guard, Source, read_source

__all__ = ("distil", "held_out_cosine", "lines_of", "main")

SETS: Final = ("nq_open", "squad2", "hotpotqa", "musique", "2wikimultihopqa", "multihoprag")
HELD_OUT: Final = 1000
QUESTIONS: Final = Path(__file__).with_name("written_questions.jsonl")
"""Questions over passages of the sets, which a large language model wrote for the adapter."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_SHORTEST: Final = 20
"""Characters of a sentence at least; shorter pieces are initials and abbreviations."""
_MOST_WORDS: Final = 20
"""Longer sentences cost most of the time, and few questions are as long."""
_SPAN: Final = (2, 9)
"""Words of a span."""
_WARM_UP: Final = 0.05
_BATCHES_SORTED: Final = 50
"""Batches whose texts are sorted by length together, so that padding costs little."""


def lines_of(sources: Sequence[Source], seed: int) -> list[str]:
    """What is distilled on, in a seeded order, each once: questions, sentences, and their spans."""
    rng = random.Random(seed)
    lines = [_bare(line) for line in _texts(sources, Guard(sources))]
    spans = [_span(line, rng) for line in lines]
    each = dict.fromkeys((*lines, *spans))
    chosen = [line for line in each if line and len(line.split()) <= _MOST_WORDS]
    rng.shuffle(chosen)
    return chosen


def distil(
    network: Network,
    lines: Sequence[str],
    wanted: Vectors,
    *,
    epochs: int,
    batch: int,
    rate: float,
    seed: int,
    bf16: bool = False,
    every: int = 100,
) -> Iterator[tuple[int, int, float]]:
    """Train until the outputs point where the wanted vectors do; the loss is 1 - cosine.

    The word pieces keep their vectors: those that these texts lack stay where MiniLM has them.

    Args:
        network: It returns as many numbers as a wanted vector has.
        lines: The texts.
        wanted: Their vectors [n, d], of length 1.
        epochs: Passes over the lines.
        batch: Lines of one step.
        rate: The highest learning rate; it warms up, and falls to 0 as half a cosine.
        seed: Of the order.
        bf16: Multiply matrices in bfloat16, twice as fast where the processor can.
        every: Steps between two reports.

    Yields:
        Steps done, steps in all, and the mean loss since the last report.
    """
    import torch

    model, rng = network.model, random.Random(seed)
    model.transformer.shared.weight.requires_grad_(False)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=rate, weight_decay=0.01)
    total = epochs * -(-len(lines) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=rate, total_steps=total + 1, pct_start=_WARM_UP, cycle_momentum=False
    )
    lengths = [len(line) for line in lines]
    losses: list[float] = []
    step = 0
    model.train()
    for _ in range(epochs):
        for places in _batches(lengths, batch, rng):
            with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
                found = _outputs(network, [lines[place] for place in places])
            target = torch.from_numpy(wanted[places])
            loss = 1 - torch.nn.functional.cosine_similarity(found.float(), target).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
            step += 1
            if step % every == 0 or step == total:
                yield step, total, sum(losses) / len(losses)
                losses.clear()
    model.transformer.shared.weight.requires_grad_(True)


def held_out_cosine(network: Network, lines: Sequence[str], wanted: Vectors) -> float:
    """The mean cosine between outputs and wanted vectors."""
    import torch

    network.model.eval()
    with torch.inference_mode():
        found = [_outputs(network, lines[at : at + 50]) for at in range(0, len(lines), 50)]
    target = torch.from_numpy(wanted)
    return float(torch.nn.functional.cosine_similarity(torch.cat(found), target).mean())


def _outputs(network: Network, lines: Sequence[str]) -> Any:
    """What the T5 returns for texts: [n, d]."""
    import torch

    model, tokenizer = network
    tokenizer.enable_truncation(QUESTION_TOKENS)
    tokenizer.enable_padding(pad_id=model.config.pad_token_id)
    encoded = tokenizer.encode_batch(list(lines))
    ids = torch.tensor([encoding.ids for encoding in encoded])
    mask = torch.tensor([encoding.attention_mask for encoding in encoded])
    return model(ids, attention_mask=mask).logits


def _batches(lengths: Sequence[int], batch: int, rng: random.Random) -> Iterator[list[int]]:
    """All places in batches of texts of about one length, in a seeded order."""
    places = list(range(len(lengths)))
    rng.shuffle(places)
    size = batch * _BATCHES_SORTED
    for start in range(0, len(places), size):
        group = sorted(places[start : start + size], key=lengths.__getitem__)
        batches = [group[at : at + batch] for at in range(0, len(group), batch)]
        rng.shuffle(batches)
        yield from batches


def _bare(line: str) -> str:
    """A text as the T5's tokenizer reads it, without the closing mark."""
    return line.rstrip(" ?.")


def _span(line: str, rng: random.Random) -> str:
    """Some words in a row."""
    words = line.split()
    count = rng.randint(*_SPAN)
    start = rng.randint(0, max(0, len(words) - count))
    return _bare(" ".join(words[start : start + count]))


def _texts(sources: Sequence[Source], guard: Guard) -> Iterator[str]:
    """Everything that training may read, questions and sentences."""
    passages = {passage.id: passage for source in sources for passage in source.passages.values()}
    allowed = {name for name, passage in passages.items() if guard.allows(passage)}
    for source in sources:
        for question in source.of("train"):
            if guard.allows_question(question.question):
                yield question.question
        for name in source.passages:
            if name in allowed:
                sentences = _SENTENCE.split(source.passages[name].text)
                yield from (sentence for sentence in sentences if len(sentence) > _SHORTEST)
    for context in _rows(QUESTIONS):
        if allowed.issuperset(context["passages"]):
            for question in context["questions"]:
                if guard.allows_question(question["question"]):
                    yield question["question"]
    for request in _rows(WRITTEN / "train_everyday.jsonl"):
        yield request["question"]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, distil, and write the folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of the question sets")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--limit", type=int, default=0, help="at most this many lines; 0 is all")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--bf16", action="store_true", help="twice as fast on some processors")
    parser.add_argument("--vectors", type=Path, help="keep MiniLM's vectors (.npy) for other runs")
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = parser.parse_args(given)
    started = time.monotonic()
    lines = lines_of([read_source(options.data / name) for name in SETS], options.seed)
    lines = lines[: options.limit or None]
    vectors = _vectors(lines, options.vectors)
    taught = time.monotonic()
    network = make_network(
        (),
        base=MINILM,
        dropout=0.0,
        seed=options.seed,
        width=options.width,
        layers=options.layers,
        outputs=vectors.shape[1],
    )
    held_out = min(HELD_OUT, len(lines) // 10)
    train = distil(
        network, lines[held_out:], vectors[held_out:], epochs=options.epochs, batch=options.batch,
        rate=options.rate, seed=options.seed, bf16=options.bf16,
    )  # fmt: skip
    for step, steps, loss in train:
        minutes = (time.monotonic() - taught) / 60
        print(f"step {step} of {steps}: cosine {1 - loss:.4f}, {minutes:.1f} minutes", flush=True)
    cosine = held_out_cosine(network, lines[:held_out], vectors[:held_out])
    save_base(network, options.out)
    result = {
        "command": "python -m lab.distil_t5 " + shlex.join(given),
        "lines": len(lines) - held_out,
        "held_out": held_out,
        "held_out_cosine": round(cosine, 4),
        "seconds": {
            "vectors": round(taught - started),
            "training": round(time.monotonic() - taught),
        },
    }
    (options.out / "distilled.json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result))
    return 0


def _vectors(lines: Sequence[str], path: Path | None) -> Vectors:
    """MiniLM's vectors of the lines [n, 384], read from the file if they are there."""
    if path and path.exists():
        kept: Vectors = np.load(path)
        if len(kept) != len(lines):
            raise SystemExit(f"{path} holds {len(kept)} vectors for {len(lines)} lines; remove it.")
        return kept
    found = MiniLMEmbedder().embed_documents(list(lines))
    if path:
        np.save(path, found)
    return found


if __name__ == "__main__":
    sys.exit(main())
