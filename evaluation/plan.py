"""The plan of an evaluation: questions, variants and settings, stored with the records.

Records of different settings must not be mixed: a folder belongs to one plan.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from pydantic import BaseModel, ValidationError

from hopyard.evaluation.variants import Variant
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.shared import folder_of
from hopyard.indexes.filters.allowed import allowed_passages
from hopyard.indexes.kind import with_needs
from hopyard.indexes.listing import open_corpus
from hopyard.indexes.search import SEARCHES
from hopyard.measures.questions import Question
from hopyard.nodes.resources import Resources, shared_resources
from hopyard.state.errors import IndexMissingError, UsageError
from hopyard.state.settings.fields import AUTO, Context
from hopyard.state.settings.index_address import lasting_index
from hopyard.state.settings.sources import home
from hopyard.state.storage.lines import write_model
from hopyard.state.strategy import STRATEGIES

INFO_FILE: Final = "run.json"
_NOT_COMPARED: Final = ("index", "strategy", "budget", "concurrency", "timeout")
"""Settings that change no answer, or that each variant sets itself."""


@dataclass(frozen=True)
class Plan:
    """The questions, variants and settings of an evaluation.

    Attributes:
        questions: In the order in which they are asked.
        variants: In that order for each question, so that a later one gets free what an earlier
            one has paid for.
        baseline: The variant that the others are compared with.
        parallel: Questions at once. The built-in model answers one call at a time, but calls of one
            prompt that wait together follow one another, and share the beginning of the prompt.
        selection: Which questions of the set these are, for the report; "" for all.
    """

    name: str
    questions: Sequence[Question]
    variants: Sequence[Variant]
    context: Context
    baseline: str
    parallel: int = 16
    selection: str = ""
    resources: Resources = field(default_factory=shared_resources)


class RunInfo(BaseModel, frozen=True):
    """The settings of a folder's records."""

    run: str
    """Begins the names under which calls are counted."""
    name: str
    model: str
    """Its identity, weights and adapter included."""
    embedding: str
    index: str
    index_created: str
    """Generation of the index and its counts."""
    settings: dict[str, Any]


def check_plan(plan: Plan) -> RunInfo:
    """Return the settings of the plan's records, checked before any cost.

    Raises:
        UsageError: A variant's settings are not usable, a filter names a field that no passage
            has, or the baseline is not evaluated.
        IndexMissingError: The index is not there, or lacks a kind that a variant needs.
    """
    contexts = {variant.name: variant.apply_to(plan.context) for variant in plan.variants}
    if plan.baseline not in contexts:
        raise UsageError(
            f"The baseline {plan.baseline!r} is not among the strategies; add it to --strategies, "
            "or name another with --baseline."
        )
    if not plan.context.index:
        raise UsageError("No index is given; name one with --index DIR or HOPYARD_INDEX.")
    directory = folder_of(plan.context.index)
    manifest = read_manifest(directory)
    for variant in plan.variants:
        _check_kinds(variant, contexts[variant.name], manifest.kinds, directory)
    _check_filters({context.where for context in contexts.values()}, directory)
    settings = plan.context.model_dump(mode="json", exclude=set(_NOT_COMPARED))
    return RunInfo(
        run=uuid4().hex[:12],
        name=plan.name,
        model=plan.resources.caller(plan.context.model).provider.identity,
        embedding=manifest.embedding,
        index=lasting_index(plan.context.index),
        index_created=f"{manifest.generation} {manifest.counts}",
        settings=settings,
    )


def _check_kinds(variant: Variant, context: Context, kinds: Sequence[str], directory: Path) -> None:
    strategy = () if variant.strategy == AUTO else STRATEGIES[variant.strategy].needs
    retrieves = variant.strategy == AUTO or STRATEGIES[variant.strategy].retrieves
    search = SEARCHES[context.retrieval.method]
    if search.without_vectors and "dense" not in kinds:
        search = SEARCHES[search.without_vectors]
    needed = (*strategy, *(search.needs if retrieves else ()))
    if missing := [kind for kind in needed if kind not in kinds]:
        wanted = ",".join(with_needs((*kinds, *missing)))
        raise IndexMissingError(
            f"The index {str(directory)!r} has no {missing[0]} part, which {variant.name!r} needs: "
            f"run `hopyard index build PATH… --out {directory} --with {wanted}`, or leave it out "
            "of --strategies."
        )


def _check_filters(filters: Collection[tuple[str, ...]], directory: Path) -> None:
    if any(filters):
        with open_corpus(directory) as corpus:
            for where in filters:
                allowed_passages(corpus, where)


def open_info(folder: Path, new: RunInfo) -> RunInfo:
    """Return the settings of a folder's records, and write them to a new folder.

    Raises:
        UsageError: The folder has records of another model, index, question set or settings.
    """
    path = folder / INFO_FILE
    if not path.exists():
        write_model(path, new)
        return new
    try:
        old = RunInfo.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UsageError(
            f"The file {str(path)!r} is damaged; name another folder with --out."
        ) from error
    for name in ("name", "model", "embedding", "index_created", "settings"):
        if getattr(old, name) != getattr(new, name):
            raise UsageError(
                f"The folder {str(folder)!r} holds answers of another {_difference(old, new, name)}"
                "; name another folder with --out."
            )
    return old


def default_folder(plan: Plan) -> Path:
    """Where records lie when no folder is named: one for each question set and model."""
    model = "".join(sign if sign.isalnum() else "-" for sign in plan.context.model)
    return home() / "evaluations" / f"{plan.name}-{model}"


def _difference(old: RunInfo, new: RunInfo, field: str) -> str:
    before, now = getattr(old, field), getattr(new, field)
    if field != "settings":
        return f"{field} ({before}, now {now})"
    changed = [name for name in now if before.get(name) != now[name]]
    return f"setting ({', '.join(changed) or 'one that is gone'})"
