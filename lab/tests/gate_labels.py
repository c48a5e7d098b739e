"""Labels that a tiny classifier learns: what is red needs no document, what is blue does."""

from __future__ import annotations

from hopyard.classifiers.labels import Label

__all__ = ("separable",)


def separable(count: int = 12) -> list[Label]:
    return [
        Label(
            id=f"{word}-{number}",
            question=f"{word} {number}",
            answers=("a",),
            model="m",
            value="answer-f1",
            k=5,
            rule="contribution",
            label=value,
        )
        for value, word in ((0, "red"), (1, "blue"))
        for number in range(count)
    ]  # fmt: skip
