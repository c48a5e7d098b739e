"""Words that are there once, for generated files."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

STEMS = ("pier", "Kran", "löwe", "мост", "ácido", "κύμα", "don't", "gate-way", "naïve", "øre")
LATIN = ("pier", "Kran", "löwe", "ácido", "don't", "gate-way", "naïve", "øre")


class Words:
    """Words that are there once, chosen with a seed that hypothesis gives.

    Attributes:
        made: All of them, in order.
    """

    def __init__(self, chance: random.Random, stems: tuple[str, ...] = STEMS) -> None:
        self.chance = chance
        self.made: list[str] = []
        self.stems = stems

    def __call__(self, most: int = 4) -> str:
        """One word or more."""
        some = [f"{self.chance.choice(self.stems)}q{len(self.made) + k}z"
                for k in range(self.chance.randint(1, most))]  # fmt: skip
        self.made += some
        return " ".join(some)

    def one(self, *makes: Callable[[], Any]) -> Any:
        """One of several parts."""
        return self.chance.choice(makes)()

    def some(self, make: Callable[[], str], most: int = 4) -> str:
        """Some parts, one after the other."""
        return "".join(make() for _ in range(self.chance.randint(1, most)))
