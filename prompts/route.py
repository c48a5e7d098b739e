"""Choose the strategy that retrieves least and still will do."""

from __future__ import annotations

from typing import Final, Literal

from hopyard.prompts.prompt import Example, Output, Prompt

__all__ = ("ROUTE", "ROUTE_REASONS", "Route")

RoutedStrategy = Literal["direct", "single", "tree"]


class Route(Output):
    """The strategy chosen."""

    strategy: RoutedStrategy


ROUTE_REASONS: Final[dict[RoutedStrategy, str]] = {
    "direct": "it asks for no fact from a document: greeting, arithmetic, language, common sense",
    "single": "it asks for one fact, which one passage can state",
    "tree": "it compares things or joins facts, which stand in several passages",
}
"""What each label means: told to the model, and recorded as the reason of its choice."""


def _example(question: str, strategy: RoutedStrategy) -> Example[Route]:
    return Example({"question": question}, Route(strategy=strategy))


ROUTE: Final = Prompt(
    name="route",
    version=1,
    system="Say how the question is answered best.\n"
    + "\n".join(f"{strategy}: {reason}." for strategy, reason in ROUTE_REASONS.items()),
    template="Question: $question",
    output=Route,
    max_tokens=16,
    examples=(
        _example("Good morning, how are you?", "direct"),
        _example("Who wrote the novel Moby-Dick?", "single"),
        _example("Which was built first, the Eiffel Tower or the Brooklyn Bridge?", "tree"),
        _example("What is 9 times 8?", "direct"),
        _example("In which year did the Battle of Hastings take place?", "single"),
        _example("Where was the director of the film Jaws born?", "tree"),
        _example("What is the plural of child?", "direct"),
        _example("What is the highest mountain in Peru?", "single"),
        _example("Are the Seine and the Loire both in France?", "tree"),
        _example("Put this in the past tense: She sings.", "direct"),
        _example("How many strings does a violin have?", "single"),
        _example("Who founded the company that makes the PlayStation?", "tree"),
        _example("How many hours are in three days?", "direct"),
        _example("Which painter made the first portrait of Napoleon?", "single"),
        _example("Which is longer, the Nile or the Amazon?", "tree"),
        _example("What is a word that means the opposite of big?", "direct"),
        _example("What was the name of the ship that Darwin sailed on?", "single"),
        _example("When did the inventor of the telephone die?", "tree"),
        _example("What is 14 plus 5?", "direct"),
        _example("Were Mozart and Haydn born in the same city?", "tree"),
        _example("How tall is Mont Blanc?", "single"),
    ),
)
