"""The wheel: what is in it, and that an empty environment answers with it, without PyTorch."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

uv = pytest.importorskip("uv", reason="uv is not installed: pip install 'hopyard[dev]'")

ROOT = Path(__file__).parents[1]
NOT_PACKAGED = re.compile(r"^hopyard/evaluation/results/|/__pycache__/")
"""Published figures, which no command reads."""
UNREACHABLE = ("Failed to fetch", "error sending request", "dns error", "Could not connect")
QUESTION = "Which moon of Saturn has an atmosphere?"

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


def packaged() -> dict[str, Path]:
    """Every file of the package in the checkout, by its name in the wheel."""
    files: dict[str, Path] = {}
    for folder in sorted((ROOT / "hopyard").iterdir()):
        if folder.is_dir():
            for file in folder.resolve().rglob("*"):
                name = f"hopyard/{folder.name}/{file.relative_to(folder.resolve())}"
                if file.is_file() and not NOT_PACKAGED.search(name):
                    files[name] = file
        else:
            files[f"hopyard/{folder.name}"] = folder
    return files


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: setuptools leaves files behind, and packs those it finds."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name, file in packaged().items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, source / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(out), str(source)], check=True)
    [built] = out.glob("hopyard-*.whl")
    return built


def install(python: Path, *what: str | Path, only_say: bool = False) -> str:
    """Install into an environment, under the versions that the tests use elsewhere."""
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    command = [uv.find_uv_bin(), "pip", "install", "--python", str(python), *constraints]
    # uv does not read pip's settings.
    given = {"SSL_CERT_FILE": "PIP_CERT", "UV_DEFAULT_INDEX": "PIP_INDEX_URL"}
    pips = {ours: os.environ[theirs] for ours, theirs in given.items() if theirs in os.environ}
    done = subprocess.run(
        [*command, *["--dry-run"] * only_say, *map(str, what)],
        capture_output=True,
        text=True,
        check=False,
        env=pips | os.environ,
    )
    if done.returncode and any(each in done.stderr for each in UNREACHABLE):
        pytest.skip(f"the package index cannot be reached: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return done.stderr


class Environment:
    """An environment with nothing but the wheel and what it depends on.

    Attributes:
        packages: What is installed in it.
    """

    def __init__(self, folder: Path, wheel: Path) -> None:
        binaries = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run(
            [uv.find_uv_bin(), "venv", "--quiet", "--python", sys.executable, folder / "env"],
            check=True,
        )
        self.python = binaries / "python"
        self._hopyard = binaries / "hopyard"
        install(self.python, wheel)
        command = [uv.find_uv_bin(), "pip", "list", "--python", self.python, "--format", "json"]
        listed = subprocess.run(command, capture_output=True, check=True)
        self.packages = {each["name"] for each in json.loads(listed.stdout)}
        self.folder = folder
        self.variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "HOPYARD_HOME": str(folder / "home"),
            "HOPYARD_CACHE": str(folder / "cache"),
            "OLLAMA_HOST": "127.0.0.1:1",
        }

    def __call__(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run `hopyard ARGUMENTS…`."""
        command = [str(self._hopyard), *map(str, arguments)]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env=self.variables,
            cwd=self.folder,
        )


@pytest.fixture(scope="module")
def hopyard(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("bare"), wheel)


@pytest.fixture
def hosted(
    hopyard: Environment, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Environment]:
    """The environment, with the scripted server as its hosted model."""
    variables = model_server.environment() | {
        "HOPYARD_GATE": "auto",
        "HOPYARD_MODEL": "openai:scripted",
        "HOPYARD_EMBEDDING": "ollama:words",
    }
    monkeypatch.setattr(hopyard, "variables", hopyard.variables | variables)
    return hopyard


def processor_seconds() -> float:
    """Of the commands so far; other work on the machine does not lengthen it."""
    spent = os.times()
    return spent.children_user + spent.children_system


def answer(title: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"Route": {"strategy": "single"}, "Answer": {"answer": "Titan"}}[title]


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
    assert names == set(packaged())
    assert {name.split("/")[0] for name in names} == {"hopyard"}
    assert "hopyard/classifiers/gate/capable/head.npy" in names
    assert not any(re.search(r"(^|/)(tests|lab|benchmarks|examples|docs)/", name) for name in names)
    assert wheel.stat().st_size < 12_000_000


