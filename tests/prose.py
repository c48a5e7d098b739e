"""A small linter for English prose: words, wordings, and the length of sentences.

Usage: python tests/prose.py FILES…, where a FILE is a Markdown page, a Python file, or a folder
of Python files.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from inspect import cleandoc
from pathlib import Path
from typing import Final, NamedTuple

MOST_WORDS: Final = 30
"""A longer clause is a problem. A code span counts as a word; brackets do not count."""

WORDINGS: Final = {
    # Words that say nothing, or promise.
    r"leverag\w+": "use",
    r"utili[sz]\w+": "use",
    r"in order to": "to",
    r"(please )?note that|it should be noted|it is worth noting|keep in mind": "say it directly",
    r"seamless\w*|effortless\w*|blazing\w*|cutting-edge|state-of-the-art|world-class": "a figure",
    r"best-in-class|game-chang\w+|next-level|supercharge\w*|unlock the|delve\w*": "a figure",
    r"powerful|robust|sophisticated|elegant\w*|comprehensive": "what it does, or a figure",
    r"simply|easily|obviously|of course|needless to say": "nothing",
    r"a (wide )?variety of|a number of|a plethora of|myriad": "the number, or several",
    r"due to the fact that|owing to": "because",
    r"prior to": "before",
    r"and/or": "or",
    r"at the end of the day|when all is said|under the hood|out of the box": "plain words",
    # Wordings that read like a translation.
    r"anew": "again",
    r"mend(s|ed|ing)?": "fix",
    r"dear(er)?": "expensive",
    r"halves": "sub-questions, or two parts",
    r"(is|are|was|were) told( of)?": "who tells what",
    r"(is|are|was) asked anew": "retries",
    r"tell(s|ing)? of": "report",
    r"(that|which|it|there|question|they) (is|are) none": "is empty, has no …",
    r"(can|could) be had": "is available",
    r"(for which )?(there )?is no more\b(?! than)": "the limit is reached",
    r"hang(s|ing)? on(?! to)": "depends on",
    r"go(es)? by": "depends on, follows",
    r"go(es)? on( with)?": "continues",
    r"stands? (in|there|where|behind|under|above|beside|on|before)": "is in",
    r"com(e|es|ing) to nothing": "fails",
    r"worked into": "merged into",
    r"tak(e|es|en) .{1,20} ill": "fails on",
    r"by heart": "from memory",
    r"made good|make(s)? good": "corrected",
    r"all the same": "nevertheless, or nothing",
    r"without (a word|being told)": "automatically",
    r"the (whole )?house": "the architecture",
    r"for ever": "forever",
    r"of (ours|theirs|yours|mine)\b": "our, their, your",
    r"at its first use": "on first use",
    r"the papers owe": "the papers report",
    r"as they come": "unchanged",
    r"(nobody|no one)'s fault": "the cause",
    r"what there is": "name it",
    r"no other is left|is left over": "name what remains",
    r"whatever it is": "any",
    r"leads? (?:\w+ )?closer": "name the relation",
    r"made of\b(?= .{0,30}(answers|questions))": "built from",
    r"(?<!year-)old(er)? one|new(er)? one|such (a |an )?one|ones": "repeat the noun",
    r"(?:a|an|another|the|every|each|its|longer|other|last|first|second|weak|only) one"
    r"(?= (?:that|which|is|was|has|can|may|of its|with)\b|[.,;:)]|$)": "repeat the noun",
    "—": "a full stop, a comma, a colon or brackets",
}
"""A pattern for a wording, and what to write instead."""

OPENINGS: Final = {
    r"What (?!.*\?$)": "begin with the thing itself, not with a relative clause",
    r"Whoever ": "begin with the person",
    r"(It|There) (is|was|are|were) (?:\w+ )?(known|assumed|expected|recommended|said)\b": "say who",
    r"(It|This) (can|may|should|must|has to) be \w+ed that": "say who",
    r"There (is|are) (?!no\b)(\w+ ){1,4}(which|that|who) ": "begin with the thing itself",
    r"It is (\w+ )+(that|which|who) ": "begin with the thing itself",
}
"""The beginning of a sentence, and what to write instead."""

# American words that are also British, or names of the field.
_BOTH: Final = """
analog artifact artifacts catalog center check color curb dialog disk draft gray inquiry
license licensed licenses licensing math medieval meter meters oriented practice practiced
program programmer programs story stories toward ton tons writable
"""

_CODE: Final = re.compile(r"`[^`]*`")
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_END: Final = re.compile(r"([.!?:][\"”’)*_]*)\s+(?=[\"“‘(*_`]*[A-Z0-9`])")
_ABBREVIATION: Final = re.compile(r"\b(e\.g|i\.e|vs|et al|cf|no|p|pp|approx|etc)\.\s")
_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_WORD: Final = re.compile(r"[^\W_][\w'’.,%-]*")


class Problem(NamedTuple):
    """Where a text is hard to read, and what to do."""

    found: str
    advice: str
    sentence: str

    def __str__(self) -> str:
        return f"“{self.found}” ({self.advice}) in: {self.sentence}"


def problems(text: str) -> list[Problem]:
    """What to change in paragraphs of prose, separated by blank lines."""
    return [
        problem
        for paragraph in re.split(r"\n\s*\n", text)
        for sentence in sentences(" ".join(paragraph.split()))
        for problem in _problems_of(sentence)
    ]


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph. A colon before a capital letter ends one, too."""
    kept = _ABBREVIATION.sub(lambda match: match[0].replace(". ", "._ "), paragraph)
    return _END.sub(r"\1\n", kept).replace("._ ", ". ").splitlines()


