"""What the site shows beside the files in docs/: README.md, and pages written from the code.

MkDocs calls these functions while it builds (`hooks` in mkdocs.yml).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import urldefrag

import typer
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

import hopyard
from hopyard.cli.app import COMMANDS, load_command
from hopyard.state.settings.fields import Context, every_setting

ROOT: Final = Path(__file__).resolve().parent.parent
REPOSITORY: Final = "https://github.com/hopyard/hopyard/blob/main/"
LINK: Final = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
NAMES: Final = "<!-- names of hopyard -->"
COMMANDS_HERE: Final = "<!-- commands -->"
SETTINGS_HERE: Final = "<!-- settings -->"
MERMAID: Final = '<script src="{base}assets/mermaid.tiny.js"></script>'


def on_files(files: Files, config: Any) -> Files:
    """Add README.md as the first page, and the pictures that pages show from other folders."""
    files.append(File.generated(config, "index.md", content=_readme()))
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for _, target, _ in LINK.findall(page.read_text("utf-8")):
            path = (page.parent / target).resolve()
            if path.suffix == ".png" and not path.is_relative_to(ROOT / "docs"):
                picture = _picture(path)
                if files.get_file_from_path(picture) is None:
                    content = path.read_bytes()
                    files.append(File.generated(config, picture, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Write what a page takes from the code, and lead links out of docs/ to the repository."""
    if NAMES in markdown:
        markdown = markdown.replace(NAMES, _names())
    if COMMANDS_HERE in markdown:
        markdown = markdown.replace(COMMANDS_HERE, _commands())
    if SETTINGS_HERE in markdown:
        markdown = markdown.replace(SETTINGS_HERE, _settings())
    source = ROOT / "docs" / page.file.src_uri

    def lead(match: re.Match[str]) -> str:
        return match[1] + _target(match[2], source) + match[3]

    return LINK.sub(lead, markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Give pages with graphs the script that draws them; otherwise the theme would fetch it."""
    if 'class="mermaid"' not in output:
        return output
    base = "../" * page.file.src_uri.count("/")
    return output.replace("</head>", MERMAID.format(base=base) + "</head>")


def _readme() -> str:
    """README.md as a page of docs/."""

    def lead(match: re.Match[str]) -> str:
        target = match[2]
        if "://" in target or target.startswith("#"):
            return match[0]
        inside = target.removeprefix("docs/")
        return match[1] + (inside if inside != target else f"../{target}") + match[3]

    return LINK.sub(lead, (ROOT / "README.md").read_text("utf-8"))


def _target(link: str, source: Path) -> str:
    """Where a link of a page leads: a file of the repository that is no page is shown there."""
    if "://" in link or link.startswith(("#", "mailto:")):
        return link
    path = (source.parent / urldefrag(link).url).resolve()
    if path.is_relative_to(ROOT / "docs"):
        return link
    if not path.exists():
        raise PluginError(f"{source.relative_to(ROOT)} links to {link}, which does not exist")
    if path.suffix == ".png":
        return _picture(path)
    return REPOSITORY + path.relative_to(ROOT).as_posix()


def _picture(path: Path) -> str:
    return f"pictures/{path.relative_to(ROOT).as_posix().replace('/', '-')}"


def _names() -> str:
    """One reference entry for each name in `hopyard.__all__`, found where it is defined."""
    found = [getattr(hopyard, name) for name in getattr(hopyard, "__all__", ())]
    return "\n\n".join(
        f"::: {part.__module__}.{part.__qualname__}"
        for part in found
        if hasattr(part, "__qualname__")
    )


def _commands() -> str:
    """Each command with its arguments and options, as `--help` says them."""
    return "\n\n".join(
        section for name in COMMANDS for section in _command(load_command(name), f"hopyard {name}")
    )


def _command(command: Any, name: str) -> list[str]:
    sections = [f"## {name}" if name.count(" ") == 1 else f"### {name}", command.help or ""]
    children = getattr(command, "commands", {})
    if not children:
        context = typer.Context(command, info_name=name)
        sections[1:1] = [f"    {' '.join([name, *command.collect_usage_pieces(context)])}"]
        sections.append(_parameters(command))
    for child, inner in children.items():
        sections += _command(inner, f"{name} {child}")
    return sections


def _parameters(command: Any) -> str:
    rows = [
        (", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts]), text)
        for parameter in command.params
        if (text := getattr(parameter, "help", None))
        and not getattr(parameter, "hidden", False)
        and "completion" not in parameter.name
    ]
    return _table(("", "meaning"), rows)


def _settings() -> str:
    """Every setting with its default and meaning, one table for each group."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    for name, value, meaning in every_setting(Context()):
        group = name.rpartition(".")[0]
        shown = "" if value is None or value in ((), "") else f"`{_plain(value)}`"
        groups.setdefault(group, []).append((f"`{name}`", shown, meaning))
    return "\n\n".join(
        (f"## {group}\n\n" if group else "") + _table(("setting", "default", "meaning"), rows)
        for group, rows in groups.items()
    )


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _table(heads: tuple[str, ...], rows: list[Any]) -> str:
    def line(cells: Any) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(heads), "|" + "---|" * len(heads), *map(line, rows)])
