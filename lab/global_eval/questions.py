"""Questions about a whole corpus: personas, their tasks, and the questions of each task.

Edge et al., "From Local to Global" (GraphRAG), 2024, section 4.1.1 and
Algorithm 1. The questions are written once, to a file that every run reads.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import shared_resources
from hopyard.nodes.run import Run
from hopyard.prompts.passages import one_line, passage_lines, snippet
from hopyard.state.settings.fields import Budget, Context
from hopyard.state.storage.atomic import write_file
from lab.global_eval.question_prompts import (
    DESCRIBE_CORPUS,
    Persona,
    personas_prompt,
    questions_prompt,
)

__all__ = ("describe_corpus", "write_question_file", "write_questions")

_SAMPLE: Final = 60
"""Passages from which a corpus is described."""
_BEGINNING: Final = 200
"""Characters of each."""


async def write_question_file(
    path: Path, context: Context, about: str, personas: int, tasks: int, questions: int
) -> int:
    """Write a file of questions about the whole corpus, whole or not at all.

    Args:
        path: The file.
        context: The settings, with the model that writes the questions.
        about: The topic of the corpus; "" has it described from a sample.
        personas: People who use the corpus.
        tasks: Tasks of each.
        questions: Questions of each task.

    Returns:
        The number of questions.
    """
    run = Run(new_run_id(), context.model_copy(update={"budget": Budget()}), shared_resources())
    topic = about or await describe_corpus(run)
    lines = await write_questions(run, topic, personas, tasks, questions)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_file(path, text.encode("utf-8", "surrogatepass"))
    return len(lines)


async def describe_corpus(run: Run) -> str:
    """The topic of the run's index, by its model, from passages spread over the whole.

    Raises:
        IndexMissingError: There is no index.
        ModelOutputError: The model gave no usable description.
    """
    index, allowed = await run.index(), await run.allowed()
    names = (
        await asyncio.to_thread(index.corpus.passage_ids) if allowed is None else sorted(allowed)
    )
    passages = await run.passages(_spread(names, _SAMPLE))
    lines = passage_lines(
        [(passage.full_title, snippet(passage.text, _BEGINNING)) for passage in passages]
    )
    found = await run.call(DESCRIBE_CORPUS, {"passages": lines}, step="describe corpus")
    return found.description


async def write_questions(
    run: Run, about: str, personas: int, tasks: int, questions: int
) -> list[dict[str, Any]]:
    """Write questions about the whole corpus: one call for the people, one for each of them.

    Args:
        run: With the model that writes them.
        about: The topic of the corpus, in a few sentences.
        personas: People who use the corpus.
        tasks: Tasks of each.
        questions: Questions of each task. The paper has 5 of each: 125 questions.

    Returns:
        Lines of a question file: `id`, `question`, `persona` and `task`. The same question is not
        asked twice.

    Raises:
        ModelOutputError: The model gave no usable output.
    """
    prompt = personas_prompt(personas, tasks)
    found = await run.call(prompt, {"about": one_line(about)}, step="personas")
    asked = await asyncio.gather(
        *(_questions_of(run, about, persona, questions) for persona in found.personas)
    )
    lines: dict[str, dict[str, Any]] = {}
    for who, (persona, by_task) in enumerate(zip(found.personas, asked, strict=True), 1):
        for which, (task, texts) in enumerate(zip(persona.tasks, by_task, strict=True), 1):
            for number, question in enumerate(texts, 1):
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
    run: Run, about: str, persona: Persona, questions: int
) -> Sequence[Sequence[str]]:
    values = {
        "about": one_line(about),
        "persona": one_line(persona.persona),
        "tasks": "\n".join(
            f"{number}. {one_line(task)}" for number, task in enumerate(persona.tasks, 1)
        ),
    }
    prompt = questions_prompt(len(persona.tasks), questions)
    return (await run.call(prompt, values, step="questions")).tasks


def _spread(items: Sequence[str], count: int) -> list[str]:
    """So many items, each from the middle of an equal part of the list."""
    count = min(count, len(items))
    return [items[(2 * part + 1) * len(items) // (2 * count)] for part in range(count)]
