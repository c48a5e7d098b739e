"""Questions with their right answers, kept from answers or dropped as a file, and evaluations."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from hopyard.evaluation.plan import Plan, check_plan, open_info
from hopyard.evaluation.records import Record, RecordFile
from hopyard.evaluation.report import make_report
from hopyard.evaluation.runner import run_plan
from hopyard.evaluation.summary import StrategyResult
from hopyard.evaluation.variants import parse_variants
from hopyard.measures.questions import Question, fingerprint, read_questions
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError, ThreadBusyError, UsageError
from hopyard.state.extras import require
from hopyard.state.settings.fields import Budget, Context
from hopyard.state.settings.index_address import lasting_index
from hopyard.state.settings.sources import change_context, home
from hopyard.state.storage.atomic import write_file
from hopyard.tracing.model import Trace
from hopyard.tracing.read import trace_of

__all__ = ("KEPT", "Measuring")

KEPT: Final = "kept"
"""The name of the questions that were kept from answers."""
_MOST_BYTES: Final = 5_000_000
"""Of a file of questions."""
_MOST_QUESTIONS: Final = 200
_AT_ONCE: Final = 4
"""Questions: others who ask the server meanwhile have to be answered too."""
_log = logging.getLogger(__name__)


@dataclass
class Measuring:
    """The question files of an index, and the evaluation that is under way or was the last.

    Args:
        context: The settings of the server's questions.
        resources: Indexes, models and the ledger.

    Attributes:
        state: `running`, the set's name, `progress`, and at the end `error` or `report`.
    """

    context: Context
    resources: Resources
    state: dict[str, Any] = field(default_factory=dict)
    _records: list[Record] = field(default_factory=list)
    _task: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        index = lasting_index(self.context.index)
        self._folder = home() / "questions" / sha256(index.encode()).hexdigest()[:16]

    def sets(self) -> dict[str, list[Question]]:
        """The questions of every file, by its name."""
        files = sorted(self._folder.glob("*.jsonl"), key=lambda file: file.stem != KEPT)
        return {file.stem: read_questions(file) for file in files}

    def keep(self, question: str, answer: str) -> None:
        """Keep a question with its right answer. It replaces the same question.

        Raises:
            UsageError: One of them is empty.
        """
        question, answer = " ".join(question.split()), " ".join(answer.split())
        if not question or not answer:
            raise UsageError("A question to keep needs its right answer: write it down.")
        self.drop(KEPT, question)
        others = self.sets().get(KEPT, [])
        name = sha256(question.encode()).hexdigest()[:12]
        self._write([*others, Question(id=name, question=question, answers=(answer,))])

    def drop(self, name: str, question: str = "") -> None:
        """Forget a kept question, or a whole file."""
        if name == KEPT and question:
            kept = self.sets().get(KEPT, [])
            self._write([each for each in kept if question not in {each.id, each.question}])
        else:
            self._file(name).unlink(missing_ok=True)

    async def receive(self, name: str, content: AsyncIterator[bytes]) -> None:
        """Keep a file of questions.

        Raises:
            UsageError: There is such a file, it is too large, or a line is no question.
        """
        if (file := self._file(name)).exists():
            raise UsageError(f"There is a file {file.stem!r} already: remove it first.")
        body = bytearray()
        async for piece in content:
            body += piece
            if len(body) > _MOST_BYTES:
                raise UsageError(f"{name!r} is larger than {_MOST_BYTES // 1_000_000} MB.")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            write_file(file, bytes(body))
            if len(found := read_questions(file)) > _MOST_QUESTIONS:
                raise UsageError(
                    f"{name!r} has {len(found)} questions, the page asks {_MOST_QUESTIONS} at most:"
                    " use `hopyard eval`."
                )
        except UsageError:
            file.unlink()
            raise

    def begin(self, name: str, strategies: Sequence[str], calls: int) -> None:
        """Begin to ask the questions of a file that have no answer under these settings.

        Args:
            name: The file.
            strategies: One column each.
            calls: Model calls at most; 0 for no limit.

        Raises:
            ThreadBusyError: An evaluation is running.
            UsageError: There is no such file, or a strategy cannot be evaluated on the index.
        """
        if self._task and not self._task.done():
            raise ThreadBusyError("An evaluation is running: wait until it is done, or stop it.")
        require("An evaluation", "eval")
        if not (questions := self.sets().get(name)):
            raise UsageError(f"There are no questions {name!r}.")
        if not (variants := parse_variants(strategies)):
            raise UsageError("Choose a strategy.")
        # Short answers are compared with the right answer, and the rules check them without calls.
        context = change_context(self.context, {"answer": {"style": "short", "check": "rules"}})
        plan = Plan(
            name, questions, variants, context, variants[0].name, _AT_ONCE, "", self.resources
        )
        limits = Budget(calls=calls or None)
        self.state, self._records = {"running": True, "set": name}, []
        self._task = asyncio.create_task(self._run(plan, limits, self.state))

    def close(self) -> None:
        """Stop an evaluation. Its answers so far are kept: the same evaluation continues."""
        if self._task:
            self._task.cancel()

    async def trace(self, strategy: str, question: str) -> Trace:
        """The trace of an answer of the last evaluation.

        Raises:
            UsageError: There is no such answer.
        """
        for record in self._records:
            if (record.strategy, record.question_id) == (strategy, question):
                return await asyncio.to_thread(self._trace, record)
        raise UsageError("There is no such answer any more: run the evaluation again.")

    def _trace(self, record: Record) -> Trace:
        uses = self.resources.ledger.uses(record.run)
        values = record.model_dump(mode="json", exclude_none=True)
        values["usage"], values["evidence"] = {"seconds": record.cost.seconds}, []
        asked_for = {"strategy": record.strategy, "by": "forced", "reason": "", "probability": None}
        values.setdefault("route", asked_for)
        trace = trace_of("evaluation", values, {}, (), uses, self.context.index)
        return replace(trace, asked_of_model=self.resources.ledger.asked({use.key for use in uses}))

    async def _run(self, plan: Plan, limits: Budget, state: dict[str, Any]) -> None:
        def tell(stage: str, done: int, total: int) -> None:
            state["progress"] = {"stage": stage, "done": done, "total": total}

        try:
            new = await asyncio.to_thread(check_plan, plan)
            about = f"{new.model_dump_json(exclude={'run'})} {fingerprint(plan.questions)}"
            folder = home() / "evaluations" / f"page-{sha256(about.encode()).hexdigest()[:16]}"
            with RecordFile.open(folder) as file:
                info = open_info(folder, new)
                outcome = await run_plan(plan, info, file, limits=limits, progress=tell)
                report = await asyncio.to_thread(make_report, plan, info, file.rows)
            self._records = file.rows
            names = [variant.name for variant in plan.variants]
            state |= {
                "report": [_row(name, result) for name, result in report.strategies.items()],
                "wrong": [
                    _wrong(each)
                    for each in file.rows
                    if each.strategy in names and each.accuracy < 1
                ],
                "stopped": outcome.stopped,
                "folder": str(folder),
            }
        except HopyardError as error:
            state["error"] = str(error)
        except Exception:  # the boundary of an evaluation: the page gets a sentence
            _log.exception("An evaluation failed")
            state["error"] = "The evaluation failed; the server's log says why."
        finally:
            state["running"] = False

    def _file(self, name: str) -> Path:
        signs = (sign if sign.isalnum() else "-" for sign in name.removesuffix(".jsonl"))
        return self._folder / f"{''.join(signs)[:60] or 'questions'}.jsonl"

    def _write(self, questions: Sequence[Question]) -> None:
        if not questions:
            self._file(KEPT).unlink(missing_ok=True)
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        rows = (each.model_dump_json(include={"id", "question", "answers"}) for each in questions)
        write_file(self._file(KEPT), "".join(f"{row}\n" for row in rows).encode())


def _row(name: str, result: StrategyResult) -> dict[str, Any]:
    used = result.usage
    return {
        "strategy": name,
        "questions": result.n,
        "right": result.accuracy,
        "exact": result.em,
        "f1": result.f1,
        "unanswered": result.unanswered,
        "failed": result.failures,
        "calls": used["model_calls"],
        "tokens": used["input_tokens"] + used["output_tokens"],
        "seconds": used["seconds"],
    }


def _wrong(record: Record) -> dict[str, Any]:
    return {
        "id": record.question_id,
        "strategy": record.strategy,
        "question": record.question,
        "answer": record.answer,
        "right": list(record.gold),
        "read": record.answer_in_evidence,
        "failures": list(record.failures),
        "steps": list(record.steps),
    }
