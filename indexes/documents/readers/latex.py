"""LaTeX: sections, lists, tables and notes as Markdown.

pylatexenc knows the macros of letters, accents and formulas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread
from hopyard.indexes.documents.readers.latex_macros import (
    Macro,
    group_at,
    macros_in,
    theorems_in,
    walker,
    without_comments,
    without_open_options,
)
from hopyard.indexes.documents.readers.text import decode
from hopyard.indexes.passages.markdown import table_lines

_INPUT_ENCODING: Final = re.compile(rb"\\usepackage\s*\[([\w-]+)\]\s*\{inputenc\}")
_ENCODINGS: Final = {b"ansinew": "cp1252", b"applemac": "mac_roman", b"utf8x": "utf-8"}
_BODY: Final = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_ADDRESS: Final = re.compile(r"\\(?:url|href|path|nolinkurl)\s*\{[^{}\s]*\}")
_PER_CENT: Final = re.compile(r"(?<!\\)%")
_PART_OF_RULE: Final = re.compile(
    r"\\(?:cmidrule|cline)\s*(?:\[[^\[\]]*\])?(?:\([lr\d.a-z{}]*\))?\s*\{[\d-]*\}"
)
_MARK: Final = re.compile("\ue001(\\d+)\ue001")
_LINE_END: Final = re.compile(r"(?<![ \t])[ \t]++\n")
_BLANK: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_HEADINGS: Final = (
    *(("part", 1), ("chapter", 1), ("section", 2), ("subsection", 3), ("subsubsection", 4)),
    *(("paragraph", 5), ("subparagraph", 6)),
)
_CITED: Final = "cite citet citep citealp citeauthor citeyear parencite textcite autocite footcite"
_REFERRED: Final = "ref eqref pageref autoref cref Cref nameref input include subfile bibliography"
_SILENT: Final = (
    "label vspace hspace setlength addtolength setcounter pagestyle thispagestyle pagenumbering "
    "bibliographystyle usepackage documentclass RequirePackage"
)
_TABLES: Final = ("tabular", "tabular*", "tabularx", "longtable", "array", "tabulary")
_RULES: Final = re.compile(r"[hc]line|(?:top|c?mid|bottom)rule|end(?:first)?head|end(?:last)?foot")
_DEEPEST: Final = 20
"""Macros within macros, at most: some call themselves."""
_LONGER: Final = 10
"""How many times as long as the document all that its macros stand for may be."""
_LEAST_LONG: Final = 200_000
_COST: Final = 200
"""Characters that a macro counts for at least: parsing it takes as long."""


def read_latex(source: Source) -> Iterator[Found]:
    """The text of a document; other files that it takes in stand as their names in brackets."""
    data = source.read()
    named = _INPUT_ENCODING.search(data)
    declared = _ENCODINGS.get(named[1], named[1].decode()) if named else ""
    text = decode(data, source, declared)
    body = found[1] if (found := _BODY.search(text)) else text
    try:
        paper = Paper(text)
        read = paper.read(_plain_marks(body))
    except Exception as error:  # pylatexenc fails in many ways where arguments are missing
        too_long = isinstance(error, OverflowError)
        why = "its macros stand for too much" if too_long else "not valid LaTeX"
        yield Content("", [text], "text")
        yield Unread("its markup", f"{why} ({type(error).__name__}); it is kept as it is")
        return
    about = {name: in_line(said) for name, said in paper.about.items()}
    title = about.pop("title", "")
    yield Content(title, [read], metadata={name: said for name, said in about.items() if said})


def _plain_marks(text: str) -> str:
    """LaTeX without what pylatexenc takes for text or comments: `cline`, or `%20` in a link."""
    text = _ADDRESS.sub(lambda found: _PER_CENT.sub(r"\\%", found[0]), text)
    return without_open_options(_PART_OF_RULE.sub("", text))


def in_line(text: str) -> str:
    """A text without line ends."""
    return " ".join(text.split()).replace(" , ", ", ")


class Paper:
    """Reads the parts of one document.

    Attributes:
        about: Its title, author and date.
    """

    def __init__(self, text: str) -> None:
        from pylatexenc import latex2text, latexwalker
        from pylatexenc.macrospec import MacroSpec, std_environment

        self.about: dict[str, str] = {}
        self._notes: list[str] = []
        self._depth = 0
        self._left = _LEAST_LONG + _LONGER * len(text)
        macro, environment = latex2text.MacroTextSpec, latex2text.EnvironmentTextSpec
        plain = without_comments(text)
        theorems = theorems_in(plain)
        given = [
            *((name, "*[{", partial(self._heading, level)) for name, level in _HEADINGS),
            *((name, "*[[{", self._named) for name in _CITED.split()),
            *((name, "*{", self._named) for name in _REFERRED.split()),
            *((name, "*[{", "") for name in _SILENT.split()),
            *((name, "[{", partial(self._noted, name)) for name in ("title", "author", "date")),
            *((each.name, each.form, partial(self._defined, each)) for each in macros_in(plain)),
            ("footnote", "[{", self._note), ("footnotetext", "[{", self._note),
            ("marginpar", "[{", self._note),
            ("caption", "*[{", self._paragraph), ("includegraphics", "*[[{", self._named),
            ("multicolumn", "{{{", self._over_columns), ("multirow", "{{{", self._last),
            ("url", "{", self._address), ("thanks", "{", self._thanks), ("xspace", "", " "),
            *((name, "", name) for name in ("TeX", "LaTeX", "LaTeXe", "BibTeX")),
            ("href", "{{", self._link), ("newcommand", "*{[[{", ""),
            ("renewcommand", "*{[[{", ""), ("providecommand", "*{[[{", ""),
            ("newtheorem", "*{[{[", ""),
            ("verb", "", self._verb), ("bibitem", "[{", self._item), ("item", "[", self._item),
            ("and", "", ", "), ("maketitle", "", ""), ("tableofcontents", "", ""),
        ]  # fmt: skip
        self._macros = latexwalker.get_default_latex_context_db()
        self._macros.add_context_category(
            "hopyard",
            prepend=True,
            macros=[MacroSpec(name, form) for name, form, _ in given if name != "verb"],
            environments=[
                *(std_environment(name, "[{") for name in _TABLES if name != "tabularx"),
                std_environment("tabularx", "{[{"),
                std_environment("thebibliography", "{"),
                *(std_environment(name, "[") for name in theorems),
            ],
        )
        texts = latex2text.get_default_latex_context_db()
        texts.add_context_category(
            "hopyard",
            prepend=True,
            macros=[macro(name, simplify_repl=make) for name, _, make in given],
            environments=[
                *(environment(name, simplify_repl=self._table) for name in _TABLES),
                *(environment(name, simplify_repl=partial(self._list, name))
                  for name in ("itemize", "enumerate", "description")),
                *(environment(name, simplify_repl=self._code)
                  for name in ("verbatim", "lstlisting", "Verbatim")),
                environment("abstract", simplify_repl=self._abstract),
                *(environment(name, simplify_repl=partial(self._theorem, called))
                  for name, called in theorems.items()),
            ],
        )  # fmt: skip
        self._walker = walker()
        self._convert = latex2text.LatexNodes2Text(
            latex_context=texts, math_mode="text", strict_latex_spaces=False
        )
        head = text.partition("\\begin{document}")[0]
        for name in ("title", "author", "date"):
            if place := re.search(rf"\\{name}\s*+(?:\[[^\[\]]*\]\s*+)?(?=\{{)", head):
                self.about[name] = self.read(group_at(head, place.end()))

    def read(self, latex: str) -> str:
        """A part as Markdown."""
        text = _LINE_END.sub("\n", self._plain(latex)).replace("\xa0", " ").strip()
        paragraphs = _BLANK.split(text)
        return "\n\n".join(each for part in paragraphs for each in self._with_notes(part))

    def _plain(self, latex: str) -> str:
        nodes, _, _ = self._walker(latex, latex_context=self._macros).get_latex_nodes()
        return str(self._convert.nodelist_to_text(nodes))

    def _with_notes(self, paragraph: str) -> Iterator[str]:
        """A paragraph, and the notes whose marks are in it."""
        yield _MARK.sub("", paragraph)
        for number in map(int, _MARK.findall(paragraph)):
            yield f"[{number}] {_MARK.sub('', self._notes[number - 1])}"

    def _arguments(self, node: Any) -> list[str]:
        """The texts of a macro's arguments; "" for those that are left out."""
        return [
            in_line(self._convert.nodelist_to_text([each])) if each is not None else ""
            for each in node.nodeargd.argnlist
        ]

    def _last(self, node: Any) -> str:
        return self._arguments(node)[-1]

    def _heading(self, level: int, node: Any) -> str:
        return f"\n\n{'#' * level} {self._last(node)}\n\n"

    def _named(self, node: Any) -> str:
        *before, last = (each.latex_verbatim() if each else "" for each in node.nodeargd.argnlist)
        notes = [self._plain(each[1:-1]) for each in before if each.startswith("[")]
        noted = [] if node.macroname == "includegraphics" else notes
        return f"[{', '.join((*last.strip('{}').replace(' ', '').split(','), *noted))}]"

    def _noted(self, name: str, node: Any) -> str:
        self.about.setdefault(name, self._last(node))
        return ""

    def _note(self, node: Any) -> str:
        self._notes.append(self._last(node))
        return f"[{len(self._notes)}]\ue001{len(self._notes)}\ue001"

    def _paragraph(self, node: Any) -> str:
        return f"\n\n{self._last(node)}\n\n"

    def _address(self, node: Any) -> str:
        return f"<{_address_in(node.nodeargd.argnlist[0])}>"

    def _link(self, node: Any) -> str:
        return f"[{self._last(node)}]({_address_in(node.nodeargd.argnlist[0])})"

    def _thanks(self, node: Any) -> str:
        return f" ({self._last(node)})"

    def _theorem(self, called: str, node: Any) -> str:
        said = "".join(each.strip("[]") for each in self._arguments(node))
        text = self._convert.nodelist_to_text(node.nodelist).strip()
        return f"\n\n{called}{f' ({said})' if said else ''}. {text}\n\n"

    def _item(self, node: Any) -> str:
        return "\n\n-" + "".join(f" [{each}]" for each in self._arguments(node) if each)

    def _verb(self, node: Any) -> str:
        return str(node.nodeargd.verbatim_text)

    def _over_columns(self, node: Any) -> str:
        count, _, text = self._arguments(node)
        return "&".join([text] * (int(count) if count.isdecimal() else 1))

    def _defined(self, macro: Macro, node: Any) -> str:
        given = [each.latex_verbatim() if each else "" for each in node.nodeargd.argnlist]
        if self._depth > _DEEPEST:
            return "".join(given)
        if macro.first is not None:
            given[0] = given[0][1:-1] or macro.first
        body = macro.body
        size = sum(body.count(f"#{number}") * len(each) for number, each in enumerate(given, 1))
        self._left -= max(len(body) + size, _COST)
        if self._left < 0:
            raise OverflowError
        for number, each in enumerate(given, 1):
            body = body.replace(f"#{number}", each)
        self._depth += 1
        try:
            return self._plain(body)
        finally:
            self._depth -= 1

    def _abstract(self, node: Any) -> str:
        return f"\n\n## Abstract\n\n{self._convert.nodelist_to_text(node.nodelist)}\n\n"

    def _code(self, node: Any) -> str:
        text = "".join(each.latex_verbatim() for each in node.nodelist or ())
        text = text or node.latex_verbatim().partition("}")[2].rpartition("\\end")[0]
        return f"\n\n```\n{text.strip()}\n```\n\n"

    def _list(self, kind: str, node: Any) -> str:
        items: list[list[Any]] = []
        labels: list[str] = []
        for each in node.nodelist:
            if getattr(each, "macroname", "") == "item":
                labels.append("".join(self._arguments(each)))
                items.append([])
            elif items:
                items[-1].append(each)
        lines = []
        for number, (label, item) in enumerate(zip(labels, items, strict=True), 1):
            sign = f"{number}." if kind == "enumerate" and not label else "-"
            text = _BLANK.sub("\n", self._convert.nodelist_to_text(item).strip())
            text = text.replace("\n", "\n  ")
            lines.append(" ".join(filter(None, (sign, label, text))))
        return "\n\n" + "\n".join(lines) + "\n\n"

    def _table(self, node: Any) -> str:
        rows: list[list[list[Any]]] = [[[]]]
        for each in node.nodelist:
            name = getattr(each, "macroname", "")
            if name in ("\\", "tabularnewline", "cr"):
                rows.append([[]])
            elif getattr(each, "specials_chars", "") == "&":
                rows[-1].append([])
            elif not _RULES.fullmatch(name):
                rows[-1][-1].append(each)
        texts = [
            [
                part
                for cell in row
                for part in in_line(self._convert.nodelist_to_text(cell)).split("&")
            ]
            for row in rows
        ]
        filled = [row for row in texts if any(row)]
        width = max(map(len, filled), default=0)
        lines = table_lines([row + [""] * (width - len(row)) for row in filled]) if filled else []
        return "\n\n" + "\n".join(lines) + "\n\n"


def _address_in(node: Any) -> str:
    """The address of a link, as it is written."""
    written = str(node.latex_verbatim()) if node else ""
    return re.sub(r"\\([%#&_~])", r"\1", written.removeprefix("{").removesuffix("}"))
