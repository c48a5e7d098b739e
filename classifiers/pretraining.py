"""Pre-training of the small T5 on text without labels: remedies for few labelled questions.

`denoise` is T5's own (Raffel et al. 2020, section 3.1.4): write the spans that were left out.
`distil` makes the state that the classifier reads tell what the embedding model tells of the text:
sentences that mean alike come to lie together, which a thousand labels cannot teach.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal

from hopyard.classifiers.t5 import SENTINELS, Network

__all__ = ("PRETRAININGS", "Pretraining", "pretrain", "spans_left_out")

Pretraining = Literal["none", "denoise", "distil", "both"]
PRETRAININGS: Final = ("none", "denoise", "distil", "both")
RATE: Final = 1e-3
TEXT_TOKENS: Final = 64
"""Of a text: sentences, about as long as questions."""
LEFT_OUT: Final = 0.15
SPAN: Final = 3
"""Tokens of a left-out span on average (Raffel et al. 2020: 15 % in spans of 3)."""
_IGNORED: Final = -100
Progress = Callable[[str, int, int], None]


def pretrain(
    network: Network,
    texts: Sequence[str],
    kind: Pretraining,
    *,
    steps: int,
    batch: int,
    seed: int,
    progress: Progress,
) -> dict[str, float]:
    """Train the network's body in place.

    Args:
        network: Its classifier's head is left alone.
        texts: The text.
        kind: What is learned; `both` denoises first.
        steps: Of each kind.
        batch: Texts a step.
        seed: Of the order and of the spans.
        progress: Told after each step.

    Returns:
        The mean loss of the last tenth of the steps, by kind.
    """
    learned: dict[str, Callable[[list[str], random.Random], Any]] = {}
    parameters = list(network.model.transformer.parameters())
    if kind in {"denoise", "both"}:
        learned["denoise"] = _Denoising(network)
    if kind in {"distil", "both"}:
        distilling = _Distilling(network)
        parameters += list(distilling.projection.parameters())
        learned["distil"] = distilling
    losses = {}
    for name, loss in learned.items():
        found = _train(loss, parameters, texts, steps, batch, seed, progress, name)
        losses[name] = found
    return losses


def _train(
    loss_of: Callable[[list[str], random.Random], Any],
    parameters: Sequence[Any],
    texts: Sequence[str],
    steps: int,
    batch: int,
    seed: int,
    progress: Progress,
    name: str,
) -> float:
    import torch  # noqa: PLC0415

    rng = random.Random(f"{seed} {name}")  # noqa: S311  (no secret)
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.01)
    warm = max(1, steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.02, 1 - step / max(1, steps)))
    )
    losses = []
    for step, chosen in enumerate(_batches(texts, steps, batch, rng), 1):
        loss = loss_of(chosen, rng)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
        progress(name, step, steps)
    last = losses[-max(1, steps // 10) :]
    return sum(last) / len(last)


def _batches(
    texts: Sequence[str], steps: int, batch: int, rng: random.Random
) -> Iterator[list[str]]:
    for _ in range(steps):
        yield [rng.choice(texts) for _ in range(batch)]


def spans_left_out(
    ids: Sequence[int], sentinels: Sequence[int], rng: random.Random
) -> tuple[list[int], list[int]]:
    """What is shown and what is to be written, with a sentinel for each left-out span.

    Args:
        ids: A text's tokens, without the end token.
        sentinels: Token ids that stand for spans; no more spans are left out.
        rng: Chooses the spans.

    Returns:
        Shown tokens and wanted tokens; wanted ends with one more sentinel where there is one.
    """
    shown: list[int] = []
    wanted: list[int] = []
    place, used = 0, 0
    while place < len(ids):
        if used < len(sentinels) - 1 and rng.random() < LEFT_OUT / SPAN:
            length = min(1 + int(rng.expovariate(1 / (SPAN - 1))), len(ids) - place)
            shown.append(sentinels[used])
            wanted += [sentinels[used], *ids[place : place + length]]
            place, used = place + length, used + 1
        else:
            shown.append(ids[place])
            place += 1
    return shown, [*wanted, sentinels[used]]


class _Denoising:
    def __init__(self, network: Network) -> None:
        self._body, self._tokenizer = network.model.transformer, network.tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(TEXT_TOKENS)
        self._sentinels = [
            self._tokenizer.token_to_id(f"<extra_id_{one}>") for one in range(SENTINELS)
        ]

    def __call__(self, texts: list[str], rng: random.Random) -> Any:
        import torch  # noqa: PLC0415
        from torch.nn.functional import cross_entropy  # noqa: PLC0415

        config = self._body.config
        end = config.eos_token_id
        pairs = [
            spans_left_out(one.ids[:-1], self._sentinels, rng)
            for one in self._tokenizer.encode_batch(texts)
        ]
        shown = _padded([[*one, end] for one, _ in pairs], config.pad_token_id)
        wanted = _padded([[*one, end] for _, one in pairs], _IGNORED)
        start = torch.full((len(texts), 1), config.decoder_start_token_id)
        before = torch.cat([start, wanted[:, :-1].clamp(min=config.pad_token_id)], dim=1)
        states = self._body(
            input_ids=shown,
            attention_mask=shown.ne(config.pad_token_id).long(),
            decoder_input_ids=before,
        ).last_hidden_state
        logits = states * config.d_model**-0.5 @ self._body.shared.weight.T
        return cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=_IGNORED)


class _Distilling:
    def __init__(self, network: Network) -> None:
        from torch import nn  # noqa: PLC0415

        from hopyard.models.embeddings import embedder  # noqa: PLC0415

        self._model, self._tokenizer = network.model, network.tokenizer
        self._teacher = embedder("embedded")
        self._known: dict[str, Any] = {}
        self.projection = nn.Linear(network.model.config.d_model, self._teacher.dimension)

    def __call__(self, texts: list[str], _rng: random.Random) -> Any:
        import torch  # noqa: PLC0415
        from torch.nn.functional import cosine_similarity  # noqa: PLC0415

        config = self._model.config
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(TEXT_TOKENS)
        new = sorted(set(texts) - set(self._known))
        if new:
            vectors = self._teacher.embed_documents(new)
            self._known |= dict(zip(new, torch.tensor(vectors), strict=True))
        ids = _padded([one.ids for one in self._tokenizer.encode_batch(texts)], config.pad_token_id)
        states = _read_states(self._model, ids)
        wanted = torch.stack([self._known[one] for one in texts])
        return 1 - cosine_similarity(self.projection(states), wanted).mean()


def _read_states(model: Any, ids: Any) -> Any:
    """The state [n, width] that the classifier's head reads: the decoder's at the end token."""
    import torch  # noqa: PLC0415

    config = model.config
    start = torch.full((len(ids), 1), config.decoder_start_token_id)
    states = model.transformer(
        input_ids=ids,
        attention_mask=ids.ne(config.pad_token_id).long(),
        decoder_input_ids=torch.cat([start, ids[:, :-1]], dim=1),
    ).last_hidden_state
    ends = ids.eq(config.eos_token_id).long().argmax(1)
    return states[torch.arange(len(ids)), ends]


def _padded(rows: Sequence[Sequence[int]], padding: int) -> Any:
    import torch  # noqa: PLC0415

    longest = max(map(len, rows))
    return torch.tensor([[*one, *[padding] * (longest - len(one))] for one in rows])
