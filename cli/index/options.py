"""The options of `hopyard index …`, and the documents that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from hopyard.cli.console import progress_bar
from hopyard.cli.index.report import nothing_read
from hopyard.indexes.kinds.dense import STORES
from hopyard.models.names import NO_EMBEDDING, embedding_name
from hopyard.state.errors import UsageError
from hopyard.state.extras import install_command
from hopyard.state.settings.fields import AUTO
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.cli.console import ProgressBar
    from hopyard.indexes.corpus.records import Document
    from hopyard.indexes.documents.folders import FolderNames
    from hopyard.indexes.documents.loaders import LoadReport
    from hopyard.indexes.documents.stamps import FileStamps
    from hopyard.models.embedder import Embedder
    from hopyard.nodes.resources import Resources

PathsArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Files and folders: .jsonl, text, Markdown, HTML, PDF, office files, mails, "
        "archives, source code and more."
    ),
]


def _for_reading(name: str) -> Path:
    from hopyard.indexes.corpus.shared import folder_of

    with progress_bar() as progress:
        return folder_of(name, progress)


def for_building(name: str) -> Path:
    """The directory that builds of an index work in, by the name that the user gave."""
    from hopyard.indexes.corpus.shared import build_folder

    with progress_bar() as progress:
        return build_folder(name, progress)


_HELP: Final = "The index directory or address."
DirectoryArgument = Annotated[
    Path, typer.Argument(help=_HELP, metavar="INDEX", parser=_for_reading)
]
BuiltArgument = Annotated[Path, typer.Argument(help=_HELP, metavar="INDEX", parser=for_building)]
LoaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--loader",
        metavar="CLASS:ARGUMENT",
        help="Read documents with a LangChain loader, such as "
        "langchain_community.document_loaders.CSVLoader:prices.csv. Repeat for several loaders.",
    ),
]
EncodingOption = Annotated[
    str,
    typer.Option(help="Encoding of text files, such as cp1252 (default: detected)."),
]
OcrOption = Annotated[
    str,
    typer.Option(
        "--ocr",
        metavar="LANGUAGES",
        help="Languages of scanned pages, such as deu+eng (needs ocrmypdf, tesseract).",
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Estimate the cost from a few passages, without a change of the index.",
    ),
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Exit with 0 even if some items cannot be read.")
]
VectorsOption = Annotated[
    str | None,
    typer.Option("--vectors", help=f"{' (default) or '.join(STORES)}."),
]
MaxCallsOption = Annotated[
    int | None,
    typer.Option(
        "--max-calls",
        "--budget",
        help="Maximum model calls. The index is then usable, and the same command continues.",
    ),
]
MaxTokensOption = Annotated[int | None, typer.Option(help="Maximum tokens, as --max-calls.")]
MaxSecondsOption = Annotated[
    float | None, typer.Option(help="Maximum seconds of model calls, as --max-calls.")
]
NewPassagesModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", help="Chat model for new passages; without it, the model of the last build."
    ),
]


def own_embedder(resources: Resources, directory: Path, wanted: str = AUTO) -> Embedder:
    """The embedding model for an existing index, ready to embed.

    Args:
        wanted: The setting `embedding`. The model of an index that has none is not opened.
    """
    from hopyard.indexes.corpus.manifest import check_embedding, read_manifest

    manifest = read_manifest(directory)
    held = embedding_name(manifest.embedding)
    embedder = resources.embedder(held if wanted == AUTO or held == NO_EMBEDDING else wanted)
    check_embedding(directory, manifest, embedder)
    _ = embedder.tokenizer
    return embedder


def check_extras(paths: Iterable[Path], *, skip_bad: bool) -> None:
    """See that the packages are installed that read the files, before the first is read.

    Args:
        skip_bad: Whether files that cannot be read are left out.

    Raises:
        UsageError: Some are missing.
    """
    from hopyard.indexes.documents.files import shown
    from hopyard.indexes.documents.loaders import missing_extras

    missing = {} if skip_bad else missing_extras(paths)
    if missing:
        files = [file for found in missing.values() for file in found]
        verb = "needs" if len(files) == 1 else "need"
        raise UsageError(
            f"{counted(len(files), 'file')}, such as {shown(files[0])!r}, {verb} a package that is "
            f"not installed: {install_command(','.join(missing))}; or leave such files out with "
            "--skip-bad."
        )


def reading(
    paths: list[Path] | None,
    loaders: list[str] | None,
    encoding: str,
    ocr: str,
    progress: ProgressBar,
    folders: FolderNames,
    stamps: FileStamps | None = None,
) -> tuple[LoadReport, Iterator[Document]]:
    """Documents that are read as the build asks for them; the report fills up meanwhile."""
    from hopyard.indexes.documents.loaders import LoadReport, read

    if not paths and not loaders:
        raise UsageError("There is nothing to read; name files or folders, or a --loader.")

    def opening(path: Path) -> None:
        progress.show_file(path)
        if stamps:
            stamps.note(path)

    loaded = LoadReport()
    documents = read(
        paths or (), loaders or (), loaded,
        encoding=encoding, ocr=ocr, folders=folders, opening=opening, progress=progress,
    )  # fmt: skip
    if (first := next(documents, None)) is None:
        raise nothing_read(loaded)
    return loaded, chain([first], documents)
