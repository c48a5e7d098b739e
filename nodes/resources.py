"""The resources of a process, owned by one object: indexes, models, gates, the ledger.

A program that runs many questions makes a `Resources`, gives it to its runs, and closes it. A run
that was given none, as in LangGraph's server, uses the process's own.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

from langchain_core.runnables import RunnableConfig

from hopyard.indexes.corpus.manifest import MANIFEST_FILE, read_manifest
from hopyard.indexes.index import Index
from hopyard.indexes.search import Kept
from hopyard.models.calls.call import ModelCaller
from hopyard.models.chat import ChatProvider, chat_provider, registered_chat_provider
from hopyard.models.embedder import Embedder, Instructions, Vector
from hopyard.models.embeddings import embedder, registered_embedder
from hopyard.models.instances import is_instance_name
from hopyard.models.ledger import LEDGER_FILE, Ledger, open_ledger
from hopyard.models.names import NO_EMBEDDING
from hopyard.models.recorded import Recorder
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import AUTO
from hopyard.state.settings.index_address import is_address
from hopyard.state.settings.sources import home
from hopyard.state.storage.addresses import LEDGER_VARIABLE, address_in

if TYPE_CHECKING:
    from hopyard.classifiers.retrieval_gate import RetrievalGate
    from hopyard.indexes.corpus.snapshot import Snapshot

RESOURCES_KEY: Final = "__hopyard_resources"
"""Where a run's configuration holds its resources. LangGraph keeps such keys out of checkpoints."""

_MOST_VECTORS: Final = 256
"""Number of cached question embeddings. The steps of a run repeat questions."""

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Resources:
    """Opens each index, model and gate once, however many runs ask at the same time.

    Use it under `with`, or close it. Every method may block, so async code calls it in a thread.

    Args:
        folder: The data folder, which holds the ledger unless `HOPYARD_LEDGER` names a database;
            the user's own where none is given.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or home()
        self._recorder: Recorder | None = None
        self._chat_models: dict[str, ChatProvider] = {}
        self._embedding_models: dict[str, Embedder] = {}
        self._ledgers = _Once[str, Ledger]()
        self._callers = _Once[str, ModelCaller]()
        self._embedders = _Once[str, Embedder]()
        self._indexes = _Once[tuple[str, str], Index]()
        self._corpora: _Once[tuple[str, tuple[str, ...] | None], Snapshot] = _Once()
        self._gates: _Once[Path, RetrievalGate] = _Once()
        self._vectors: OrderedDict[tuple[str, str], Vector] = OrderedDict()
        self.kept = Kept()
        """Objects that searches have opened, such as a cross-encoder."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what was opened. Nothing that uses it may be under way."""
        for index in self._indexes.take_all():
            index.close()
        for corpus in self._corpora.take_all():
            corpus.close()
        for ledger in self._ledgers.take_all():
            ledger.close()
        self._callers.take_all()
        self._embedders.take_all()
        self._gates.take_all()
        self._vectors.clear()
        self.kept = Kept()

    def with_own_models(self) -> Resources:
        """The same open indexes and ledger, with models of its own.

        Two runs may be given models of one name that differ in what no name shows, such as the key
        of an account.
        """
        own = copy(self)
        own._chat_models = dict(self._chat_models)
        own._embedding_models = dict(self._embedding_models)
        own._callers, own._embedders = _Once(), _Once()
        return own

    def add_chat_model(self, provider: ChatProvider) -> str:
        """Make a chat model usable by its identity, in runs with these resources only.

        Returns:
            The name, for the setting `model`.
        """
        self._chat_models[provider.identity] = provider
        return provider.identity

    def add_embedding_model(self, model: Embedder) -> str:
        """Make an embedding model usable by its name, in runs with these resources only.

        Returns:
            The name, for the setting `embedding`.
        """
        self._embedding_models[model.name] = model
        return model.name

    @property
    def ledger(self) -> Ledger:
        """The ledger of finished model calls."""
        place = address_in(LEDGER_VARIABLE) or self._folder / LEDGER_FILE
        return self._ledgers.get("", None, lambda: open_ledger(place))

    def caller(self, spec: str) -> ModelCaller:
        """The chat model of a name, under the ledger.

        Raises:
            UsageError: The name is none that can be used.
        """
        own = self._chat_models.get(spec) or registered_chat_provider(spec)
        if own is None:
            _check_name(spec, "model")
        provider = own or chat_provider(spec)
        recorder = self._recorder
        version = (own or provider.identity, recorder)
        return self._callers.get(
            spec, version, lambda: ModelCaller(provider, self.ledger, recorder)
        )

    @contextmanager
    def recording(self, folder: Path) -> Iterator[None]:
        """Record every model call that is answered inside the block into a folder.

        Raises:
            HopyardError: The folder cannot be written.
        """
        recorder = Recorder(folder)
        before, self._recorder = self._recorder, recorder
        try:
            yield
        finally:
            self._recorder = before
            recorder.close()

    def embedder(self, spec: str) -> Embedder:
        """The embedding model of a name.

        Raises:
            UsageError: The name is none that can be used.
        """
        own = self._embedding_models.get(spec) or registered_embedder(spec)
        if own is None:
            _check_name(spec, "embedding")
        return self._embedders.get(spec, own, lambda: own or embedder(spec))

    def index(self, name: str | Path, embedding: str) -> Index:
        """An index, opened once a generation.

        Args:
            name: Its directory or address.
            embedding: The name of the embedding model; `auto` is the index's own.

        Raises:
            IndexMissingError: It is missing, damaged, or of another embedding model.
        """
        directory = index_folder(name)
        return self._indexes.get(
            (_key(name), embedding), _version(directory), lambda: self._open(directory, embedding)
        )

    def corpus(self, name: str | Path, groups: Sequence[str] | None = None) -> Snapshot:
        """The documents and passages of an index, opened once a generation; see `open_corpus`."""
        from hopyard.indexes.listing import open_corpus

        directory = index_folder(name)
        key = _key(name), None if groups is None else tuple(groups)
        return self._corpora.get(key, _version(directory), lambda: open_corpus(directory, groups))

    def _open(self, directory: Path, embedding: str) -> Index:
        own = embedding == AUTO or read_manifest(directory).embedding == NO_EMBEDDING
        return Index.open(directory, None if own else self.embedder(embedding))

    def embed_query(self, text: str, embedding: str) -> Vector:
        """The embedding [d] of a question."""
        key = (embedding, text)
        if (known := self._vectors.get(key)) is not None:
            return known
        vector = self.embedder(embedding).embed_query(text)
        self._vectors[key] = vector
        while len(self._vectors) > _MOST_VECTORS:
            self._vectors.popitem(last=False)
        return vector

    def embed_question(self, question: str, embedding: str) -> Vector:
        """The embedding [d] of a question, with the prefix that the model itself wants."""
        model = self.embedder(embedding)
        instructions: Instructions = getattr(model, "instructions", Instructions())
        return self.embed_query(f"{instructions.query}{question}", embedding)

    def gate(self, name: str) -> RetrievalGate:
        """The gate of a name, loaded once a version of its files.

        Raises:
            GateUnavailableError: It does not exist, or cannot be loaded.
        """
        from hopyard.classifiers.retrieval_gate import RetrievalGate, find_gate

        folder, changed = find_gate(name)
        return self._gates.get(
            folder, changed, lambda: RetrievalGate.load(folder, self.embed_question)
        )


