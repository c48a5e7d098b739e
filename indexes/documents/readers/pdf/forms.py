"""Values of form fields, typed notes, comments and files, which lie on a page beside its text.

`said_on` collects the same for the comparison of a page with its file.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import pypdfium2.raw as pdfium

from hopyard.indexes.documents.readers.base import Part, Source, parts_of
from hopyard.indexes.documents.readers.pdf.places import Turn, Word, turned
from hopyard.state.text.unicode import valid_unicode

_LINE: Final = 14.0
"""The height of a line of a field, in points, at most."""
_BOXES: Final = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_VALUES: Final = (
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
)
_SILENT: Final = (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP)


def notes_on(
    document: Any, page: Any, turn: Turn, beside: Sequence[Word] = ()
) -> tuple[list[Word], list[str]]:
    """The values of fields and texts typed on a page, each at its place, and its comments.

    Args:
        document: PDFium's document, with its form opened (`init_forms`) if it has one.
        page: A page of it.
        turn: How the text of the page is turned.
        beside: The words of the page: the value of a tall field is beside the first on its left.
    """
    words: list[Word] = []
    comments: list[str] = []
    labels = [word for word in beside if word.turn is turn]
    form = document.formenv.raw if document.formenv else None
    for note, kind in _annotations(page):
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            text = _value(form, note) if form else ""
        else:
            text = "" if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT else _contents(note)
        text = " ".join(valid_unicode(text).split())
        if text and kind in (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT):
            words.append(_at_its_place(note, text, turn, labels))
        elif text:
            comments.append(text)
    return words, comments


def said_on(document: Any, page: Any, text: Any) -> str:
    """All characters of a page as PDFium gives them: the words that a page has to keep.

    Its text page is given because to open it again takes as long as PDFium's whole work on a page.
    """
    texts = [text.get_text_range()]
    form = document.formenv.raw if document.formenv else None
    for note, kind in _annotations(page):
        if kind != pdfium.FPDF_ANNOT_WIDGET:
            texts.append(_contents(note))
        elif form and pdfium.FPDFAnnot_GetFormFieldType(form, note) in _VALUES:
            texts.append(_typed(form, note))
    return valid_unicode("\n".join(texts))


def files_in(document: Any, like: Source) -> Iterator[Part]:
    """The files that are embedded in a document."""
    count = pdfium.FPDFDoc_GetAttachmentCount(document.raw)
    attachments = [document.get_attachment(number) for number in range(count)]
    files = (
        (valid_unicode(each.get_name()) or f"file {number}", bytes(each.get_data()))
        for number, each in enumerate(attachments, start=1)
    )
    return parts_of(files, like)


def _annotations(page: Any) -> Iterator[tuple[Any, int]]:
    """The annotations of a page with their kinds, but for links; each is closed after its use."""
    for number in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
        note = pdfium.FPDFPage_GetAnnot(page.raw, number)
        try:
            if (kind := pdfium.FPDFAnnot_GetSubtype(note)) not in _SILENT:
                yield note, kind
        finally:
            pdfium.FPDFPage_CloseAnnot(note)


def _value(form: Any, note: Any) -> str:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, note)
    if kind in _BOXES:
        return "[x]" if pdfium.FPDFAnnot_IsChecked(form, note) else "[ ]"
    return "" if kind == pdfium.FPDF_FORMFIELD_PUSHBUTTON else _typed(form, note)


def _typed(form: Any, note: Any) -> str:
    return _text(partial(pdfium.FPDFAnnot_GetFormFieldValue, form, note))


def _contents(note: Any) -> str:
    return _text(partial(pdfium.FPDFAnnot_GetStringValue, note, b"Contents"))


def _text(read: Callable[[Any, int], int]) -> str:
    """A text of PDFium: its length in bytes is asked first, and its last character is 0."""
    size = read(None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    read(buffer, size)
    return bytes(buffer)[:-2].decode("utf-16-le", "replace")


def _at_its_place(note: Any, text: str, turn: Turn, labels: Sequence[Word]) -> Word:
    box = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(note, ctypes.byref(box))
    left, top, right, bottom = turned(turn, box.left, box.bottom, box.right, box.top)
    # A tall field begins at its label, else at its top; a low one is as high as its letters.
    if bottom - top > 2 * _LINE:
        level = (word.top for word in labels if word.right <= left and top < word.top < bottom)
        top = min(level, default=top)
    return Word(left, top, right, min(bottom, top + _LINE), text, turn=turn)
