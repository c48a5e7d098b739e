"""Markdown pages from templates."""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ("render_markdown",)


def render_markdown(package: str, name: str, **values: Any) -> str:
    """Fill a template of a package.

    Args:
        package: The package with a folder `templates`.
        name: The template's file. Its blocks leave no blank lines.
        values: The names that the template uses; a missing one is an error.
    """
    page: str = _environment(package).get_template(name).render(**values)
    return page.rstrip() + "\n"


@cache
def _environment(package: str) -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # Markdown, not HTML: nothing is escaped.
    return Environment(  # noqa: S701
        loader=PackageLoader(package),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
