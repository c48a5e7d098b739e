"""Recorded model calls: written during a run, and replayed in place of the model.

A recording is a folder with one file, `calls.jsonl.xz`: a line for each call, sorted by key, with
the output and the token counts. The key is a hash of what the model was shown, so the file holds no
prompt, and a recording fits every provider. Calls are appended to a log first; closing a recorder
merges the log into the file.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from filelock import FileLock
from pydantic import BaseModel, Field, ValidationError

from hopyard.models.ledger import ledger_key
from hopyard.state.errors import HopyardError, ModelUnreachableError, UsageError
from hopyard.state.storage.atomic import write_file

CALLS_FILE: Final = "calls.jsonl.xz"
LOG_FILE: Final = "calls.jsonl"
_KEY_DIGITS: Final = 32
"""Hexadecimal digits of a key: random text does not compress, and 128 bits are enough."""
_ROLES: Final = {"user": "human", "assistant": "ai"}
"""Other names of the roles, as in OpenAI's protocol."""


class RecordingMissingError(ModelUnreachableError):
    """The recording does not have a call that the run needs."""


class RecordedCall(BaseModel, frozen=True, extra="forbid"):
    """The answer to one call."""

    output: str
    input_tokens: int = Field(0, ge=0)
    output_tokens: int = Field(0, ge=0)


class _Line(RecordedCall):
    key: str = Field(pattern=r"^[0-9a-f]{32}$")

    @property
    def call(self) -> RecordedCall:
        return RecordedCall(
            output=self.output, input_tokens=self.input_tokens, output_tokens=self.output_tokens
        )


def recorded_key(
    messages: Iterable[tuple[str, object]],
    schema: Mapping[str, object],
    *,
    temperature: float = 0.0,
    seed: int = 0,
) -> str:
    """The key of a call: a hash of what the model was shown.

    Args:
        messages: Role and content of each message. The roles `user` and `assistant` are the same
            as LangChain's `human` and `ai`.
        schema: The JSON schema of the output. Its own title and description do not count.
        temperature: Counts only above 0, as does the seed.
    """
    parts: dict[str, object] = {
        "messages": [(_ROLES.get(role, role), content) for role, content in messages],
        "schema": {
            name: value for name, value in schema.items() if name not in {"title", "description"}
        },
    }
    if temperature > 0:
        parts |= {"temperature": temperature, "seed": seed}
    return ledger_key(parts)[:_KEY_DIGITS]


class Recording:
    """The recorded calls of a folder. Use `open_recording`.

    Attributes:
        name: The folder's name with a hash of its content.
    """

    def __init__(self, folder: Path, name: str, calls: Mapping[str, RecordedCall]) -> None:
        self.name = name
        self._folder = folder
        self._calls = calls

    def __len__(self) -> int:
        return len(self._calls)

    def find(self, key: str, *, prompt: str, step: str = "") -> RecordedCall:
        """The call of a key.

        Args:
            key: See `recorded_key`.

        Raises:
            RecordingMissingError: The call was not recorded.
        """
        if (call := self._calls.get(key)) is not None:
            return call
        where = f" in the step {step!r}" if step else ""
        raise RecordingMissingError(
            f"The recording {str(self._folder)!r} has no answer to this call of the prompt "
            f"{prompt!r}{where}: use the recorded settings, index and version, or record the "
            f"call with `hopyard ask … --model PROVIDER:NAME --record "
            f"{self._folder}`; `hopyard eval` has --record too."
        )


def open_recording(folder: Path) -> Recording:
    """Read a recording; the same object until a file in the folder changes.

    Raises:
        UsageError: The folder has no recorded call.
        HopyardError: A file in it is damaged.
    """
    folder = folder.absolute()
    files = _files(folder)
    if not files:
        raise UsageError(
            f"The folder {str(folder)!r} has no recorded calls; record some with `hopyard ask … "
            f"--model PROVIDER:NAME --record {folder}`, or with `hopyard eval`."
        )
    return _read_folder(
        folder, tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files)
    )


@lru_cache(maxsize=8)
def _read_folder(folder: Path, files: Sequence[tuple[Path, int, int]]) -> Recording:
    del files  # they are part of the cache's key
    calls = _read_all(folder)
    name = f"{folder.name}@{hashlib.sha256(_lines(calls)).hexdigest()[:12]}"
    return Recording(folder, name, calls)


class Recorder:
    """Writes recorded calls into a folder. Safe to use from many threads and processes.

    Every call is in the folder's log when `record` returns, so a kill loses none. `close` merges
    the log into the file. A later answer replaces an earlier answer of the same key.

    Args:
        folder: Made if it is missing.

    Raises:
        HopyardError: The folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[str, RecordedCall] = {}
        self._closed = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _merge(folder)  # the log of a killed recorder may end within a line
        except OSError as error:
            raise HopyardError(
                f"The folder {str(folder)!r} cannot be written ({error.strerror}); name another "
                "with --record."
            ) from error

    def record(self, key: str, call: RecordedCall) -> None:
        """Write one answered call.

        Raises:
            HopyardError: The recorder is closed.
        """
        if self._closed:
            raise HopyardError(
                f"The recording {str(self.folder)!r} is closed; start it again with --record."
            )
        with _locked(self.folder):
            if self._seen.get(key) != call:
                with (self.folder / LOG_FILE).open("ab") as log:
                    log.write(_lines({key: call}))
                self._seen[key] = call

    def close(self) -> None:
        """Merge the log into the file. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        _merge(self.folder)


def _locked(folder: Path) -> FileLock:
    return FileLock(folder / "calls.lock")


def _merge(folder: Path) -> None:
    """Merge the log into the file."""
    log = folder / LOG_FILE
    with _locked(folder):
        if log.exists():
            write_file(folder / CALLS_FILE, lzma.compress(_lines(_read_all(folder)), preset=6))
            log.unlink()


def _files(folder: Path) -> list[Path]:
    """The file and the log, in order: later answers replace earlier answers."""
    return [path for name in (CALLS_FILE, LOG_FILE) if (path := folder / name).exists()]


def _read_all(folder: Path) -> dict[str, RecordedCall]:
    calls: dict[str, RecordedCall] = {}
    for path in _files(folder):
        calls |= _read(path)
    return calls


def _lines(calls: Mapping[str, RecordedCall]) -> bytes:
    lines = (_Line(key=key, **dict(call)).model_dump_json() for key, call in sorted(calls.items()))
    return "".join(f"{line}\n" for line in lines).encode()


def _read(path: Path) -> dict[str, RecordedCall]:
    """The calls of a file, without a last line that a kill has cut in half.

    Raises:
        HopyardError: The file is damaged.
    """
    try:
        data = path.read_bytes()
        text = lzma.decompress(data) if path.name == CALLS_FILE else data
        whole = text.rpartition(b"\n")[0]
        read = (_Line.model_validate_json(line) for line in whole.split(b"\n") if line)
        return {line.key: line.call for line in read}
    except (OSError, lzma.LZMAError, ValidationError) as error:
        raise HopyardError(
            f"The recorded calls {str(path)!r} cannot be read ({type(error).__name__}); restore "
            "the file, or record the calls again into another folder."
        ) from error
