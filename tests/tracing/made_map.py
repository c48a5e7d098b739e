"""A map of communities made by hand, and what a page has in it."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from hopyard.indexes.kinds.communities.overview import Overview, Part, Parts, Quote
from hopyard.indexes.kinds.communities.records import Community, Report

__all__ = ("HOSTILE", "Page", "part", "whole")

HOSTILE = '</title><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">'


class Page(HTMLParser):
    """The elements of a page, and which community is inside which."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.parents: dict[str, str] = {}
        """The community that each is inside; "" for none."""
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        assert not any(name.startswith("on") or name == "style" for name in given)
        self.names.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.addresses += [given[name] for name in ("href", "src", "action") if name in given]
        if tag == "div" and given.get("class") == "body":
            name = given["id"].removeprefix("c-")
            assert name not in self.parents
            self.parents[name] = self._open[-1] if self._open else ""
            self._open.append(name)

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self._open.pop()


def part(number: int, size: int = 5, level: int = 0, **more: Any) -> Part:
    """A community with texts of the greatest length."""
    community = Community(
        id=f"{level}-{number}", level=level, entities=tuple(range(size)), passages=1, title="t"
    )
    report = Report(community=community.id, title="t", summary="s", rating=number % 11)
    made = Part(
        community,
        "t" * 120,
        ("n" * 60,) * 8,
        report,
        False,
        "s" * 800,
        (),
        (Quote("p", "q"),),
        Parts(()),
    )
    return replace(made, **more)


def whole(*parts: Part, smaller: int = 0) -> Overview:
    return Overview(9, len(parts), 1, ((len(parts), 0.5),), Parts(parts, smaller))
