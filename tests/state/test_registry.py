"""The registries: parts of Hopyard's own, of installed packages, and of this program."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.kind import KINDS
from hopyard.indexes.search import SEARCHES
from hopyard.state.errors import UsageError
from hopyard.state.registry import Registry
from hopyard.state.settings.fields import setting_groups
from hopyard.state.strategy import STRATEGIES

RECORD = """
from types import SimpleNamespace
PART = SimpleNamespace(name={name!r}, about="A part.", settings=None)
"""


@dataclass
class Part:
    name: str
    about: str = "A part."
    settings: Any = None


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Install a package that is one module, with entry points for strategies."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def install(module: str, source: str, **points: str) -> None:
        (tmp_path / f"{module}.py").write_text(source)
        about = tmp_path / f"{module}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (about / "entry_points.txt").write_text(f"[hopyard.strategies]\n{lines}")

    yield install
    for name in set(sys.modules) - before:
        if name.startswith("plug"):
            del sys.modules[name]


def registry() -> Registry[Any]:
    """The strategies, found again."""
    return Registry(
        "strategy",
        package="hopyard.graphs.strategies",
        attribute="STRATEGY",
        group="hopyard.strategies",
    )


OWN = list(registry())


@pytest.mark.parametrize("parts", [STRATEGIES, KINDS, SEARCHES])
def test_a_part_is_named_as_its_module_is(parts: Registry[Any]) -> None:
    assert [part.name for part in parts.parts()] == list(parts)
    assert all(part.about for part in parts.parts())
    assert len(parts) == len(list(parts)) == len(set(parts))


def test_every_group_of_settings_says_what_it_is_for() -> None:
    assert {"tree", "chain", "hop", "rerank"} <= set(setting_groups())
    for name, group in setting_groups().items():
        assert group.group == name
        assert group.__doc__


def test_the_part_of_an_installed_package_is_beside_the_others(
    package: Callable[..., None],
) -> None:
    package("plug_leap", RECORD.format(name="leap"), leap="plug_leap:PART")
    found = registry()
    assert list(found) == [*OWN, "leap"]
    assert "plug_leap" not in sys.modules  # a name costs no import
    assert found["leap"].about == "A part."


def test_a_package_takes_no_name_of_hopyards_own(package: Callable[..., None]) -> None:
    package("plug_tree", RECORD.format(name="tree"), tree="plug_tree:PART")
    assert registry()["tree"] is STRATEGIES["tree"]


BROKEN = {
    "a module that is missing": ("", "plug_nowhere:PART"),
    "an attribute that is missing": ("", "plug_broken:PART"),
    "no attribute": ("", "plug_broken"),
    "a missing library": ("import no_such_library", "plug_broken:PART"),
    "a fault": ("1 / 0", "plug_broken:PART"),
    "no Python": ("def :", "plug_broken:PART"),
    "another name": (RECORD.format(name="other"), "plug_broken:PART"),
}


@pytest.mark.parametrize(("source", "place"), BROKEN.values(), ids=BROKEN)
def test_a_broken_package_is_named_once_and_the_others_work(
    package: Callable[..., None], caplog: pytest.LogCaptureFixture, source: str, place: str
) -> None:
    package("plug_broken", source, leap=place)
    package("plug_sound", RECORD.format(name="bound"), bound="plug_sound:PART")
    found = registry()
    for _ in range(2):
        assert [part.name for part in found.parts()] == [*OWN, "bound"]
    [warning] = [record for record in caplog.records if record.levelno == logging.WARNING]
    for _ in range(2):
        with pytest.raises(UsageError) as raised:
            found["leap"]
        assert str(raised.value) == warning.getMessage()
    assert "The strategy 'leap' cannot be loaded" in warning.getMessage()
    assert place in warning.getMessage()
    assert len(warning.getMessage().splitlines()) == 1


def test_a_program_registers_a_part_and_takes_it_back() -> None:
    found, own = registry(), Part("tree")
    found.register(own)
    found.register(Part("leap"))
    assert found["tree"] is own
    assert list(found) == [*OWN, "leap"]
    found.unregister("tree")
    found.unregister("leap")
    found.unregister("leap")
    assert found["tree"] is STRATEGIES["tree"]
    assert list(found) == OWN


def test_what_a_program_had_registered_is_back_after_a_registration_for_a_while() -> None:
    found, own, other = registry(), Part("tree"), Part("tree")
    found.register(own)
    with found.registered(other):
        assert found["tree"] is other
    assert found["tree"] is own
    with pytest.raises(ZeroDivisionError), found.registered(Part("leap")):
        raise ZeroDivisionError
    assert list(found) == OWN


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(UsageError) as raised:
        registry()["ladder"]
    assert "'ladder'" in str(raised.value)
    assert all(name in str(raised.value) for name in OWN)
    assert "ladder" not in registry()
    assert 3 not in registry()
