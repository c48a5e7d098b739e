"""Adding methods and models of your own, in this process, by name."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel

from hopyard.indexes.kind import KINDS, IndexKind
from hopyard.indexes.search import SEARCHES, SearchMethod
from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.models.embedder import Embedder
from hopyard.models.embeddings import LangChainEmbedder, register_embedder
from hopyard.models.instances import provider_of
from hopyard.state.strategy import STRATEGIES, Strategy


def register_strategy(strategy: Strategy) -> None:
    """Add a strategy. The route, `strategy="NAME"`, the evaluation and the trace find it.

    A package offers its own as entry point `hopyard.strategies` instead.
    """
    STRATEGIES.register(strategy)


def register_index_kind(kind: IndexKind) -> None:
    """Add an index kind, for `build_index(kinds=["NAME"])`.

    A package offers its own as entry point `hopyard.indexes` instead.
    """
    KINDS.register(kind)


def register_search_method(method: SearchMethod) -> None:
    """Add a search method, for `search="NAME"`.

    A package offers its own as entry point `hopyard.searches` instead.
    """
    SEARCHES.register(method)


def register_chat_model(name: str, model: BaseChatModel | ChatProvider) -> None:
    """Make a chat model usable by name, for `model="NAME"`."""
    provider = model if isinstance(model, ChatProvider) else provider_of(model)
    register_chat_provider(name, provider)


def register_embedding(name: str, model: Embeddings | Embedder) -> None:
    """Make an embedding model usable by name, for `embedding="NAME"`.

    An index stores this name, so give each model its own name.
    """
    if isinstance(model, Embeddings):
        cure = f"check the address and the API key that {name!r} was made with"
        register_embedder(name, LangChainEmbedder(name, model, cure))
    else:
        register_embedder(name, model)
