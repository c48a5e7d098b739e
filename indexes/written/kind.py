"""The base of index kinds that ask a chat model for texts, such as questions or reports.

A build of such a kind takes four steps: it opens the store of its texts (`open_texts`), asks for
those that are missing (`writer.write_missing`), counts what it used (`count_texts`), and writes its
files with `stats.json`. Light to import, as `indexes.kind` is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from hopyard.indexes.kind import IndexKind
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.written.stats import WrittenStats
    from hopyard.models.prompt import Prompt


class WrittenKind(IndexKind):
    """A kind whose build asks the chat model about each of its sources."""

    asks_model = True
    source: ClassVar[str] = "passage"
    """The unit that the model is asked about."""
    text: ClassVar[str]
    """The text that it writes, as in `5 passages without questions yet`."""

    @property
    @abstractmethod
    def worded(self) -> tuple[Prompt[Any], ...]:
        """The prompts that it uses."""

    @property
    @abstractmethod
    def stats(self) -> type[WrittenStats]:
        """The class of its `stats.json`."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """The version of each prompt."""
        return {prompt.name: str(prompt.version) for prompt in self.worded}

    def status(self, directory: Path) -> Mapping[str, Any]:
        """Counts of a generation, who wrote its texts, and what they cost."""
        return self.stats.load(directory).plain()

    def unfinished(self, directory: Path) -> str:
        """How many sources the model was not asked about yet."""
        missing = self.stats.load(directory).written.missing
        return f"{counted(missing, self.source)} without {self.text} yet" if missing else ""
