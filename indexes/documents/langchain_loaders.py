"""Documents from any loader of LangChain, by the import path of its class."""

from __future__ import annotations

import importlib
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Any, Final

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document as LoadedDocument

from hopyard.indexes.corpus.records import BadItem, Document, MetadataValue
from hopyard.indexes.documents.corpus_files import derived_id
from hopyard.state.errors import CorpusError, UsageError
from hopyard.state.extras import require
from hopyard.state.settings.rights import GROUPS, group_names
from hopyard.state.text.unicode import storable_text

_EXAMPLE: Final = "langchain_community.document_loaders.TextLoader:notes.txt"


def load_with(spec: str) -> Iterator[Document | BadItem]:
    """Read documents with a loader.

    Args:
        spec: `MODULE.CLASS:ARGUMENT`, with the loader's first positional argument; without a colon
            the class is called with none.

    Raises:
        UsageError: There is no such class, it is no loader, it does not take the argument, or the
            extra `loaders` is not installed.
        CorpusError: The loader failed. Nothing is kept then, because a build would take documents
            that were not read for deleted documents.
    """
    path, colon, argument = spec.partition(":")
    loader_class = _find(path)
    try:
        loader = loader_class(argument) if colon else loader_class()
    except Exception as error:  # every loader checks its arguments, and its packages, its own way
        raise UsageError(
            f"The loader {path} does not take {argument!r} ({_why(error)})."
        ) from error
    yield from _load(loader, f"{path} could not read {argument!r}", argument or path)


def load_from(loader: BaseLoader) -> Iterator[Document | BadItem]:
    """Read documents with a loader that a program made.

    Raises:
        CorpusError: The loader failed; nothing is kept then, as with `load_with`.
    """
    name = type(loader).__name__
    return _load(loader, f"{name} could not read its documents", name)


def _load(loader: Any, failed: str, source: str) -> Iterator[Document | BadItem]:
    try:
        loaded = list(loader.lazy_load())
    except Exception as error:  # every loader fails its own way
        raise CorpusError(f"The loader {failed} ({_why(error)}); nothing was changed.") from error
    yield from convert(loaded, source)


def convert(loaded: Iterable[LoadedDocument], source: str) -> Iterator[Document | BadItem]:
    """LangChain's documents as Hopyard's.

    A document keeps its own id. A document without one gets its id from its source, its page and
    its place on that page, so that a changed text is an update of the same document.
    Metadata keeps text, numbers, booleans and dates, and the groups that may read a document.

    Args:
        source: Where they come from, for those whose metadata does not say.
    """
    places: Counter[tuple[str, str]] = Counter()
    for document in loaded:
        metadata = _plain(document.metadata)
        place = str(metadata.pop("source", "") or source), str(metadata.get("page", ""))
        if label := metadata.pop("page_label", ""):
            metadata["page"] = label  # `page` itself counts from 0 there
        places[place] += 1
        text = storable_text(document.page_content)
        if not text.strip():
            yield BadItem(_name(*place, places[place]), "the text is empty")
            continue
        title = str(metadata.pop("title", "")) or PurePosixPath(place[0]).stem
        name = document.id or derived_id("\0".join((*place, str(places[place]))))
        yield Document(storable_text(str(name)), title, text, metadata, place[0])


def _find(path: str) -> Any:
    module, _, name = path.rpartition(".")
    if module.partition(".")[0] == "langchain_community":
        require(f"The loader {path!r}", "loaders")
    try:
        if not module:
            raise ImportError("the path names no module")
        with warnings.catch_warnings():
            # langchain-community says on import that it is no longer maintained.
            warnings.simplefilter("ignore", DeprecationWarning)
            found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"The loader {path!r} cannot be imported ({_why(error)}): check the name, as in "
            f"{_EXAMPLE}, or install the package that has it."
        ) from error
    if not callable(getattr(found, "lazy_load", None)):
        raise UsageError(f"{path!r} is not a LangChain loader: it has no method `lazy_load`.")
    return found


def _plain(metadata: Mapping[str, Any]) -> dict[str, MetadataValue]:
    plain: dict[str, MetadataValue] = {}
    for name, value in metadata.items():
        if isinstance(value, date):
            plain[name] = value.isoformat()
        elif isinstance(value, str):
            plain[name] = storable_text(value)
        elif isinstance(value, (int, float)) and math.isfinite(value):
            plain[name] = value
        elif name.casefold() == GROUPS and value is not None:  # left out, it would open the text
            named = group_names(value)
            plain[name] = storable_text(", ".join(named)) if isinstance(named, tuple) else ""
    return plain


def _name(source: str, page: str, number: int) -> str:
    return f"{source}, page {page}" if page else f"{source}, document {number}"


def _why(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
