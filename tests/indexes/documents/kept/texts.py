# ruff: noqa: E501, PLR0911 - markup in long lines
"""Files of text formats with words that are there once, made by hypothesis."""

from __future__ import annotations

import json
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

from .words import LATIN, Words


def html(words: Words) -> bytes:
    """Nested lists and tables, merged cells, mixed content, omitted end tags, fields."""

    def block(depth: int = 3) -> str:
        kind = words.chance.choice(
            ("p", "mixed", "table", "list", "details", "div", "head", "field")
        )
        if depth == 0 or kind == "p":
            return f"<p>{words()}"
        if kind == "mixed":
            return f"{words()} <b>{words()}</b><i>,</i> <a href=x>{words(1)}</a>10<sup>6</sup><br>{words()}"
        if kind == "table":
            return (
                f"<table>{words.some(row)}</table>"
                if depth < 3
                else f"<table><tr><td>{block(depth - 1)}<td>{words()}</table>"
            )
        if kind == "list":
            return f"<ul>{words.some(lambda: f'<li>{block(depth - 1)}')}</ul>"
        if kind == "details":
            return f"<details><summary>{words()}</summary>{block(depth - 1)}</details>"
        if kind == "head":
            return f"<h2>{words()}</h2>"
        if kind == "field":
            return f'<label>{words(1)}</label> <input value="{words(1)}"> <input type=checkbox checked>'
        return f"<div>{words()} {block(depth - 1)}</div>"

    def row() -> str:
        return f"<tr>{words.some(cell)}"

    def cell() -> str:
        spans = words.chance.choice(("", " rowspan=2", " colspan=2", " colspan=3 rowspan=2"))
        return f"<{words.chance.choice(('td', 'th'))}{spans}>{words()}"

    page = f"<!DOCTYPE html><title>{words()}</title><style>p {{}}</style><main>{words.some(block, 6)}</main>"
    declared = words.chance.choice(("utf-8", "utf-16"))
    return page.encode(declared)


def xml(words: Words) -> bytes:
    """Mixed content, attributes, entities, CDATA, namespaces, several encodings."""

    def element(depth: int = 3) -> str:
        name = words.chance.choice(("item", "n:part", "p"))
        about = f' id="{words(1)}"' if words.chance.random() < 0.3 else ""
        if about and words.chance.random() < 0.5:
            return f"<{name}{about}/> "
        if about:
            return f"<{name}><q{about}><r>{words()}</r></q></{name}> "
        inner = words.some(lambda: element(depth - 1), 3) if depth else words()
        text = words.one(
            words,
            lambda: f"{words()} &amp; {words()}",
            lambda: f"<![CDATA[{words()} < 3]]>",
            str,
        )
        return f"<{name}>{text} {inner}{words.one(str, words)}</{name}> "

    encoding = words.chance.choice(("utf-8", "utf-16", "utf-8-sig"))
    declared = "utf-16" if encoding == "utf-16" else "utf-8"
    return (
        f'<?xml version="1.0" encoding="{declared}"?>\n<!-- {words.chance.random()} -->\n'
        f'<root xmlns:n="urn:x">{words.some(element)}</root>'
    ).encode(encoding)


def json_(words: Words) -> bytes:
    """Nested objects and lists, lists of flat objects, numbers, escapes."""

    def value(depth: int = 3) -> Any:
        kind = words.chance.choice(("text", "number", "list", "object", "rows", "null"))
        count = words.chance.randint(1, 3)
        if kind == "text" or depth == 0:
            return words()
        if kind == "number":
            return words.chance.choice((12.5, 987654321.98, -3, 1e-7))
        if kind == "list":
            return [value(depth - 1) for _ in range(count)]
        if kind == "object":
            return {words(1): value(depth - 1) for _ in range(count)}
        if kind == "rows":
            names = [words(1), words(1)]
            return [{name: words() for name in names} for _ in range(count)]
        return None

    found = {words(1): value() for _ in range(4)}
    return json.dumps(found, ensure_ascii=words.chance.random() < 0.5).encode()


