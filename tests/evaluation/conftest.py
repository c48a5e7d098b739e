"""Questions over the bridges' index, and a plan that asks the scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hopyard.evaluation.plan import Plan, RunInfo
from hopyard.evaluation.records import Found, PromptCalls, Record, RecordCost
from hopyard.evaluation.report import Report, make_report, save_report
from hopyard.evaluation.variants import parse_variants
from hopyard.measures.questions import Question, read_questions
from hopyard.state.settings.fields import Context

from ..graphs.chain.conftest import context, graphs_context, index, passages, script

__all__ = ("context", "graphs_context", "index", "passages", "script")

OPENED = "When was the Iron Bridge opened?"
RIVER = "Which river does the Stone Bridge cross?"
FIRST = "Which was built first, the Iron Bridge or the Stone Bridge?"
ROWS = [
    {"id": "q1", "question": OPENED, "answers": ["1781"], "supporting_ids": ["iron-bridge"]},
    {"id": "q2", "question": RIVER, "answers": ["Danube"], "supporting_ids": ["stone-bridge"]},
    {
        "id": "q3",
        "question": FIRST,
        "answers": ["the Stone Bridge"],
        "supporting_ids": ["iron-bridge", "stone-bridge"],
        "type": "comparison",
        "split": "dev",
    },
]

MakePlan = Callable[..., Plan]


@pytest.fixture
def questions_file(tmp_path: Path) -> Path:
    """Three questions; the last question is of the split dev."""
    path = tmp_path / "bridges" / "questions.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def plan(context: Context, questions_file: Path) -> MakePlan:
    """Make a plan of some strategies."""

    def make(names: Sequence[str] = ("direct", "single", "tree"), **settings: Any) -> Plan:
        changed = Context.model_validate({**context.model_dump(), **settings})
        return Plan(
            name="bridges",
            questions=read_questions(questions_file),
            variants=parse_variants(names),
            context=changed,
            baseline=names[0],
            parallel=1,
        )

    return make


def record(question: str = "q1", strategy: str = "single", **values: Any) -> Record:
    """A record of a right answer that took one call, with other values where they are given."""
    default: dict[str, Any] = {
        "question_id": question,
        "strategy": strategy,
        "question": OPENED,
        "type": "",
        "gold": ("1781",),
        "supporting_ids": ("iron-bridge",),
        "answer": "1781",
        "em": 1.0,
        "f1": 1.0,
        "accuracy": 1.0,
        "retrieval": {"precision": 0.5, "recall": 1.0, "f1": 2 / 3, "recall_at_5": 1.0},
        "retrieved": True,
        "answer_in_evidence": True,
        "evidence": (
            Found(passage_id="iron-bridge", document_id="iron-bridge", title="", score=1.0),
        ),
        "citations": (),
        "steps": (),
        "truncated": False,
        "unanswered": False,
        "failures": (),
        "cost": RecordCost(model_calls=1, input_tokens=90, output_tokens=10, seconds=1.0),
        "calls": {"answer/1": PromptCalls(calls=1, parsed=1, input_tokens=90, output_tokens=10)},
        "documents": {"iron-bridge": "iron-bridge"},
    }
    return Record(**(default | values))


def question(**values: Any) -> Question:
    """One question."""
    return Question.model_validate({"id": "q1", "question": OPENED, "answers": ["1781"]} | values)


NAMES = ("single", "direct", "tree", *(f"tree@tree.max_depth={depth}" for depth in (1, 2)))


def report_of(plan: MakePlan, folder: Path, names: Any = NAMES, **values: Any) -> Report:
    asked = plan(names)
    records = [
        record(question.id, name, **(values if name == "tree" else {}))
        for question in asked.questions
        for name in names
    ]
    info = RunInfo(
        run="r",
        name=folder.name,
        model="a-model",
        embedding="words",
        index="",
        index_created="",
        settings=Context().model_dump(mode="json"),
    )
    report = make_report(asked, info, records)
    folder.mkdir(parents=True, exist_ok=True)
    save_report(report, folder)
    return report
