"""Word files for tests, written by hand."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath

__all__ = ("cell", "docx", "field", "paragraph", "row", "run")

_OFFICE = "http://schemas.openxmlformats.org"
_SPACES = {
    "w": f"{_OFFICE}/wordprocessingml/2006/main",
    "r": f"{_OFFICE}/officeDocument/2006/relationships",
    "m": f"{_OFFICE}/officeDocument/2006/math",
    "a": f"{_OFFICE}/drawingml/2006/main",
    "c": f"{_OFFICE}/drawingml/2006/chart",
    "dgm": f"{_OFFICE}/drawingml/2006/diagram",
    "mc": f"{_OFFICE}/markup-compatibility/2006",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
}
_NAMES = " ".join(f'xmlns:{prefix}="{space}"' for prefix, space in _SPACES.items())
_ROOTS = {"header": "hdr", "footer": "ftr"}
_KINDS = (
    "header",
    "footer",
    "footnotes",
    "endnotes",
    "comments",
    "styles",
    "numbering",
    "settings",
)


def docx(body: str, parts: Mapping[str, str | bytes] | None = None, document: str = "") -> bytes:
    """A Word file.

    Args:
        body: The XML in its body.
        parts: Further parts by name, such as `header1.xml`: their inner XML where the kind is one
            of Word's own, else their bytes. The name without suffix is the relation's id, and
            without digits its kind.
        document: Another name of the part with the text.
    """
    document = document or "word/document.xml"
    files: dict[str, str | bytes] = {document: _xml("document", f"<w:body>{body}</w:body>")}
    relations = ""
    for name, content in (parts or {}).items():
        key = PurePosixPath(name).stem
        kind = key.rstrip("0123456789")
        own = kind in _KINDS
        files[f"word/{name}"] = _xml(_ROOTS.get(kind, kind), str(content)) if own else content
        relations += _relation(key, kind, name)
    folder, _, name = document.rpartition("/")
    files[f"{folder}/_rels/{name}.rels"] = _relations(relations)
    files["_rels/.rels"] = _relations(_relation("r1", "officeDocument", document))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return stream.getvalue()


def run(text: str, properties: str = "") -> str:
    """Text with the same properties."""
    before = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{before}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(content: str, style: str = "", properties: str = "") -> str:
    """A paragraph; content without a tag is its text."""
    content = content if content.startswith("<") else run(content)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{content}</w:p>"


def item(text: str, level: int = 0, list_id: int = 1) -> str:
    """A paragraph of a list."""
    place = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return paragraph(text, properties=place)


def field(instruction: str, result: str, form: str = "") -> str:
    """A field, with its result as runs or text."""
    shown = run(result) if result and not result.startswith("<") else result
    between = f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{shown}' if result else ""
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{form}</w:fldChar></w:r>'
        f"<w:r><w:instrText> {instruction} </w:instrText></w:r>{between}"
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def cell(content: str, properties: str = "") -> str:
    """A cell of a table."""
    content = content if content.startswith("<") else paragraph(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    """A row of a table; cells without a tag are text."""
    made = (each if each.startswith("<w:tc>") else cell(each) for each in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(made)}</w:tr>"


def _xml(root: str, content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {_NAMES}>{content}</w:{root}>'


def _relation(key: str, kind: str, target: str) -> str:
    kind = f"{_OFFICE}/officeDocument/2006/relationships/{kind}"
    return f'<Relationship Id="{key}" Type="{kind}" Target="{target}"/>'


def _relations(content: str) -> str:
    space = f"{_OFFICE}/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{content}</Relationships>'
