"""Map passages to points, as `global` maps reports.

The points are those of global search (`global_search.REDUCE` answers from them); their `findings`
are the numbers of passages.
"""

from __future__ import annotations

from typing import Final

from hopyard.models.prompt import Example, Prompt
from hopyard.prompts.answer import ROOM_TO_THINK
from hopyard.prompts.passages import passage_lines
from hopyard.prompts.strategies.global_search import (
    DISASTERS,
    EACH_POINT,
    MATERIAL,
    FewPoints,
    Points,
)

_MATERIAL: Final = MATERIAL.format(what="passages")

MAP_PASSAGES: Final[Prompt[Points]] = Prompt(
    name="map-passages",
    version=1,
    system=(
        "Read passages, which are numbered. Write the points that help to answer the question, 3 "
        "at most, each in one sentence, with the numbers of its passages in findings, and a score "
        "from 0 (no help) to 100 (it answers the question). If nothing helps, write no point. "
        + _MATERIAL
    ),
    template="Passages:\n$passages\n\nQuestion: $question",
    output=FewPoints,
    max_tokens=512,
    examples=(
        Example(
            {
                "passages": passage_lines(
                    [
                        ("Vienna", "The Danube flooded Vienna in 2002."),
                        ("Linz", "Cruise ships stop at Linz."),
                        ("Hamburg", "A storm closed the port of Hamburg in 2013."),
                    ]
                ),
                "question": "Which natural disasters do the documents describe?",
            },
            DISASTERS,
        ),
    ),
    capable=Prompt(
        name="map-passages",
        version=2,
        system=(
            "A question about a whole collection of documents is answered in two steps. In this "
            "step you read some passages of the collection and write down what they contribute to "
            "the answer; others read the other passages. The second step sees only your points.\n"
            "points: the key points that help to answer the question, fifteen at most, "
            + EACH_POINT.format(what="passages", material="passages", question="question")
            + _MATERIAL
        ),
        template="Passages:\n$passages\n\nQuestion: $question",
        output=Points,
        max_tokens=ROOM_TO_THINK,
    ),
)
