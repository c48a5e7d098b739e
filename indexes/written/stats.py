"""The counts of one generation of a kind that asks a model: the file behind `index status`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, Self

from pydantic import BaseModel, ValidationError

from hopyard.indexes.build_context import BuildOptions
from hopyard.indexes.corpus.manifest import damage_error, find_manifest, generation_directory
from hopyard.indexes.written.store import FAILED, Author, Written
from hopyard.models.ledger import ParseRate
from hopyard.state.errors import IndexMissingError

_FILE: Final = "stats.json"


class Plain(BaseModel, frozen=True):
    """Values that never change."""


class AuthorShare(Plain):
    """How many sources, such as passages, one version of the prompt and one model wrote for."""

    version: int
    model: str
    passages: int

    @property
    def author(self) -> Author:
        """The author."""
        return Author(self.version, self.model)


class WrittenCounts(Plain):
    """Who wrote the texts of a generation, and what they cost."""

    authors: tuple[AuthorShare, ...] = ()
    calls: tuple[ParseRate, ...] = ()
    """Model calls that this index paid for; answers from the ledger cost nothing and are not
    here."""
    runs: tuple[str, ...] = ()
    """The runs whose calls were counted last."""
    missing: int = 0
    """Sources that the model was not asked about, because a budget ended the build or the build had
    no model."""
    failed: int = 0
    """Sources for which the model wrote nothing usable."""

    @classmethod
    def of(cls, rows: Sequence[Written[Any] | None], **more: Any) -> Self:
        """Count the rows of all sources.

        Args:
            rows: The row of each source; None if it has none.
        """
        written = [row for row in rows if row is not None]
        shares = sorted(Counter(row.author for row in written).items())
        return cls(
            authors=tuple(
                AuthorShare(version=author.version, model=author.model, passages=count)
                for author, count in shares
            ),
            missing=len(rows) - len(written),
            failed=sum(row.outcome == FAILED for row in written),
            **more,
        )

    def plain(self) -> dict[str, Any]:
        """Values for `hopyard index status`."""
        values = self.model_dump(mode="json", exclude={"runs"})
        for row, calls in zip(values["calls"], self.calls, strict=True):
            row["parse_rate"] = round(calls.rate, 4)
        return values


class WrittenStats(Plain):
    """Counts of one generation of a kind. The fields of a kind's own are beside these."""

    model: str
    """The chat model as `--model` takes it, which also writes for added documents; "" if none was
    asked."""
    written: WrittenCounts

    def plain(self) -> dict[str, Any]:
        """Values for `hopyard index status`."""
        return self.model_dump(mode="json", exclude={"written"}) | self.written.plain()

    def save(self, directory: Path) -> None:
        """Write `stats.json` into a kind's folder."""
        (directory / _FILE).write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Read what `save` wrote.

        Raises:
            IndexMissingError: The file is missing or damaged.
        """
        file = directory / _FILE
        try:
            return cls.model_validate_json(file.read_bytes())
        except OSError as error:
            raise damage_error(file, f"cannot be read ({error.strerror})") from error
        except ValidationError as error:
            raise damage_error(file, "does not hold the counts of its kind") from error

    @classmethod
    def find(cls, directory: Path | None) -> Self | None:
        """The stats of a generation. None if they are damaged: then the build starts afresh."""
        try:
            return cls.load(directory) if directory else None
        except IndexMissingError:
            return None

    @classmethod
    def of_index(cls, index: Path, kind: str) -> Self | None:
        """The stats of the current generation; None for an index without the kind."""
        manifest = find_manifest(index)
        if manifest is None or kind not in manifest.kinds:
            return None
        return cls.find(generation_directory(index, manifest.generation) / kind)

    @classmethod
    def model_of(cls, options: BuildOptions, last: Self | None) -> str:
        """The model of a new generation: that of the build, or else that of the last generation."""
        return options.settings.model if options.open_caller else last.model if last else ""


def add_calls(before: Iterable[ParseRate], more: Iterable[ParseRate]) -> tuple[ParseRate, ...]:
    """Add up calls by prompt, version and model."""
    totals: dict[tuple[str, int, str], ParseRate] = {}
    for calls in (*before, *more):
        key = (calls.prompt, calls.version, calls.model)
        totals[key] = _sum(totals[key], calls) if key in totals else calls
    return tuple(total for _, total in sorted(totals.items()))


def _sum(left: ParseRate, right: ParseRate) -> ParseRate:
    names = [field.name for field in fields(ParseRate)][3:]
    return replace(left, **{name: getattr(left, name) + getattr(right, name) for name in names})
