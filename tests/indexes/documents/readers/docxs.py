"""Word files for tests, written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from ..zips import rewritten, zipped

Parts = Mapping[str, str | bytes]

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
    "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
}
_NAMES = " ".join(f'xmlns:{prefix}="{space}"' for prefix, space in _SPACES.items())
_ROOTS = {"header": "hdr", "footer": "ftr"}
_KINDS = [
    "header",
    "footer",
    "footnotes",
    "endnotes",
    "comments",
    "styles",
    "numbering",
    "settings",
]


def docx(body: str, parts: Parts | None = None, document: str = "") -> bytes:
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
    files["[Content_Types].xml"] = _content_types(files, document)
    return zipped(files)


def strict(data: bytes) -> bytes:
    """The file in the namespaces of the standard, not in Word's own."""
    return rewritten(
        data,
        lambda _, text: re.sub(
            r"http://schemas.openxmlformats.org/(office|word|draw)(\w+)/2006",
            r"http://purl.oclc.org/ooxml/\1\2",
            text,
        ),
    )


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


def level(number: int, form: str, text: str, more: str = "", start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def numbering(*levels: str, more: str = "", num: str = "") -> dict[str, str | bytes]:
    """Lists 1 and 2 count on from each other, list 3 begins again at 1."""
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    nums = "".join(
        f'<w:num w:numId="{key}"><w:abstractNumId w:val="7"/>{again if key == 3 else ""}</w:num>'
        for key in (1, 2, 3)
    )
    form = f'<w:abstractNum w:abstractNumId="7">{"".join(levels)}</w:abstractNum>{more}'
    return {"numbering.xml": f"{form}{nums}{num}"}


def style(name: str, properties: str = "", based_on: str = "", run_properties: str = "") -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/>'
        f"{base}<w:pPr>{properties}</w:pPr><w:rPr>{run_properties}</w:rPr></w:style>"
    )


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def control(properties: str, content: str) -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def note(kind: str, key: int, *texts: str, author: str = "") -> str:
    named = f' w:author="{author}"' if author else ""
    return f'<w:{kind} w:id="{key}"{named}>{"".join(map(paragraph, texts))}</w:{kind}>'


def _xml(root: str, content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {_NAMES}>{content}</w:{root}>'


def _content_types(files: Iterable[str], document: str) -> str:
    kinds = {name: PurePosixPath(name).stem.rstrip("0123456789") for name in files}
    kinds = {name: kind for name, kind in kinds.items() if kind in _KINDS}
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.'
        f'wordprocessingml.{kind}+xml"/>'
        for name, kind in {**kinds, document: "document.main"}.items()
    )
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    return (
        f'<Types xmlns="{_OFFICE}/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="{rels}"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _relation(key: str, kind: str, target: str) -> str:
    kind = f"{_OFFICE}/officeDocument/2006/relationships/{kind}"
    return f'<Relationship Id="{key}" Type="{kind}" Target="{target}"/>'


def _relations(content: str) -> str:
    space = f"{_OFFICE}/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{content}</Relationships>'


LETTERS = numbering(level(0, "lowerLetter", "%1)"))
OUTLINE = {
    **numbering(
        level(0, "decimal", "%1.", '<w:pStyle w:val="heading1"/>'),
        level(1, "decimal", "%1.%2", '<w:pStyle w:val="heading2"/>'),
    ),
    "styles.xml": style("heading 1", '<w:numPr><w:numId w:val="1"/></w:numPr>')
    + style("heading 2", '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>', "heading1")
    + style("Clause Title", based_on="heading2"),
}