def test_a_question_is_answered_without_torch(
    hosted: Environment, model_server: ModelServer
) -> None:
    model_server.answer = answer
    before = processor_seconds()
    (hosted.folder / "moons.md").write_text(
        "# Titan\nTitan is the moon of Saturn that has an atmosphere.\n\n"
        "# Phobos\nPhobos is a moon of Mars.\n"
    )
    built = hosted("index", "build", "moons.md", "--out", "index", "--json")
    assert built.returncode == 0, built.stderr
    asked = hosted("ask", QUESTION, "--index", "index", "--explain", "--json")
    assert asked.returncode == 0, asked.stderr
    assert processor_seconds() - before < 60
    result = json.loads(asked.stdout)
    assert result["answer"] == "Titan"
    assert result["gate"]["gate"] == "off"
    assert "needs hopyard[builtin]: pip install 'hopyard[builtin]'" in result["gate"]["reason"]
    assert result["explanation"]["passages"]
    heavy = {"torch", "transformers", "sentence-transformers", "captum", "xllamacpp"}
    assert hosted.packages & heavy == set()


def test_doctor_is_well_with_a_hosted_model(hosted: Environment, model_server: ModelServer) -> None:
    model_server.answer = lambda title, messages: {"answer": "Paris"}
    model_server.models = ("words:latest",)
    ended = hosted("doctor", "--json")
    assert ended.returncode == 0, ended.stderr
    found = {each["name"]: each for each in json.loads(ended.stdout)["findings"]}
    assert found["hopyard[pdf]"]["cure"] == "pip install 'hopyard[pdf]'"
    assert not found["hopyard[pdf]"]["ok"]
    assert "'Paris'" in found["chat model openai:scripted"]["detail"]


def test_the_built_in_model_says_what_to_install(hopyard: Environment) -> None:
    """`tests/cli/test_extras.py` hides each extra in turn."""
    asked = hopyard("ask", QUESTION, "--strategy", "direct")
    cure = "needs hopyard[builtin]: pip install 'hopyard[builtin]'."
    assert (asked.returncode, asked.stderr) == (4, f"Error: The built-in chat model {cure}\n")


_LATER = (
    "hopyard.agent.workers.ray_workers",
    "hopyard.agent.workers.shared_build",
    "hopyard.agent.workers.worker",
    "hopyard.indexes.documents.readers.pdf.",
    "hopyard.indexes.kinds.dense.pgvector",
    "hopyard.models.ledger_postgres",
    "hopyard.nodes.table.worker",
    "hopyard.state.storage.postgres.",
)
"""Modules that are imported for the first page, for an address, or in a process of their own."""


def test_only_mcp_the_page_and_the_contract_tests_import_an_extra_when_they_are_imported(
    hopyard: Environment,
) -> None:
    imports = (
        "import importlib, pkgutil, hopyard\n"
        "for found in pkgutil.walk_packages(hopyard.__path__, 'hopyard.', lambda name: None):\n"
        "    try:\n"
        "        importlib.import_module(found.name)\n"
        "    except ModuleNotFoundError as error:\n"
        "        print(found.name, error.name)\n"
    )
    done = subprocess.run(
        [hopyard.python, "-c", imports], capture_output=True, text=True, check=True, cwd="/"
    )
    failed = dict(line.split() for line in done.stdout.splitlines())
    failed = {name: of for name, of in failed.items() if not name.startswith(_LATER)}
    assert {name.split(".")[1] for name in failed} <= {"cli", "testing", "web"}, failed
    extra = {
        "mcp",
        "mcp_types",
        "pytest",
        "pytest_asyncio",
        "starlette",
        "sse_starlette",
        "uvicorn",
    }
    assert set(failed.values()) <= extra, failed


def test_the_advised_command_finds_the_installed_wheel(hopyard: Environment) -> None:
    """Hopyard is on no registry; pip and uv take the installed one and add what the extra names."""
    planned = install(hopyard.python, "hopyard[pdf]", only_say=True)
    assert "+ pypdfium2==" in planned
    assert "hopyard==" not in planned