def _problems_of(sentence: str) -> Iterator[Problem]:
    plain = _CODE.sub("X", _LINK.sub(r"\1", sentence))
    for pattern, advice in _wordings():
        for found in pattern.finditer(plain):
            yield Problem(found[0], advice, sentence)
    bare = plain.lstrip('*_"“‘( ')
    for pattern, advice in _openings():
        if found := pattern.match(bare):
            yield Problem(found[0], advice, sentence)
    for clause in re.split(r"[;:]\s", _BRACKETS.sub(" ", plain)):
        if (count := len(_WORD.findall(clause))) > MOST_WORDS:
            yield Problem(f"{count} words", f"at most {MOST_WORDS}", sentence)
    yield from spelling_problems(plain)


def spelling_problems(text: str) -> Iterator[Problem]:
    """American spellings; the project's is British."""
    for word in re.findall(r"[A-Za-z]+", text):
        if british := _british().get(word.lower()):
            yield Problem(word, british, text)


@cache
def _wordings() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(rf"\b(?:{wording})\b" if wording != "—" else wording, re.IGNORECASE), advice)
        for wording, advice in WORDINGS.items()
    ]


@cache
def _openings() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(opening), advice) for opening, advice in OPENINGS.items()]


@cache
def _british() -> dict[str, str]:
    """British spelling by American, from codespell's dictionary of the other direction."""
    lines = (files("codespell_lib") / "data" / "dictionary_en-GB_to_en-US.txt").read_text("utf-8")
    pairs = (line.split("->") for line in lines.splitlines() if "->" in line)
    return {
        american: british
        for british, americans in pairs
        for american in (word.strip() for word in americans.split(","))
        if american and american not in _BOTH.split()
    }


_BLOCK: Final = re.compile(
    r"^(```|~~~).*?^\1\s*$|<!-- transcript -->.*?<!-- /transcript -->", re.M | re.S
)
_INDENTED: Final = re.compile(
    r"(?:(?<=\n\n)|\A)(?: {4,}|\t).*(?:\n(?: {4,}|\t).*|\n(?=\n(?: {4,}|\t)))*"
)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.S)
_ITEM: Final = re.compile(r"^(\s*)(?:[-*+]|\d+\.)\s+", re.M)


def prose_of_markdown(text: str) -> str:
    """The paragraphs, list items, headings and table cells of a page; no code, no comments."""
    text = _COMMENT.sub("", _BLOCK.sub("\n", text))
    text = _ITEM.sub("\n\n", _without_code(text))
    lines: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith("|"):
            lines += ["", *(f"{cell.strip()}\n" for cell in line.replace("\\|", "/").split("|"))]
        elif line.startswith("#"):
            lines += ["", line.lstrip("# "), ""]
        else:
            lines.append(line)
    return "\n".join(lines)


def _without_code(text: str) -> str:
    """Without blocks that are indented; lines that continue a list item stay."""
    kept: list[str] = []
    in_list = False
    before_blank = True
    for line in text.splitlines():
        if _ITEM.match(line):
            in_list = True
        elif line.strip() and not line.startswith(" "):
            in_list = False
        code = line.startswith("    ") and not in_list and before_blank
        if not code:
            kept.append(line)
        before_blank = not line.strip() or code
    return "\n".join(kept)


_SECTION: Final = re.compile(r"^(Args|Attributes|Raises|Returns|Yields|Example):$", re.M)
_ENTRY: Final = re.compile(r"^ *\w+(?:\[\w+\])?: ", re.M)


def prose_of_python(text: str, *, classes: bool = True) -> str:
    """The docstrings and comments of a module, a paragraph for each entry of a docstring.

    Args:
        classes: Whether to take the docstrings of classes, too.
    """
    found: list[str] = []
    nodes = [*ast.walk(ast.parse(text))]
    left_out = [] if classes else [each.body[0] for each in nodes if isinstance(each, ast.ClassDef)]
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Constant(value=str(docstring))) if node not in left_out:
                found.append(_prose_of_docstring(docstring))
    row = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not re.match(r"# (noqa|type:|pragma)", token.string):
            comment = token.string.lstrip("#: ")
            if token.start[0] == row + 1 and token.line.lstrip().startswith("#"):
                found[-1] += f"\n{comment}"
            else:
                found.append(comment)
            row = token.start[0]
    return "\n\n".join(found)


def _prose_of_docstring(text: str) -> str:
    text = re.sub(r"^ *(>>>|\.\.\.).*$", "", cleandoc(text), flags=re.M)
    return _ENTRY.sub("\n\n", _SECTION.sub("\n\n", _without_code(prose_of_markdown(text))))


def main() -> None:
    """Print the problems of files."""
    for path in map(Path, sys.argv[1:]):
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            read = prose_of_python if file.suffix == ".py" else prose_of_markdown
            for problem in problems(read(file.read_text("utf-8"))):
                print(f"{file}: {problem}")


if __name__ == "__main__":
    main()