def index_folder(name: str | Path) -> Path:
    """The directory of an index, for reading; see `indexes.corpus.shared.folder_of`."""
    if not is_address(name):
        return Path(name)
    from hopyard.indexes.corpus.shared import folder_of

    return folder_of(name)


def _key(name: str | Path) -> str:
    """One text for all names of an index."""
    return str(name) if is_address(name) else str(Path(name).absolute())


def _version(directory: Path) -> tuple[Path, int]:
    """Where an index is, and when it was written, as far as its file system tells."""
    manifest = directory / MANIFEST_FILE
    return directory, manifest.stat().st_mtime_ns if manifest.exists() else 0


def _check_name(spec: str, setting: str) -> None:
    if is_instance_name(spec):
        raise UsageError(
            f"The {setting} {spec!r} was a Python object, and this program was not given it; give "
            f"the same object again, or name another with `--set {setting}=PROVIDER:NAME`."
        )


class _Once(Generic[KeyT, ValueT]):
    """Values by key, each made once a version however many threads ask for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: defaultdict[KeyT, threading.Lock] = defaultdict(threading.Lock)
        self._made: dict[KeyT, tuple[object, ValueT]] = {}

    def get(self, key: KeyT, version: object, make: Callable[[], ValueT]) -> ValueT:
        """The value of a key, made again if the version has changed."""
        with self._lock:
            lock = self._locks[key]
        with lock:
            made = self._made.get(key)
            if made is None or made[0] != version:
                made = self._made[key] = (version, make())
            return made[1]

    def take_all(self) -> list[ValueT]:
        """All values, which are forgotten."""
        with self._lock:
            made, self._made = self._made, {}
        return [value for _, value in made.values()]


_shared: Final[dict[Path, Resources]] = {}
_sharing: Final = threading.Lock()


def shared_resources() -> Resources:
    """The process's own resources, for runs that were given none; one a data folder."""
    folder = home()
    with _sharing:
        if folder not in _shared:
            _shared[folder] = Resources(folder)
        return _shared[folder]


def close_shared_resources() -> None:
    """Close the process's own resources. The next run opens them again."""
    with _sharing:
        while _shared:
            _shared.popitem()[1].close()


atexit.register(close_shared_resources)


def config_with(resources: Resources, config: RunnableConfig | None = None) -> RunnableConfig:
    """A configuration whose run uses these resources."""
    given = config or RunnableConfig()
    return {**given, "configurable": {**given.get("configurable", {}), RESOURCES_KEY: resources}}


def config_with_default(
    resources: Resources, config: RunnableConfig | None = None
) -> RunnableConfig:
    """A configuration whose run uses its own resources, or these if it has none."""
    if config is not None and RESOURCES_KEY in config.get("configurable", {}):
        return config
    return config_with(resources, config)


async def resources_in(configurable: Mapping[str, Any]) -> Resources:
    """The resources that a run was given, else the process's own."""
    given = configurable.get(RESOURCES_KEY)
    if isinstance(given, Resources):
        return given
    return await asyncio.to_thread(shared_resources)
