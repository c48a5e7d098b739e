"""The features of recorded questions, from the indexes that their records belong to."""

from __future__ import annotations

from hopyard.classifiers.route_features import Features
from hopyard.indexes.kind import Progress, silent
from hopyard.nodes.index_facts import question_features
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from lab.route.records import RouteRecords

__all__ = ("context_of", "index_embedding", "read_features")


def context_of(records: RouteRecords, name: str, context: Context) -> Context:
    """The settings of the first search on a question set: the recorded index and its model.

    Args:
        records: The records.
        name: Of the question set.
        context: If it names an index, that index and its embedding model replace the recorded
            indexes.
    """
    if context.index:
        return context
    info = records.infos[name]
    embedding = str(info.settings.get("embedding", context.embedding))
    return context.model_copy(update={"index": info.index, "embedding": embedding})


async def read_features(
    records: RouteRecords,
    context: Context,
    resources: Resources,
    *,
    progress: Progress = silent,
) -> list[Features]:
    """The features of each recorded question, in order.

    Raises:
        IndexMissingError: An index is missing, damaged, or of another embedding model.
    """
    runs = {
        name: Run(new_run_id(), context_of(records, name, context), resources)
        for name in records.infos
    }
    found = []
    for done, each in enumerate(records.answered, 1):
        found.append(await question_features(runs[each.set], each.question))
        progress("features", done, len(records.answered))
    return found


async def index_embedding(records: RouteRecords, context: Context, resources: Resources) -> str:
    """The embedding model of the indexes.

    Raises:
        UsageError: They have several.
    """
    names = set()
    for name in records.infos:
        run = Run(new_run_id(), context_of(records, name, context), resources)
        names.add((await run.index()).manifest.embedding)
    if len(names) > 1:
        raise UsageError(
            f"The indexes are of several embedding models ({', '.join(sorted(names))}); train a "
            "route for each."
        )
    return names.pop()
