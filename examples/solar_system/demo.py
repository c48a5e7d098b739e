"""`make demo`: four questions, answered by a recorded large model and by the built-in one.

Every command that it prints can be typed as it is. All of them run in this process, because
starting takes seconds: `python examples/solar_system/demo.py INDEX`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from hopyard.cli.console import out
from hopyard.cli.main import main

FOLDER = Path(os.path.relpath(Path(__file__).parent))
RECORDING = FOLDER / "recording"
QUESTIONS = (FOLDER / "demo_questions.txt").read_text("utf-8").splitlines()
SCRIPT = Path(sys.executable).with_name("hopyard")
WORDS = {
    "gate": "does the question need documents? p is the probability that it does",
    "route": "which strategy answers, and who chose it",
    "Titan 0.98": "a passage that was found; the higher its score, the better it matches",
    "[1] “…”": "the sentence that a part of the answer rests on, and its document",
    "from the ledger": "answers of earlier, identical model calls: they cost nothing",
}
"""The parts of the output."""
TREE_WORDS = {
    "rubric 5/5": "the split into sub-questions passed five of five tests",
    "θ=0.4": "a branch whose score is below this threshold is pruned",
    "leaf": "a sub-question that is answered from passages and not split further",
}
"""Further parts of the output of `tree`, which the built-in model takes for hard questions."""
PROGRAM = "hopyard" if shutil.which("hopyard") == str(SCRIPT) else os.path.relpath(SCRIPT)


def demo(index: str) -> None:
    """Index the sample corpus and answer its questions twice.

    Args:
        index: Where the index is written.
    """
    # Three passages instead of five: a quarter fewer tokens for a slow machine.
    options = ("--index", index, "-k", "3")
    say("A sample corpus: 83 short passages on the exploration of the solar system.")
    hopyard("index", "build", str(FOLDER / "corpus.jsonl"), "--out", index)
    about = (RECORDING / "about.txt").read_text("utf-8").strip()
    say(
        f"{len(QUESTIONS)} questions. Recorded model: {about}. "
        "Its answers are replayed; every other step runs here."
    )
    explain(WORDS)
    # A recording fits the passages that were shown. Vectors of the built-in embedding model, and
    # so the order of passages, differ a little from processor to processor. BM25's order does not.
    recorded = ("--search", "sparse", "--model", f"recorded:{RECORDING}")
    for question in QUESTIONS:
        hopyard("ask", question, *options, *recorded)
    say("The same questions. Built-in model, 135 million parameters: for trying out; often wrong.")
    explain(TREE_WORDS)
    for question in QUESTIONS:
        hopyard("ask", question, *options)
    say("Your own model is one flag away (OpenAI's needs OPENAI_API_KEY, the other one Ollama):")
    for model in ("openai:gpt-4.1-mini", "ollama:llama3.1:8b"):
        show("ask", QUESTIONS[1], "--index", index, "--model", model)


def explain(words: Mapping[str, str]) -> None:
    """Print what words of the output mean."""
    for word, meaning in words.items():
        out.print(f"  {word:<15} {meaning}", style="dim", markup=False)


def say(text: str) -> None:
    """Print what comes next."""
    out.print(f"\n{text}", style="bold yellow")


def show(*arguments: str) -> None:
    """Print a command as one would type it."""
    command = shlex.join([PROGRAM, *arguments])
    out.print(f"\n$ {command}", style="bold", markup=False, soft_wrap=True)


def hopyard(*arguments: str) -> None:
    """Print a command and run it. One that fails ends the process, with its exit code."""
    show(*arguments)
    sys.argv = ["hopyard", *arguments]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise


if __name__ == "__main__":
    demo(*sys.argv[1:])
