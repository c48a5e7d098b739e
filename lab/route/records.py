"""The records of evaluations as a route sees them: what each strategy made of each question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from hopyard.evaluation.plan import INFO_FILE, RunInfo
from hopyard.evaluation.records import RECORDS_FILE, Record, read_records
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import AUTO
from hopyard.state.strategy import STRATEGIES
from lab.route.outcomes import Answered, Outcome

__all__ = ("RouteRecords", "read_route_records", "reading")


@dataclass(frozen=True)
class RouteRecords:
    """Questions that the same strategies answered.

    Attributes:
        model: The chat model that answered.
        strategies: Strategies that answered every question, cheap strategies first.
        left_out: Strategies that some question set lacks.
        answered: The questions that each of `strategies` answered.
        infos: The settings of each set's records, from its last folder.
    """

    model: str
    strategies: tuple[str, ...]
    left_out: tuple[str, ...]
    answered: tuple[Answered, ...]
    infos: Mapping[str, RunInfo]

    def of(self, name: str) -> list[Answered]:
        """The questions of one set."""
        return [each for each in self.answered if each.set == name]


def reading(names: Iterable[str]) -> tuple[str, ...]:
    """Those strategies that read documents."""
    return tuple(name for name in names if STRATEGIES[name].retrieves)


def read_route_records(folders: Sequence[Path], strategies: Sequence[str] = ()) -> RouteRecords:
    """Read the folders that `hopyard eval --out` wrote.

    Folders of one question set are read together: a later record of a question and strategy
    replaces an earlier one. Variants such as `tree+rerank` are not read, because no route can
    choose them.

    Args:
        folders: One or more.
        strategies: Those to compare; empty for all that every set has.

    Raises:
        UsageError: A folder has no records, the records are of several models, a strategy has no
            records, or no question was answered by all of them.
    """
    infos, records = _read_all(folders)
    models = sorted({info.model for info in infos.values()})
    if len(models) > 1:
        raise UsageError(f"The records are of several models ({', '.join(models)}); give one's.")
    sets = {name: set(_by_strategy(rows)) for name, rows in records.items()}
    everywhere = set.intersection(*sets.values()) - {AUTO}
    left_out = set.union(*sets.values()) - {AUTO} - everywhere
    if strategies:
        _check_known(strategies, everywhere)
        everywhere, left_out = set(strategies), set()
    names = tuple(sorted(everywhere, key=lambda name: (STRATEGIES[name].rank, name)))
    answered = [
        each for name, rows in records.items() for each in _answered(name, rows.values(), names)
    ]
    if not names or not answered:
        raise UsageError(
            "No question was answered by the same strategies everywhere; run `hopyard eval` with "
            "the same --strategies on each set, or choose some with --strategies."
        )
    kept = {name: info for name, info in infos.items() if any(a.set == name for a in answered)}
    return RouteRecords(models[0], names, tuple(sorted(left_out)), tuple(answered), kept)


_Key = tuple[str, str]


def _read_all(
    folders: Sequence[Path],
) -> tuple[dict[str, RunInfo], dict[str, dict[_Key, Record]]]:
    """Each set's settings, and its records by question and strategy."""
    infos: dict[str, RunInfo] = {}
    records: defaultdict[str, dict[_Key, Record]] = defaultdict(dict)
    for given in folders:
        folder = given.parent if given.name == RECORDS_FILE else given
        info = _read_info(folder)
        rows = read_records(folder / RECORDS_FILE)
        if not rows:
            raise UsageError(f"There are no records in {str(folder)!r}; run `hopyard eval` first.")
        infos[info.name] = info
        for row in rows:
            if row.strategy == AUTO or _can_be_routed_to(row.strategy):
                records[info.name][row.question_id, row.strategy] = row
    return infos, dict(records)


def _read_info(folder: Path) -> RunInfo:
    try:
        return RunInfo.model_validate_json((folder / INFO_FILE).read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(
            f"The folder {str(folder)!r} is not one that `hopyard eval --out` wrote: {INFO_FILE} "
            "is missing or damaged."
        ) from error


def _can_be_routed_to(name: str) -> bool:
    return name in STRATEGIES and not STRATEGIES[name].baseline


def _by_strategy(rows: Mapping[_Key, Record]) -> Iterable[str]:
    return (strategy for _, strategy in rows)


def _check_known(wanted: Sequence[str], known: Iterable[str]) -> None:
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"Not every question set has records of {name!r}; choose among "
                f"{', '.join(sorted(known))} with --strategies."
            )


def _answered(set_: str, rows: Iterable[Record], names: Sequence[str]) -> list[Answered]:
    questions: defaultdict[str, dict[str, Record]] = defaultdict(dict)
    for row in rows:
        questions[row.question_id][row.strategy] = row
    return [
        Answered(
            set=set_,
            id=question_id,
            question=found[names[0]].question,
            outcomes={name: _outcome(found[name]) for name in names},
            routed=_routed(found.get(AUTO)),
        )
        for question_id, found in questions.items()
        if names and all(name in found for name in names)
    ]


def _routed(record: Record | None) -> tuple[str, Outcome] | None:
    if record is None or record.route is None:
        return None
    return str(record.route["strategy"]), _outcome(record)


def _outcome(record: Record) -> Outcome:
    cost = record.cost
    return Outcome(
        f1=record.f1,
        right=record.accuracy > 0,
        tokens=cost.input_tokens + cost.output_tokens,
        calls=cost.model_calls,
    )
