"""The code is as docs/architecture.md describes it, and pages name files and tests that exist."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

import hopyard

ROOT = Path(__file__).parents[1]
PACKAGE = Path(hopyard.__file__).parent
ARCHITECTURE = ROOT / "docs" / "architecture.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINKED = sorted(entry.name for entry in PACKAGE.iterdir() if entry.is_symlink())


def test_dependencies_point_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


def test_the_import_contracts_see_the_linked_folders() -> None:
    graph = grimp.build_graph("hopyard", cache_dir=None)
    seen = Counter(module.split(".")[1] for module in graph.modules if "." in module)
    assert {*LINKED, "testing"} == set(seen)
    files = [path for name in LINKED for path in (ROOT / name).rglob("*.py")]
    assert sum(seen[name] for name in LINKED) == len(files)


def test_each_link_leads_to_the_folder_of_its_name() -> None:
    assert LINKED
    for name in LINKED:
        assert (PACKAGE / name).resolve() == ROOT / name
        assert (ROOT / name / "__init__.py").exists()


def test_ruff_reads_each_file_once() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--show-files", "."]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    files = Counter(Path(line).resolve() for line in listed.stdout.splitlines())
    assert files[ROOT / "graphs" / "tree.py"] == 1
    assert files[ROOT / "hopyard" / "testing" / "models.py"] == 1
    assert set(files.values()) == {1}


def test_the_page_names_what_is_there() -> None:
    page = ARCHITECTURE.read_text("utf-8")
    named = re.findall(r"`([a-z_]+/[\w/]*(?:\.py)?)`", page)
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert [name for name in LINKED if f"`{name}/`" not in page] == []


def test_the_page_about_installing_has_every_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = re.findall(
        r"^\| `([\w-]+)` \|", (ROOT / "docs" / "installing.md").read_text("utf-8"), re.M
    )
    assert {*listed} == {*extras["optional-dependencies"]} - {"dev"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_names_tests_that_exist(page: Path) -> None:
    spans = re.findall(r"`([^`\n]+)`", page.read_text("utf-8"))
    named = {name for span in spans for name in re.findall(r"\b(?:test_|Test[A-Z])\w*", span)}
    assert named - defined_tests() == set()


@cache
def defined_tests() -> frozenset[str]:
    """The names of the files, classes and functions of all tests."""
    files = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "lab" / "tests").rglob("test_*.py")]
    files += (ROOT / "examples").rglob("test_*.py")
    texts = (file.read_text("utf-8") for file in files)
    defined = (re.findall(r"(?:def|class) (test_\w+|Test\w+)", text) for text in texts)
    return frozenset((*(file.stem for file in files), *chain.from_iterable(defined)))
