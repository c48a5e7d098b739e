"""Text for scanned pages, by ocrmypdf and tesseract, which are programs of their own."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from hopyard.indexes.text.language import detect_language
from hopyard.state.errors import CorpusError, UsageError

_INSTALL: Final = (
    "install both, on Debian with `apt-get install ocrmypdf tesseract-ocr-eng` and a package "
    "tesseract-ocr-LANGUAGE for each other language"
)
_SECONDS: Final = 3600


ENGLISH: Final = "--ocr eng reads English text"
"""The advice for scanned pages while no other text is known."""
_NAMES: Final = {
    "ar": "ara Arabic", "ca": "cat Catalan", "cs": "ces Czech", "da": "dan Danish",
    "de": "deu German", "el": "ell Greek", "en": "eng English", "es": "spa Spanish",
    "fa": "fas Persian", "fi": "fin Finnish", "fr": "fra French", "hi": "hin Hindi",
    "hu": "hun Hungarian", "hy": "hye Armenian", "id": "ind Indonesian", "it": "ita Italian",
    "ja": "jpn Japanese", "ko": "kor Korean", "nl": "nld Dutch", "no": "nor Norwegian",
    "pl": "pol Polish", "pt": "por Portuguese", "ro": "ron Romanian", "ru": "rus Russian",
    "sv": "swe Swedish", "ta": "tam Tamil", "tr": "tur Turkish", "zh": "chi_sim Chinese",
}  # fmt: skip
"""The languages that are recognised, as tesseract and people name them."""
_LEAST: Final = 0.2
"""The share of the texts that are in a language, at least."""


def ocr_advice(texts: Iterable[str]) -> str:
    """The advice for scanned pages: the languages of the texts beside them, the commonest first."""
    counts = Counter(detect_language([text]) for text in texts)
    least = _LEAST * counts.total()
    common = [code for code, count in counts.most_common() if count >= least and code in _NAMES]
    if not common:
        return ENGLISH
    codes, names = zip(*(_NAMES[code].split() for code in common), strict=True)
    return f"--ocr {'+'.join(codes)} reads {' and '.join(names)} text"


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
