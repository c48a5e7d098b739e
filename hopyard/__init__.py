"""Hopyard answers questions from your documents and retrieves only as much as each needs.

    import hopyard

    hopyard.build_index("my-index", "docs/")
    with hopyard.Hopyard("my-index", model="openai:gpt-4.1-mini") as hop:
        answer = hop.ask("Where was the discoverer of Pluto born?")
        print(answer, answer.citations)

A name is imported when it is first used, so `import hopyard` itself is fast.

This folder is the installed package. Each link in it leads to a folder of the same name at the
root of the checkout, so that editors, type checkers and coverage see the package as it is
installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hopyard.agent.answer import Answer as Answer
    from hopyard.agent.answer import Citation as Citation
    from hopyard.agent.answer import Evidence as Evidence
    from hopyard.agent.building import IndexReport as IndexReport
    from hopyard.agent.building import aadd_documents as aadd_documents
    from hopyard.agent.building import abuild_index as abuild_index
    from hopyard.agent.building import add_documents as add_documents
    from hopyard.agent.building import build_index as build_index
    from hopyard.agent.events import Event as Event
    from hopyard.agent.events import Token as Token
    from hopyard.agent.hopyard import Hopyard as Hopyard
    from hopyard.agent.middleware import HopyardMiddleware as HopyardMiddleware
    from hopyard.agent.middleware import as_middleware as as_middleware
    from hopyard.agent.registration import register_chat_model as register_chat_model
    from hopyard.agent.registration import register_embedding as register_embedding
    from hopyard.agent.registration import register_index_kind as register_index_kind
    from hopyard.agent.registration import register_search_method as register_search_method
    from hopyard.agent.registration import register_strategy as register_strategy
    from hopyard.agent.registration import register_vector_store as register_vector_store
    from hopyard.agent.retriever import HopyardRetriever as HopyardRetriever
    from hopyard.agent.retriever import as_retriever as as_retriever
    from hopyard.agent.subagent import as_subagent as as_subagent
    from hopyard.agent.subgraph import as_graph as as_graph
    from hopyard.agent.tool import as_tool as as_tool
    from hopyard.state.errors import HopyardError as HopyardError

    __version__: str

_PLACES: Final = {
    "Answer": "agent.answer",
    "Citation": "agent.answer",
    "Event": "agent.events",
    "Evidence": "agent.answer",
    "Hopyard": "agent.hopyard",
    "HopyardError": "state.errors",
    "HopyardMiddleware": "agent.middleware",
    "HopyardRetriever": "agent.retriever",
    "IndexReport": "agent.building",
    "Token": "agent.events",
    "aadd_documents": "agent.building",
    "abuild_index": "agent.building",
    "add_documents": "agent.building",
    "as_graph": "agent.subgraph",
    "as_middleware": "agent.middleware",
    "as_retriever": "agent.retriever",
    "as_subagent": "agent.subagent",
    "as_tool": "agent.tool",
    "build_index": "agent.building",
    "register_chat_model": "agent.registration",
    "register_embedding": "agent.registration",
    "register_index_kind": "agent.registration",
    "register_search_method": "agent.registration",
    "register_strategy": "agent.registration",
    "register_vector_store": "agent.registration",
}

__all__ = tuple(_PLACES)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """The public names, each imported when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        return version("hopyard")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(f"hopyard.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES, "__version__"})
