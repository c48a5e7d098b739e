"""Hopyard's errors, in the order in which a run can raise them.

Every message is one sentence that names the thing, the cause and the cure. The exit code is
what the command line ends with.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_INDEX: Final = 3
EXIT_MODEL: Final = 4
EXIT_WAITING: Final = 5
"""The run waits for an approval."""
EXIT_INTERRUPTED: Final = 130


_names: Final[dict[str, str]] = {}


def show_as(folder: Path, name: str) -> None:
    """Have errors call a folder by the name that people use, such as that of a shared index."""
    _names[str(folder)] = name


def as_known(text: str) -> str:
    """A text that names folders as people know them."""
    for folder, name in _names.items():
        text = text.replace(folder, name)
    return text


class HopyardError(RuntimeError):
    """Base of every error that Hopyard raises on purpose.

    A `RuntimeError`, because LangGraph's server sends its clients the text of such errors, and "An
    internal error occurred" for classes that it does not know.
    """

    exit_code: ClassVar[int] = EXIT_FAILED
    reason: str = ""
    """The kind of failure in a word, for programs; "" where the class says enough."""
    steps: Sequence[Any] = ()
    """The steps that a run had ended before the error ended it."""

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or self.reason

    def __str__(self) -> str:
        return as_known(super().__str__())


class UsageError(HopyardError):
    """The question, a setting or an argument cannot be used as given."""

    exit_code = EXIT_USAGE


class IndexMissingError(HopyardError):
    """The index directory is missing, unreadable or damaged."""

    exit_code = EXIT_INDEX


class EmbeddingMismatchError(IndexMissingError):
    """The index was built with another embedding model than the one asked for."""


class IndexBusyError(HopyardError):
    """Another process is building this index."""


class CorpusError(HopyardError):
    """The documents given to an index cannot be read as they are."""


class GateUnavailableError(HopyardError):
    """The retrieval gate that was asked for is not there."""

    exit_code = EXIT_USAGE


class ThreadMissingError(HopyardError):
    """No thread of that name has been checkpointed."""

    exit_code = EXIT_USAGE


class ThreadUnfinishedError(UsageError):
    """The last question of this thread is not finished, so another cannot be asked."""


class ThreadBusyError(HopyardError):
    """Another process, or another run of this one, is working on this thread."""


class ModelUnreachableError(HopyardError):
    """The model's server does not answer, or does not have the model."""

    exit_code = EXIT_MODEL
    reason = "unreachable"
    """Or "busy", "denied", "missing"."""


class ModelOutputError(HopyardError):
    """The model's output did not fit the schema after repair and retries.

    A call that an answer can do without is left out. Otherwise the error ends the run
    (`nodes.attempt`).
    """

    exit_code = EXIT_MODEL
    reason = "unfit"


class CallFailedError(ModelOutputError):
    """The model refused this one call, or did not end it in time; it may answer others."""

    reason = "refused"
    """Or "timeout", "unfinished", "unreadable", "too long", "filtered", "empty"."""


class BudgetExceededError(HopyardError):
    """The run's budget of calls, tokens or seconds is used up."""


class StoppedByUserError(HopyardError):
    """Ctrl-C was pressed; the message says what is kept and how to continue."""

    exit_code = EXIT_INTERRUPTED
