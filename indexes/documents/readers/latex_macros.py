"""Macros of a LaTeX document, and its words at once: pylatexenc has neither."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

_BRACKET: Final = re.compile(r"\n[ \t]*\n|\\\W|[\[\]]")
_MACRO_ENDS: Final = re.compile(r"(?:\\[A-Za-z@]+\*?|[}\]])\s*\Z")
_NAME: Final = 40
"""Characters of a macro's name, at most."""
_DEEPEST_OPTION: Final = 4
"""Options within one another that are read as such, at most."""
_COMMENT: Final = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_DEFINED: Final = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand)\*?\s*+\{?\\(?P<name>[A-Za-z]+)\}?\s*+"
    r"(?:\[(?P<count>\d)\]\s*+)?(?:\[(?P<first>[^\[\]{}]*)\]\s*+)?(?=\{)"
    r"|\\def\s*+\\(?P<plain>[A-Za-z]+)\s*+(?=\{)"
)
_THEOREM: Final = re.compile(
    r"\\newtheorem\*?\s*+\{([A-Za-z]+\*?)\}\s*+(?:\[\w+\]\s*+)?\{([^{}]+)\}"
)
_THEOREMS: Final = (
    "theorem lemma proposition corollary definition remark example conjecture claim proof"
)
_WORDS: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 .,:;]|\n(?=[A-Za-z0-9]))++")
"""Words in which no sign means anything to LaTeX."""
_BRACKETS: Final = re.compile(r"\\.|[{}]", re.DOTALL)


class Macro(NamedTuple):
    """A macro that a document defines.

    Attributes:
        name: How it is called, without its backslash.
        arity: How many arguments it has.
        first: Its first argument where that is left out; None if it may not be.
        body: The text that it stands for, with `#1` for its first argument.
    """

    name: str
    arity: int
    first: str | None
    body: str

    @property
    def form(self) -> str:
        """Its arguments as pylatexenc describes them."""
        return "{" * self.arity if self.first is None else "[" + "{" * (self.arity - 1)


def macros_in(text: str) -> Iterator[Macro]:
    """The macros that a document defines, the last of each name."""
    found: dict[str, Macro] = {}
    place = 0
    while head := _DEFINED.search(text, place):
        name, body = head["name"] or head["plain"], group_at(text, head.end())
        count = int(head["count"] or 0)
        found[name] = Macro(name, count, head["first"] if count else None, body)
        place = head.end() + len(body)
    yield from found.values()


def theorems_in(text: str) -> dict[str, str]:
    """The environments of theorems and the like, and what each is called."""
    return {name: name.capitalize() for name in _THEOREMS.split()} | dict(_THEOREM.findall(text))


def without_comments(text: str) -> str:
    """A document without its comments."""
    return _COMMENT.sub(r"\1", text)


def group_at(text: str, start: int) -> str:
    """The text between the bracket at a place and its closing bracket."""
    depth = 0
    for found in _BRACKETS.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if not depth and found[0] == "}":
            return text[start + 1 : found.start()]
    return text[start + 1 :]


@cache
def walker() -> Any:
    """The parser of pylatexenc; by itself it reads letter by letter, and this one words at once."""
    from pylatexenc.latexwalker import LatexToken, LatexWalker

    class Walker(LatexWalker):  # type: ignore[misc]
        def get_token(
            self, pos: int, include_brace_chars: Any = None, environments: bool = True, **more: Any
        ) -> Any:
            # Where a macro takes one letter, the parser asks without environments.
            if environments and (found := _WORDS.match(self.s, pos)):
                words = found[0].rstrip(" ")
                return LatexToken(tok="char", arg=words, pos=pos, len=len(words), pre_space="")
            return super().get_token(pos, include_brace_chars, environments, **more)

    return Walker


def without_open_options(text: str) -> str:
    """LaTeX whose options, `[…]` behind a macro, end in their paragraph and are not nested deeply.

    pylatexenc reads the rest of the text twice for each option that does not end. Other brackets
    are text.
    """
    open_, wrong = list[int](), list[int]()
    for found in _BRACKET.finditer(text + "\n\n"):
        if found[0] == "[":
            (open_ if len(open_) < _DEEPEST_OPTION else wrong).append(found.start())
        elif found[0] == "]":
            del open_[-1:]
        elif found[0].isspace():
            wrong += open_
            open_ = []
    begun = (at for at in sorted(wrong) if _MACRO_ENDS.search(text[max(0, at - _NAME) : at]))
    places = [0, *(place for at in begun for place in (at, at + 1)), len(text)]
    parts = [text[start:end] for start, end in pairwise(places)]
    return "".join(f"{{{part}}}" if number % 2 else part for number, part in enumerate(parts))
