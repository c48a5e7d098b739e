"""How large the product is, beside its goals. `make lint` prints this; it fails on nothing.

    python benchmarks/size.py

A line is a line of a `*.py` file, with docstrings, comments and blank lines. A module counts as run
if one of its functions is called; importing it is not enough. The goals for such modules are two
thirds of what was measured when the goals were set: 116 for a question, and 64 for a build.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGE: Final = ROOT / "hopyard"
QUESTION: Final = "When was the Iron Bridge opened?"
TEXT: Final = "The Iron Bridge was opened in 1781. It crosses the River Severn."


def main() -> None:
    """Print each number beside its goal."""
    folders = [path.resolve() for path in PACKAGE.iterdir() if path.is_dir()]
    packaged = [PACKAGE / "__init__.py", *_files(*folders)]
    fullest, most_files = Counter(path.parent for path in packaged).most_common(1)[0]
    longest, help_lines = max(_child("help").items(), key=lambda found: int(found[1]))
    rows: Sequence[tuple[str, int, int | None]] = (
        ("lines of the package", _lines(packaged), 50_000),
        ("lines of indexes/", _lines(_files(ROOT / "indexes")), 16_000),
        ("lines of tests/", _lines(_files(ROOT / "tests")), 42_000),
        ("lines of lab/", _lines(_files(ROOT / "lab")), None),
        (f"most files in one folder ({fullest.relative_to(ROOT)}/)", most_files, 25),
        ("settings", _child("settings")["settings"], 60),
        ("own modules that graphs.chain imports", _child("imports")["imports"], 65),
        ("own modules that one question to chain runs", _child("ask")["run"], 77),
        ("own modules that one index build runs", _child("build")["run"], 43),
        (f"lines of the longest help ({longest}, 80 columns)", int(help_lines), 40),
    )
    print(f"{'':<66} {'now':>8} {'goal':>8}")
    for name, number, goal in rows:
        aim = f"{goal:>8,}" if goal else f"{'–':>8}"
        print(f"{name:<66} {number:>8,} {aim}")


def _files(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*.py")]


def _lines(files: Sequence[Path]) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in files)


def _child(name: str) -> dict[str, Any]:
    """What a function of `PARTS` finds in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HOPYARD_HOME": folder,
        }
        done = subprocess.run(
            [sys.executable, "-W", "ignore", __file__, name],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def count_settings() -> dict[str, int]:
    """The number of settings, with those of strategies, index kinds and searches."""
    from hopyard.state.settings.fields import Context, every_setting

    return {"settings": sum(1 for _ in every_setting(Context()))}


def count_imports() -> dict[str, int]:
    """The number of own modules that the graph of `chain` imports."""
    import_module("hopyard.graphs.chain")
    return {"imports": sum(name.startswith("hopyard.") for name in sys.modules)}


def count_ask() -> dict[str, int]:
    """The own modules that answer one question with `chain`."""
    _build()
    return {"run": len(_modules_run("ask", QUESTION, "--index", "index", "--strategy", "chain"))}


def count_build() -> dict[str, int]:
    """The own modules that build an index with the default kinds."""
    return {"run": len(_build())}


def help_lengths() -> dict[str, int]:
    """The number of lines of the help of each command, in 80 columns."""
    from typer.testing import CliRunner

    from hopyard.cli.app import app

    def length(*names: str) -> int:
        shown = CliRunner().invoke(app, [*names, "--help"], catch_exceptions=False)
        return len(shown.output.rstrip().splitlines())

    return {" ".join(("hopyard", *names)): length(*names) for names in _commands()}


def _commands() -> Iterator[tuple[str, ...]]:
    from hopyard.cli.app import COMMANDS, load_command

    yield ()
    for name in COMMANDS:
        yield (name,)
        for sub in getattr(load_command(name), "commands", ()):
            yield (name, sub)


def _build() -> set[str]:
    line = json.dumps({"id": "iron-bridge", "title": "Iron Bridge", "text": TEXT})
    Path("corpus.jsonl").write_text(line + "\n", encoding="utf-8")
    return _modules_run("index", "build", "corpus.jsonl", "--out", "index")


def _modules_run(*arguments: str) -> set[str]:
    """The own files of which a command calls a function."""
    from hopyard.cli.app import app
    from hopyard.models.embeddings import register_embedder
    from hopyard.testing.models import ScriptedChat, WordEmbedder

    register_embedder("words", WordEmbedder())
    answer = {"kind": "answer", "findings": [{"fact": TEXT, "passage": 1}], "answer": "1781 [1]"}
    ScriptedChat({"ChainStep": answer}).register("scripted")
    Path("hopyard.toml").write_text(
        'model = "scripted"\nembedding = "words"\ngate = "off"\n', encoding="utf-8"
    )
    called: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        # Modules and class bodies are not optimized code; functions are.
        if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            called.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    app([*arguments, "--json"], standalone_mode=False)
    sys.setprofile(None)
    found = {Path(name).resolve() for name in called}
    packaged = {path.resolve() for path in PACKAGE.iterdir() if path.is_dir()}
    return {str(path) for path in found if packaged & set(path.parents)}


PARTS: Final = {
    "settings": count_settings,
    "imports": count_imports,
    "ask": count_ask,
    "build": count_build,
    "help": help_lengths,
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(PARTS[sys.argv[1]]()))
    else:
        main()
