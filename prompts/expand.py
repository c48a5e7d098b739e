"""Name the words of the place that answers a question, before the first search."""

from __future__ import annotations

from typing import Final

from hopyard.models.prompt import Example, Output, Prompt, Shorter


class Place(Output):
    """Words of the place that answers a question."""

    place: str
    labels: list[str]
    about: str

    @property
    def words(self) -> str:
        """All of them, to search for."""
        return f"{self.place}: {', '.join(self.labels)}. {self.about}"


EXPAND: Final = Prompt(
    name="expand",
    version=1,
    system=(
        "You help to search documents. Do not answer the question. Name the words that the place "
        "with the answer has:\n"
        "place: the statement, table or section that holds it.\n"
        "labels: the labels of its rows, or its headings, as such documents word them, with "
        "synonyms; if the answer must be worked out, the labels of all figures that it is worked "
        "out from.\n"
        "about: the company, person or thing, the period, and the kind of document.\n"
        "Name no figures."
    ),
    template="Question: $question",
    output=Place,
    max_tokens=256,
    examples=(
        Example(
            {"question": "Did the margin of Harlan Ferries rise in 2023?"},
            Place(
                place="income statement",
                labels=["revenue", "sales", "operating income", "profit from operations"],
                about="Harlan Ferries, 2023 and 2022, annual report",
            ),
        ),
    ),
    capable=Shorter(examples=0, max_tokens=2000),
)
