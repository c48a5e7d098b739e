"""Questions about a whole corpus: personas, their tasks, and the questions of each task.

Edge et al., "From Local to Global: A GraphRAG Approach to Query-Focused Summarization", 2024,
section 4.1.1 and Algorithm 1. The questions are written once, to a file that every run reads.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hopyard.evaluation.estimate import spread
from hopyard.nodes.run import Run
from hopyard.prompts.judging.global_questions import (
    DESCRIBE_CORPUS,
    Persona,
    personas_prompt,
    questions_prompt,
)
from hopyard.prompts.passages import one_line, passage_lines, snippet
from hopyard.state.storage.atomic import write_file

__all__ = ("Size", "describe_corpus", "save_questions", "write_questions")

_SAMPLE: Final = 60
"""Passages from which a corpus is described."""
_BEGINNING: Final = 200
"""Characters of each."""


@dataclass(frozen=True)
class Size:
    """How many questions to write. The defaults are the paper's: 125 questions.

    Attributes:
        personas: People who use the corpus.
        tasks: Tasks of each.
        questions: Questions of each task.
    """

    personas: int = 5
    tasks: int = 5
    questions: int = 5


async def describe_corpus(run: Run) -> str:
    """What the run's index is about, by its model, from passages spread over the whole.

    Raises:
        IndexMissingError: There is no index.
        ModelOutputError: The model gave no usable description.
    """
    index, allowed = await run.index(), await run.allowed()
    names = (
        await asyncio.to_thread(index.corpus.passage_ids) if allowed is None else sorted(allowed)
    )
    passages = await run.passages(spread(names, _SAMPLE))
    lines = passage_lines(
        [(passage.full_title, snippet(passage.text, _BEGINNING)) for passage in passages]
    )
    found = await run.call(DESCRIBE_CORPUS, {"passages": lines}, step="describe corpus")
    return found.description


async def write_questions(run: Run, about: str, size: Size) -> list[dict[str, Any]]:
    """Write questions about the whole corpus: one call for the people, one for each of them.

    Args:
        run: With the model that writes them.
        about: What the corpus is about, in a few sentences.
        size: How many of each.

    Returns:
        Lines of a question file: `id`, `question`, `persona` and `task`. The same question is not
        asked twice.

    Raises:
        ModelOutputError: The model gave no usable output.
    """
    prompt = personas_prompt(size.personas, size.tasks)
    found = await run.call(prompt, {"about": one_line(about)}, step="personas")
    asked = await asyncio.gather(
        *(_questions_of(run, about, persona, size) for persona in found.personas)
    )
    lines: dict[str, dict[str, Any]] = {}
    for who, (persona, tasks) in enumerate(zip(found.personas, asked, strict=True), 1):
        for which, (task, questions) in enumerate(zip(persona.tasks, tasks, strict=True), 1):
            for number, question in enumerate(questions, 1):
                line = {
                    "id": f"p{who}-t{which}-q{number}",
                    "question": one_line(question),
                    "open": True,
                    "persona": persona.persona,
                    "task": task,
                }
                lines.setdefault(one_line(question).casefold(), line)
    return list(lines.values())


async def _questions_of(
    run: Run, about: str, persona: Persona, size: Size
) -> Sequence[Sequence[str]]:
    values = {
        "about": one_line(about),
        "persona": one_line(persona.persona),
        "tasks": "\n".join(
            f"{number}. {one_line(task)}" for number, task in enumerate(persona.tasks, 1)
        ),
    }
    prompt = questions_prompt(size.tasks, size.questions)
    return (await run.call(prompt, values, step="questions")).tasks


def save_questions(lines: Sequence[dict[str, Any]], path: Path) -> None:
    """Write a question file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_file(path, text.encode("utf-8", "surrogatepass"))
