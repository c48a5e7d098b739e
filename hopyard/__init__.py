"""Hopyard answers questions from your documents and retrieves only as much as each needs.

    import hopyard

    hopyard.build_index("my-index", "docs/")
    with hopyard.Hopyard("my-index", model="openai:gpt-4.1-mini") as hop:
        answer = hop.ask("Where was the discoverer of Pluto born?")
        print(answer, answer.citations)

A name is imported when it is first used, so `import hopyard` itself is fast.

This folder is the installed package. Each link in it leads to a folder of the same name at the
root of the checkout, so the checkout looks like the installed package.
"""

from __future__ import annotations

from typing import Any

import lazy_loader

_imported, _names, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """The public names, each imported when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        return version("hopyard")
    return _imported(name)


def __dir__() -> list[str]:
    return [*_names(), "__version__"]
