"""The base of index kinds that ask a chat model for texts, such as questions or reports.

A build of such a kind takes four steps: it opens the store of its texts (`open_texts`), asks for
those that are missing (`writer.write_missing`), counts what it used (`count_texts`), and writes its
files with `stats.json`. Light to import, as `indexes.kind` is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.kind import Estimate, IndexKind
from hopyard.state.registry import load
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.corpus.records import Passage


class WrittenKind(IndexKind):
    """A kind whose build asks the chat model about each of its sources.

    It names its parts by `module:attribute`; they are imported on first use.
    """

    asks_model = True
    source: ClassVar[str] = "passage"
    """The unit that the model is asked about."""
    text: ClassVar[str]
    """The text that it writes, as in `5 passages without questions yet`."""
    worded: ClassVar[tuple[str, ...]]
    """The prompts that it uses."""
    stats: ClassVar[str]
    """The class of its `stats.json`, a `WrittenStats`."""
    builder: ClassVar[str]
    """The module with its functions `build`, `is_current` and `estimate`."""
    reader: ClassVar[str]
    """The class with a method `load` that `open` gives."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """The version of each prompt."""
        return {prompt.name: str(prompt.version) for prompt in map(load, self.worded)}

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Write the files of the new generation.

        Raises:
            ModelUnreachableError: A model does not answer; what is written is kept.
            ModelOutputError: Too large a share of the sources failed; the others are kept.
        """
        counts: Mapping[str, int] = await load(f"{self.builder}:build")(context)
        return counts

    def open(self, directory: Path) -> Any:
        """Read the files, or map them into memory."""
        return load(self.reader).load(directory)

    def is_current(self, directory: Path, options: BuildOptions) -> bool:
        """Whether a build with these options would write the same files."""
        return bool(load(f"{self.builder}:is_current")(directory, options))

    async def estimate(
        self, passages: Sequence[Passage], index_directory: Path, options: BuildOptions
    ) -> Estimate:
        """Estimate what the texts of a build would cost, from a sample of its sources."""
        load_estimate = load(f"{self.builder}:estimate")
        estimate: Estimate = await load_estimate(passages, index_directory, options)
        return estimate

    def status(self, directory: Path) -> Mapping[str, Any]:
        """Counts of a generation, who wrote its texts, and what they cost."""
        counts: Mapping[str, Any] = load(self.stats).load(directory).plain()
        return counts

    def unfinished(self, directory: Path) -> str:
        """How many sources the model was not asked about yet."""
        missing = load(self.stats).load(directory).written.missing
        return f"{counted(missing, self.source)} without {self.text} yet" if missing else ""
