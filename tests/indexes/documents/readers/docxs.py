"""Word files for tests, written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from defusedxml.ElementTree import fromstring, tostring

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
    "wp": f"{_OFFICE}/drawingml/2006/wordprocessingDrawing",
}
_NAMES = " ".join(f'xmlns:{prefix}="{space}"' for prefix, space in _SPACES.items())
_WORD, _MATH = f"{{{_SPACES['w']}}}", f"{{{_SPACES['m']}}}"
_RUN = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
_WITH_RUNS = (
    *("p", "li", "ins", "hyperlink", "smartTag", "customXml", "sdtContent", "moveTo", "moveFrom"),
    *("fldSimple", "rubyBase", "rt"),
)
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
    files: dict[str, str | bytes] = {document: _xml("document", f"<w:body>{word(body)}</w:body>")}
    relations = ""
    for name, content in (parts or {}).items():
        key = PurePosixPath(name).stem
        kind = key.rstrip("0123456789")
        own = kind in _KINDS
        files[f"word/{name}"] = _xml(_ROOTS.get(kind, kind), word(str(content))) if own else content
        relations += _relation(key, kind, name)
    folder, _, name = document.rpartition("/")
    files[f"{folder}/_rels/{name}.rels"] = _relations(relations)
    files["_rels/.rels"] = _relations(_relation("r1", "officeDocument", document))
    files["[Content_Types].xml"] = _content_types(files, document)
    return zipped(files)


def word(short: str) -> str:
    """Word's XML, of which much may be left out.

    Names need no `w:`, texts no run, and in a cell no paragraph. `<li level="1" list="2">` is a
    paragraph of a list, `<p style="Title">` one in a style.
    """
    root = fromstring(f"<x {_NAMES}>{short}</x>")
    for element in [*root.iter()][1:]:
        _complete(element)
    return "".join(tostring(child, encoding="unicode") for child in root)


def _complete(element: Element) -> None:
    kind = element.tag.removeprefix(_WORD)
    if kind == "li":
        _put_list(element)
    elif kind == "p" and (style := element.attrib.pop("style", "")):
        _put_properties(element, f'<w:pStyle w:val="{style}"/>')
    if kind in _WITH_RUNS:
        _wrap_texts(element, _RUN)
    elif kind == "tc":
        _wrap_texts(element, f"<w:p>{_RUN}</w:p>")
    elif kind.startswith(_MATH) and not kind.endswith(("}t", "}r")):
        _wrap_texts(element, "<m:r><m:t>{}</m:t></m:r>")
    if element.tag[0] != "{":
        names = element.attrib.items()
        element.attrib = {n if n[0] == "{" else f"{_WORD}{n}": text for n, text in names}
        element.tag = f"{_WORD}{'p' if kind == 'li' else kind}"


def _put_list(item: Element) -> None:
    level, list_id = item.attrib.pop("level", "0"), item.attrib.pop("list", "1")
    place = f'<w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/>'
    _put_properties(item, f"<w:numPr>{place}</w:numPr>")


def _put_properties(paragraph: Element, inner: str) -> None:
    [properties] = fromstring(f"<x {_NAMES}><w:pPr>{inner}</w:pPr></x>")
    properties.tail, paragraph.text = paragraph.text, None
    paragraph.insert(0, properties)


def _wrap_texts(element: Element, form: str) -> None:
    children = [*element]
    texts = [element.text, *(child.tail for child in children)]
    element.text = None
    for child in children:
        element.remove(child)
        child.tail = None
    for text, follows in zip(texts, [*children, None], strict=True):
        if text:
            element.extend(fromstring(f"<x {_NAMES}>{form.format(escape(text))}</x>"))
        if follows is not None:
            element.append(follows)


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


def note(kind: str, key: int, *texts: str, author: str = "") -> str:
    named = f' w:author="{author}"' if author else ""
    return f'<w:{kind} w:id="{key}"{named}>{"".join(f"<p>{text}</p>" for text in texts)}</w:{kind}>'


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