def csv(words: Words) -> bytes:
    """Any delimiter, quoted cells with delimiters and line ends, several encodings."""
    between = words.chance.choice(",;\t|")

    def cell() -> str:
        return words.one(
            lambda: words(1),
            lambda: f'"{words()}{between} {words()}"',
            lambda: f'"{words()}\n{words()}"',
            lambda: "7",
        )

    width = words.chance.randint(2, 5)
    lines = [between.join(words(1) for _ in range(width))]
    lines += [between.join(cell() for _ in range(width)) for _ in range(words.chance.randint(2, 8))]
    return "\r\n".join(lines).encode(words.chance.choice(("utf-8", "utf-8-sig", "utf-16")))


def text(words: Words) -> bytes:
    """A text in an encoding of Europe, or with a wrong byte."""
    words.stems = LATIN
    encoding = words.chance.choice(
        ("utf-8", "utf-16", "cp1252", "iso8859_15", "utf-8-sig", "mac_roman")
    )
    lines = "\r\n".join(words(8) for _ in range(12)).encode(encoding)
    return lines + b" caf\xe9" if encoding == "utf-8" else lines


def markdown(words: Words) -> bytes:
    """Front matter of several kinds, then text."""
    front = words.one(
        lambda: f"---\ntitle: {words()}\ntags: [{words(1)}, {words(1)}]\nempty:\n---\n",
        lambda: f"---\ntitle: {words()}: {words()}\nby: @{words(1)}\nlist:\n\t- {words()}\n---\n",
        lambda: f'+++\ntitle = "{words()}"\n[place]\ncity = "{words()}"\n+++\n',
        lambda: f"---\nnested:\n  deep: {{a: {words()}}}\n  other: {words()} # no\n---\n",
        str,
    )
    return f"{front}# {words()}\n\n{words()} *{words()}*\n\n- {words()}\n".encode()


def mail(words: Words) -> bytes:
    """Texts, pages, alternatives, attachments and forwarded mails, nested in any way."""

    words.stems = LATIN

    def part(depth: int = 2) -> EmailMessage:
        made = EmailMessage(policy=SMTP)
        made["Subject"], made["From"] = words(), "ann@example.org"
        made["Date"] = "Mon, 02 Mar 2026 10:00:00 +0100"
        charset = words.chance.choice(("utf-8", "cp1252"))
        body = words(12)
        made.set_content(f"{body}\n{words()}", charset=charset, cte="base64")
        if words.chance.random() < 0.5:
            made.add_alternative(f"<p>{body} <b>{words()}</b></p>", subtype="html")
        for _ in range(words.chance.randint(0, 2)):
            kind = words.chance.choice(("text", "mail", "page"))
            if kind == "mail" and depth:
                made.add_attachment(part(depth - 1))
            elif kind == "page":
                made.add_attachment(f"<p>{words()}</p>", subtype="html", filename="a.html")
            else:
                made.add_attachment(words().encode(), "text", "plain", filename="a.txt")
        return made

    return part().as_bytes()


def rtf(words: Words) -> bytes:
    """Letters beyond ASCII as Unicode, tables, silent groups."""

    def coded(content: str) -> str:
        return "".join(each if each.isascii() else f"\\u{ord(each)}?" for each in content)

    lines = "".join(f"{coded(words())} {{\\b {coded(words())}}}\\par\n" for _ in range(6))
    cells = "".join(f"{coded(words())}\\cell " for _ in range(3))
    return (
        "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\*\\generator none;}"
        f"\\uc1 {lines}\\trowd {cells}\\row}}"
    ).encode()


def notebook(words: Words) -> bytes:
    """Text, code, printed texts, values and errors."""
    code = {
        "cell_type": "code",
        "source": [f"{words()}\n", words()],
        "outputs": [
            {"output_type": "stream", "text": [words()]},
            {"output_type": "execute_result", "data": {"text/plain": words(), "image/png": "aGVq"}},
            {"output_type": "error", "ename": words(1), "evalue": words(), "traceback": []},
        ],
    }
    cells = [{"cell_type": "markdown", "source": words()}, code]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()
