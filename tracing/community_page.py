"""The communities as one self-contained page: a map that opens from level to level.

It has no script, and a content security policy allows none. A cell of a map links to an element
inside the `details` of its community; browsers open all that a link's target is in.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import Template

from hopyard.indexes.kinds.communities.overview import Overview, Part, Parts, Quote, ShownFinding
from hopyard.state.counting import counted
from hopyard.tracing.community_drawing import anchor, draw_map, has_strip
from hopyard.tracing.escaping import escape
from hopyard.tracing.self_contained import asset, content_policy

__all__ = ("community_page",)


def community_page(overview: Overview, name: str) -> str:
    """The page of the communities of an index.

    Args:
        overview: What is shown.
        name: The name of the index.
    """
    style, own_style = asset("page.css"), asset("communities.css")
    return Template(asset("communities.html")).substitute(
        policy=content_policy([style, own_style]),
        style=style,
        own_style=own_style,
        name=escape(name),
        totals=_totals(overview),
        note=_note(overview),
        map=_picture(overview),
        communities=_parts(overview.root, "name without neighbours", "names without neighbours")
        or "<p>None.</p>",
    )


def _totals(overview: Overview) -> str:
    numbers = {
        "Entities": f"{overview.entities:,}",
        "Communities": f"{overview.communities:,}",
        "Reports": f"{overview.reports:,}",
    }
    numbers |= {
        f"Level {level}, modularity {quality:.3f}": counted(count, "community")
        for level, (count, quality) in enumerate(overview.levels)
    }
    return "".join(f"<div><dt>{name}</dt><dd>{told}</dd></div>" for name, told in numbers.items())


def _note(overview: Overview) -> str:
    if overview.reports:
        return ""
    return "<p>There are no reports yet. A report is written when a question needs it.</p>"


def _picture(overview: Overview) -> str:
    drawn = draw_map(overview.root, root=True)
    if not drawn:
        return ""
    legend = "<li>area: number of entities</li><li>lines: the communities inside</li>"
    if has_strip(overview.root):
        legend += "<li>dashed: the smaller communities, not to scale</li>"
    if overview.reports:
        legend += '<li class="rated">darker: a higher rating</li>'
    return f'<section class="picture" id="map"><ul class="legend">{legend}</ul>{drawn}</section>'


def _parts(parts: Parts, one: str = "single name", more: str = "single names") -> str:
    smaller = (
        f'<p class="hint">and {parts.smaller:,} smaller '
        f"{'community' if parts.smaller == 1 else 'communities'}</p>"
        if parts.smaller
        else ""
    )
    return (
        "".join(map(_part, parts.shown))
        + smaller
        + _alone(parts, one if parts.alone == 1 else more)
    )


def _alone(parts: Parts, noun: str) -> str:
    """One line for the entities that are in no community with others."""
    if not parts.alone:
        return ""
    such = ", such as" if parts.alone > len(parts.names) else ":"
    names = escape(", ".join(parts.names))
    return f'<p class="alone">and {parts.alone:,} {noun}{such} {names}</p>'


def _part(part: Part) -> str:
    community, report = part.community, part.report
    about = [counted(len(community.entities), "entity"), counted(community.passages, "passage")]
    if community.children:
        inside = len(community.children)
        about.append(f"{inside:,} {'community' if inside == 1 else 'communities'} inside")
    if report is not None:
        about.append(f"rating {report.rating:g}")
    if part.asked:
        about.append("written for a question")
    names = escape(", ".join(part.names))
    more = " …" if len(community.entities) > len(part.names) else ""
    return (
        f'<details class="community"><summary><span class="title">{escape(part.title)}</span> '
        f'<code>{community.id}</code> <span class="score">{", ".join(about)}</span></summary>'
        f'<div class="body" id="{anchor(community.id)}">{_told(part)}'
        f'<p class="names"><span>Best connected:</span> {names}{more}</p>'
        f"{draw_map(part.inside)}{_parts(part.inside)}</div></details>"
    )


def _told(part: Part) -> str:
    """The report, or sentences that name most of the community."""
    if part.report is None:
        hint = '<p class="hint">No report yet: it is written when a question needs it.</p>'
        return hint + _quotes(part.quotes)
    summary = f"<p>{escape(part.summary)}</p>"
    if part.findings or not part.report.findings:
        findings = "".join(map(_finding, part.findings))
        return f'{summary}<ol class="findings">{findings}</ol>' if findings else summary
    left = counted(len(part.report.findings), "finding")
    return f'{summary}<p class="hint">{left} left out: only larger communities show theirs</p>'


def _finding(finding: ShownFinding) -> str:
    return (
        f"<li><b>{escape(finding.summary)}</b> {escape(finding.explanation)}"
        f"{_quotes(finding.quotes)}</li>"
    )


def _quotes(quotes: Iterable[Quote]) -> str:
    items = "".join(
        f"<li><q>{escape(quote.text)}</q> <cite>{escape(quote.name)}</cite></li>"
        for quote in quotes
    )
    return f'<ul class="quotes">{items}</ul>' if items else ""
