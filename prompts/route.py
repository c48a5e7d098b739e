"""Choose the strategy that retrieves least and still will do."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import create_model

from hopyard.models.prompt import Example, Output, Prompt

__all__ = ("ROUTE", "ROUTE_REASONS", "ROUTE_WITH_HOP", "Route")

RoutedStrategy = Literal["direct", "single", "tree", "hop"]


class Route(Output):
    """The strategy chosen."""

    strategy: RoutedStrategy


ROUTE_REASONS: Final[dict[RoutedStrategy, str]] = {
    "direct": "it asks for no fact from a document: greeting, arithmetic, language, common sense",
    "single": "it asks for one fact, which one passage can state",
    "tree": "it compares things or joins facts, which stand in several passages",
    "hop": "it asks about something that it does not name: one passage has to say what that is",
}
"""What each label means: told to the model, and recorded as the reason of its choice."""


_EXAMPLES: Final[tuple[tuple[str, RoutedStrategy], ...]] = (
    ("Good morning, how are you?", "direct"),
    ("Who wrote the novel Moby-Dick?", "single"),
    ("Which was built first, the Eiffel Tower or the Brooklyn Bridge?", "tree"),
    ("What is 9 times 8?", "direct"),
    ("In which year did the Battle of Hastings take place?", "single"),
    ("Where was the director of the film Jaws born?", "hop"),
    ("What is the plural of child?", "direct"),
    ("What is the highest mountain in Peru?", "single"),
    ("Are the Seine and the Loire both in France?", "tree"),
    ("Put this in the past tense: She sings.", "direct"),
    ("How many strings does a violin have?", "single"),
    ("Who founded the company that makes the PlayStation?", "hop"),
    ("How many hours are in three days?", "direct"),
    ("Which painter made the first portrait of Napoleon?", "single"),
    ("Which is longer, the Nile or the Amazon?", "tree"),
    ("What is a word that means the opposite of big?", "direct"),
    ("What was the name of the ship that Darwin sailed on?", "single"),
    ("When did the inventor of the telephone die?", "hop"),
    ("What is 14 plus 5?", "direct"),
    ("Were Mozart and Haydn born in the same city?", "tree"),
    ("How tall is Mont Blanc?", "single"),
)


def _prompt(*offered: RoutedStrategy) -> Prompt[Route]:
    """The prompt that offers these strategies; what `hop` would answer best is else for `tree`."""
    labels: Any = Literal.__getitem__(offered)
    best = [(text, label if label in offered else "tree") for text, label in _EXAMPLES]
    return Prompt(
        name="route",
        version=2,
        system="Say how the question is answered best.\n"
        + "\n".join(f"{strategy}: {ROUTE_REASONS[strategy]}." for strategy in offered),
        template="Question: $question",
        output=create_model("Route", __base__=Route, strategy=(labels, ...)),
        max_tokens=16,
        examples=[Example({"question": text}, Route(strategy=label)) for text, label in best],
    )


ROUTE: Final = _prompt("direct", "single", "tree")
"""For an index without a passage graph: a strategy that cannot run is not offered."""

ROUTE_WITH_HOP: Final = _prompt("direct", "single", "tree", "hop")
"""For an index with one."""
