"""All characters of a page as PDFium gives them: the words that a page has to keep."""

from __future__ import annotations

from typing import Any, Final

import pypdfium2.raw as pdfium

from hopyard.indexes.documents.readers.pdf.forms import string_of, text_of
from hopyard.state.text.unicode import valid_unicode

_FIELDS: Final = (
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
)
_SILENT: Final = (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP)


def said_on(document: Any, page: Any, text: Any) -> str:
    """The characters of a page, the values of its fields, and its annotations.

    Args:
        document: PDFium's document, with its form opened if it has one.
        page: Its page.
        text: The page's text page, which is open: to open it again takes as long as PDFium's
            whole work on a page.
    """
    texts = [text.get_text_range()]
    form = document.formenv.raw if document.formenv else None
    for number in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
        note = pdfium.FPDFPage_GetAnnot(page.raw, number)
        try:
            kind = pdfium.FPDFAnnot_GetSubtype(note)
            if kind == pdfium.FPDF_ANNOT_WIDGET:
                if form and pdfium.FPDFAnnot_GetFormFieldType(form, note) in _FIELDS:
                    texts.append(_field(form, note))
            elif kind not in _SILENT:
                texts.append(string_of(note, b"Contents"))
        finally:
            pdfium.FPDFPage_CloseAnnot(note)
    return valid_unicode("\n".join(texts))


def _field(form: Any, note: Any) -> str:
    return text_of(
        lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldValue(form, note, buffer, size)
    )
