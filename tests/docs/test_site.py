"""The documentation as a site: complete, without a broken link, and without another server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hopyard.cli.app import COMMANDS
from hopyard.state.settings.fields import Context, every_setting

pytest.importorskip("material")
pytest.importorskip("mkdocstrings")

ROOT = Path(__file__).parents[2]


def make_site(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    made = make_site(folder)
    assert made.returncode == 0, made.stderr[-4000:]
    return folder


def test_readme_is_the_first_page_and_leads_to_the_others(site: Path) -> None:
    page = (site / "index.html").read_text("utf-8")
    assert "<h1" in page
    assert 'href="answers.html' in page
    assert 'href="docs/' not in page


def test_every_page_is_in_the_navigation(site: Path) -> None:
    start = (site / "index.html").read_text("utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        address = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert (site / address).exists()
        assert f'href="{address}" class="md-nav__link"' in start, address


def test_no_page_loads_anything_from_another_server(site: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]+")
    for page in site.rglob("*.html"):
        assert not loaded.findall(page.read_text("utf-8")), page
    for style in site.rglob("*.css"):
        assert "url(http" not in style.read_text("utf-8"), style


def test_graphs_are_drawn_by_the_script_of_the_site(site: Path) -> None:
    for page in ("index.html", "studio.html"):
        assert '<script src="assets/mermaid.tiny.js">' in (site / page).read_text("utf-8")
    assert (site / "assets" / "mermaid.tiny.js").exists()


def test_the_reference_has_every_command_setting_and_public_name(site: Path) -> None:
    import hopyard

    commands = (site / "reference" / "commands.html").read_text("utf-8")
    assert all(f'id="hopyard-{name}"' in commands for name in COMMANDS)
    settings = (site / "reference" / "settings.html").read_text("utf-8")
    assert all(f"<code>{name}</code>" in settings for name, *_ in every_setting(Context()))
    python = (site / "reference" / "python.html").read_text("utf-8")
    for name in getattr(hopyard, "__all__", ()):
        part = getattr(hopyard, name)
        if hasattr(part, "__qualname__"):
            assert f'id="{part.__module__}.{part.__qualname__}"' in python
    assert 'id="hopyard.state.errors.UsageError"' in python
    plugins = (site / "reference" / "plugins.html").read_text("utf-8")
    assert 'id="hopyard.state.strategy.Strategy"' in plugins


def test_a_broken_link_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A\n\n[b](#nowhere)\n", "utf-8")
    rules = (ROOT / "mkdocs.yml").read_text("utf-8")
    validation = rules[rules.index("validation:") : rules.index("markdown_extensions:")]
    (tmp_path / "mkdocs.yml").write_text(f"site_name: a\n{validation}", "utf-8")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    made = make_site(tmp_path / "site")
    assert made.returncode != 0
    assert "nowhere" in made.stderr
