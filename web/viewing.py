"""A passage in the picture of its page: where its quotes are marked, or why there is no picture."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from hopyard.indexes.corpus.boxes import Box
from hopyard.indexes.corpus.shared import folder_of
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.documents.files import shown
from hopyard.indexes.listing import open_corpus
from hopyard.indexes.passages.marks import find_marks, quoted_part
from hopyard.state.errors import UsageError
from hopyard.state.references import SECTION_MARK
from hopyard.web.originals import Originals
from hopyard.web.pictures import WIDTHS, PictureError, count_pages, draw_page, is_there
from hopyard.web.requests import current_index, person_of

__all__ = ("ROUTES", "Place", "find_place")

_GONE: Final = "The passage has left the index."
_NO_FILE: Final = "Its file is not found: start the server with --documents and the folder."
_NO_PLACE: Final = "The index does not have the place of this quote on its page."
_CHANGED: Final = "The file does not have these words at the place that the index has."
_MOST_QUOTES: Final = 50
_SHOWN_AS: Final = {".pdf": "application/pdf", ".txt": "text/plain", ".md": "text/plain"}
"""Files that a browser shows. Others are saved: a page in HTML could run scripts."""


@dataclass
class Place:
    """The pages that quotes are on."""

    why: str = ""
    """Why there is no picture, or why a quote is not marked in it; "" for a file without pages."""
    count: int = 0
    """Pages of the file; 0 if there is no picture."""
    marks: dict[int, list[Box]] = field(default_factory=dict)
    """Boxes by page, as shares of its width and height from its top left corner."""
    address: str = ""
    """The address of the pictures, to which the number of a page is added."""
    original: str = ""
    """The address of the file; "" if it is not found."""


def find_place(
    index: Path,
    originals: Originals,
    passage_id: str,
    quotes: Sequence[str] = (),
    groups: Sequence[str] | None = None,
) -> Place:
    """Where quotes of a passage are. Each is marked as a whole, or not at all.

    Args:
        index: The index directory.
        originals: Finds the file.
        passage_id: The passage.
        quotes: The words to mark; empty marks the whole passage.
        groups: The caller's groups; None for all documents.

    Raises:
        IndexMissingError: The index cannot be read.
    """
    with open_corpus(index, groups) as corpus:
        passage = corpus.existing([passage_id]).get(passage_id)
        if passage is None:
            return Place(_GONE)
        wanted = list(dict.fromkeys(quotes or [passage.text]))[:_MOST_QUOTES]
        found = [(text, find_marks(corpus, passage, text)) for text in wanted]
        file = _readable_file(corpus, originals, passage.source)
    if not passage.source.lower().endswith(".pdf"):
        return Place(original=_address(passage.document_id) if file else "")
    if file is None:
        return Place(_NO_FILE)
    if file.suffix.lower() != ".pdf":  # the PDF is a part of it
        return Place(
            f"It is a part of {shown(Path(file.name))}.", original=_address(passage.document_id)
        )
    here = Place(original=_address(passage.document_id))
    try:
        for text, marks in found:
            if not marks:
                here.why = _NO_PLACE
            elif not is_there(file, quoted_part(text, passage.text), marks):
                here.why = _CHANGED
            else:
                for mark in marks:
                    here.marks.setdefault(mark.page, []).extend(mark.boxes)
        if here.marks:
            here.count = count_pages(file)
            version = {"document": passage.document_id, "version": _version(file)}
            here.address = f"/api/picture?{urlencode(version)}&page="
    except PictureError as error:
        return Place(str(error), original=here.original)
    return here


async def _place(request: Request) -> Response:
    """The place of quotes, as JSON."""
    asked, state = request.query_params, request.app.state
    wanted = asked.get("passage", ""), asked.getlist("quote"), person_of(request).groups
    index = await current_index(request)
    found = await asyncio.to_thread(find_place, index, state.originals, *wanted)
    pages = [{"page": page, "boxes": boxes} for page, boxes in sorted(found.marks.items())]
    return JSONResponse({**vars(found), "marks": pages})


async def _picture(request: Request) -> Response:
    """The picture of a page, or 304 if the browser has it."""
    asked = request.query_params
    file = await asyncio.to_thread(_file_of, request)
    try:
        number, width = int(asked.get("page", "")), int(asked.get("width", WIDTHS[0]))
    except ValueError:
        number = width = 0
    if file is None or width not in WIDTHS:
        raise UsageError("There is no such page.")
    tag = f'"{_version(file)}-{number}-{width}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    try:
        drawn = await asyncio.to_thread(draw_page, file, number, width)
    except PictureError as error:
        raise UsageError(str(error)) from error
    return Response(drawn, media_type="image/webp", headers=headers)


async def _original(request: Request) -> Response:
    """The file of a document: shown if a browser can do so safely, else saved."""
    file = await asyncio.to_thread(_file_of, request)
    if file is None:
        raise UsageError(_NO_FILE)
    kind = _SHOWN_AS.get(file.suffix.lower())
    return FileResponse(
        file,
        media_type=kind or "application/octet-stream",
        filename=shown(Path(file.name)),
        content_disposition_type="inline" if kind else "attachment",
        headers={} if kind == "application/pdf" else {"content-security-policy": "sandbox"},
    )


def _file_of(request: Request) -> Path | None:
    state, wanted = request.app.state, request.query_params.get("document", "")
    with open_corpus(folder_of(state.index), person_of(request).groups) as corpus:
        return _readable_file(corpus, state.originals, corpus.source_of(wanted))


def _readable_file(corpus: Snapshot, originals: Originals, source: str) -> Path | None:
    """The file of a source; None if it also holds a document that the caller may not read."""
    file = originals.find(source)
    hidden = {each.partition(SECTION_MARK)[0] for each in corpus.hidden_sources()}
    alike = (each for each in hidden if file and each.rpartition("/")[2] == shown(Path(file.name)))
    return None if any(originals.find(each) == file for each in alike) else file


def _address(document_id: str) -> str:
    return f"/api/original?document={quote(document_id, safe='')}"


def _version(file: Path) -> str:
    about = file.stat()
    name = os.fsencode(file)
    return sha256(b"%b\0%d\0%d" % (name, about.st_mtime_ns, about.st_size)).hexdigest()[:16]


ROUTES: Final = (
    Route("/api/place", _place),
    Route("/api/picture", _picture),
    Route("/api/original", _original),
)
