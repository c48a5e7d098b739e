# ruff: noqa: E501 - rows of cases in long lines
"""LaTeX and BibTeX files."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import pytest

from hopyard.indexes.documents.readers.base import Source
from hopyard.indexes.documents.readers.latex import read_latex

from ..case_tables import cases
from .conftest import Read

PAPER = r"""
\documentclass{article}
\usepackage[latin1]{inputenc}
\newcommand{\pump}[1]{the pump \textbf{#1}} \def\firm{Quay Ltd}
\title{The Pumps of Br\"oker} \author{Ada Ash \and Ben Birch} \date{March 2024}
\begin{document}
\maketitle
\begin{abstract} We measure 3 pumps für die Stadt. \end{abstract}
\section{Introduction}\label{sec:intro}
It costs 5 \% more~\cite{ash2024,birch2023}. See Section~\ref{sec:intro}. % a comment
We sell \pump{X9} of \firm\footnote{Without tax.}. A fee of \$40 \& more.

It is \emph{cheap}.
\subsection*{Heat}
$E = mc^2$ and $10^{6}$ cells.
\begin{table}\caption{Fees}\begin{tabular}{l|r}
\hline Item & Fee \\ \hline Rope & 40 \\ Hook & \multicolumn{1}{c}{7} \\ \end{tabular}\end{table}
\begin{enumerate} \item One \item[b)] Two \end{enumerate}
\input{chapters/two}
Use \verb|x_1| of \href{http://b.example}{the page}: \unknown{na\"{\i}ve} \o{} ``quoted''.
\begin{verbatim}
raw % text_1
\end{verbatim}
\end{document}
"""
READ = """## Abstract

We measure 3 pumps für die Stadt.

## Introduction

It costs 5 % more [ash2024, birch2023]. See Section [sec:intro].
We sell the pump X9 of Quay Ltd[1]. A fee of $40 & more.

[1] Without tax.

It is cheap.

### Heat

E = mc^2 and 10^6 cells.

Fees

| Item | Fee |
|---|---|
| Rope | 40 |
| Hook | 7 |

1. One
- b) Two

[chapters/two]
Use x_1 of [the page](http://b.example): naïve ø “quoted”.

```
raw % text_1
```"""


PARTS = r"""
\chapter{One} Text\marginpar{beside} of 50\% % no ⇒ # One⏎⏎Text[1] of 50%⏎⏎[1] beside
\begin{tabular}{ll} A & B \\ \multicolumn{2}{c}{both} \\ C \\ \end{tabular} ⇒ | A | B |⏎|---|---|⏎| both | both |⏎| C |  |
\begin{itemize}\item a \begin{itemize}\item b\end{itemize}\item c\end{itemize} ⇒ - a⏎  - b⏎- c
See \url{http://x.org/a%20b} and \href{http://x.org/%7Ea}{this}, says \LaTeX. ⇒ See <http://x.org/a%20b> and [this](http://x.org/%7Ea), says LaTeX.
\newtheorem{law}[theorem]{Law} \begin{law}[Ash] It holds. \end{law} ⇒ Law (Ash). It holds.
\newcommand{\todo}[2][now]{Do #2 #1.} \todo{this} \todo[later]{that} ⇒ Do this now. Do that later.
\begin{tabular}{ll} A & B \\ \cmidrule(lr){1-2} C & \cline{1-2} D \end{tabular} ⇒ | A | B |⏎|---|---|⏎| C | D |
\newcommand{\again}{\again x}\again ⇒ xxxxxxxxxxxxxxxxxxxxx
\begin{thebibliography}{9}\bibitem{ash} Ash: Pumps, 2024.\end{thebibliography} ⇒ - [ash] Ash: Pumps, 2024.
A\footnote{one} and B\footnote{two}. ⇒ A[1] and B[2].⏎⏎[1] one⏎⏎[2] two
\includegraphics[width=3cm]{crane.png} \citep[see][p.~4]{ash} ⇒ [crane.png] [ash, see, p. 4]
"""


def test_a_paper(read: Read) -> None:
    content, text, unread = read("a.tex", PAPER.encode("latin-1"))
    assert (content.title, dict(content.metadata)) == (
        "The Pumps of Bröker",
        {"author": "Ada Ash, Ben Birch", "date": "March 2024"},
    )
    assert text == READ
    assert not unread


@pytest.mark.parametrize(("latex", "text"), cases(PARTS))
def test_parts(read: Read, latex: str, text: list[str]) -> None:
    assert [read("chapter.tex", latex.encode(), whole=False)[1]] == text


def test_a_file_that_cannot_be_parsed_is_kept_as_it_is(read: Read) -> None:
    content, text, [unread] = read("a.tex", b"\\href")
    assert (content.markup, text) == ("text", "\\href")
    assert "not valid LaTeX" in unread.reason


@pytest.mark.parametrize(
    "latex",
    [
        "{" * 10_000 + "deep" + "}" * 10_000,
        r"\newcommand{\a}{\a\a} \a",
        "".join(rf"\newcommand{{\x{a}}}{{\x{b}\x{b}\x{b}}}" for a, b in pairwise("abcdefghijkl"))
        + r"\newcommand{\xl}{long} \xa",
    ],
)
def test_files_whose_text_would_not_end_are_kept_as_they_are(read: Read, latex: str) -> None:
    _, text, [unread] = read("a.tex", latex.encode())
    assert text == latex
    assert "it is kept as it is" in unread.reason


def test_values_of_entries(read: Read) -> None:
    """A sign of per cent begins no comment, and a number sign between words joins nothing."""
    data = rb"""@misc{a, title={50% more}, url={http://x.org/a%20b}, booktitle={Proc. # 1}}"""
    text = read("a.bib", data, whole=False)[1]
    assert text.splitlines()[3:] == [
        "title: 50% more", "url: http://x.org/a%20b", "booktitle: Proc. # 1"
    ]  # fmt: skip


def test_entries(read: Read) -> None:
    data = r"""
@comment{mine}
@string{quay = "Quay Press"}
@article{ash2024, author = {Ada Ash and J{\"o}rg Br{\"o}ker}, title = {The {P}umps of {\O}stby},
  year = 2024, journal = quay # " Monthly", pages={1--9}}
@book(birch, title = "Cranes \& Hooks", note = {50\% more})
@book{ash2024, title={Twice}}
@misc{broken, title={No end
"""
    _, text, [unread] = read("a.bib", data.encode(), whole=False)
    assert text.split("\n\n#") == [
        "mine",
        " ash2024\n\ntype: article\nauthor: Ada Ash and Jörg Bröker\ntitle: The Pumps of Østby\n"
        "year: 2024\njournal: Quay Press Monthly\npages: 1–9",
        " birch\n\ntype: book\ntitle: Cranes & Hooks\nnote: 50% more",
        " ash2024\n\ntype: book\ntitle: Twice\n\n@misc{broken, title={No end",
    ]
    assert unread.reason == "no valid entry; it is kept as it is"


def test_words_of_latex_that_are_lost_are_named(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hopyard.indexes.documents.readers import latex

    monkeypatch.setattr(latex.Paper, "_note", lambda *_: "")
    with pytest.raises(AssertionError, match="kept 50 %"):
        read("a.tex", rb"Fees of \textbf{rope}\footnote{Without the tax of May} are high.")


@pytest.mark.parametrize("text", [r"\cite[", r"\cite[ a" + "\n\n", r"\item[\cite["])
def test_options_that_do_not_end_are_read_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    walker = pytest.importorskip("pylatexenc.latexwalker").LatexWalker
    calls, given = [0], walker.get_latex_nodes

    def counted(self: Any, *args: Any, **named: Any) -> Any:
        calls[0] += 1
        return given(self, *args, **named)

    monkeypatch.setattr(walker, "get_latex_nodes", counted)
    work = []
    for times in (50, 100):
        calls[0] = 0
        data = io.BytesIO(f"Fees {text * times}".encode())
        assert [*read_latex(Source("a.tex", lambda data=data: data))]
        work.append(calls[0])
    assert work[1] <= 2 * work[0] + 10


def test_brackets_without_an_end_are_text(read: Read) -> None:
    assert read("a.tex", rb"The share is in $[0, 1)$, \textbf{not} [open\cite[see")[1] == (
        "The share is in [0, 1), not [open[[]see"
    )
