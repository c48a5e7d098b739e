"""Text for scanned pages, by ocrmypdf and tesseract, which are programs of their own."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from hopyard.state.errors import CorpusError, UsageError

_INSTALL: Final = (
    "install both, on Debian with `apt-get install ocrmypdf tesseract-ocr-eng` and a package "
    "tesseract-ocr-LANGUAGE for each other language"
)
_SECONDS: Final = 3600


def check_ocr(languages: str) -> None:
    """See that OCR can be done, before a file is read.

    Args:
        languages: As tesseract names them, as in `deu+eng`.

    Raises:
        UsageError: A program or a language is missing.
    """
    for program in ("ocrmypdf", "tesseract"):
        if shutil.which(program) is None:
            raise UsageError(
                f"--ocr needs the programs ocrmypdf and tesseract, and {program} is not installed: "
                f"{_INSTALL}."
            )
    listed = subprocess.run(
        ["tesseract", "--list-langs"],  # noqa: S607
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    known = set(listed.stdout.split("\n")[1:]) - {""}
    if missing := [item for item in languages.split("+") if item not in known]:
        raise UsageError(
            f"tesseract does not know the language {missing[0]!r} of --ocr (it has "
            f"{', '.join(sorted(known)) or 'none'}): on Debian, `apt-get install "
            f"tesseract-ocr-{missing[0]}`."
        )


@contextmanager
def with_text(stream: IO[bytes], languages: str) -> Iterator[IO[bytes]]:
    """The PDF with text under its scanned pages; pages that have text keep theirs.

    Raises:
        CorpusError: ocrmypdf fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "in.pdf"), Path(folder, "out.pdf")
        with before.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        command = ["--skip-text", "--quiet", "--output-type", "pdf", "-l", languages]
        try:
            done = subprocess.run(  # noqa: S603
                ["ocrmypdf", *command, str(before), str(after)],  # noqa: S607
                capture_output=True, text=True, check=False, timeout=_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise CorpusError(f"OCR took longer than {_SECONDS // 60} minutes") from error
        if done.returncode or not after.exists():
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise CorpusError(f"OCR failed ({lines[-1]})")
        with after.open("rb") as result:
            yield result
