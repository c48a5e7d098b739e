"""Runs `hopyard` commands as processes that begin with everything imported.

A command that is killed a moment after its start would otherwise be killed while it imports. One
JSON object a line on standard input: {"start": …} forks, and prints the process's id; {"wait": id}
prints its exit status, negative for a signal.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import traceback
import warnings
from typing import Any


def run(job: dict[str, Any]) -> None:
    """Be the command; never returns."""
    code = 70
    try:
        for number, name in ((1, "out"), (2, "err")):
            file = os.open(job[name], os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
            os.dup2(file, number)
        os.chdir(job["folder"])
        os.environ.clear()
        os.environ.update(job["environment"])
        if limit := job.get("file_limit"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        sys.argv = ["hopyard", *job["arguments"]]
        from hopyard.cli.app import run as run_command

        run_command()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def serve() -> None:
    """Answer until standard input ends."""
    warnings.simplefilter("ignore")
    import bm25s  # noqa: F401
    import faiss  # noqa: F401
    import langchain.chat_models  # noqa: F401
    import langchain_ollama  # noqa: F401
    import langchain_openai  # noqa: F401
    import openai.resources.beta.beta  # noqa: F401

    import hopyard.cli.run_thread
    import hopyard.web.app  # noqa: F401
    from hopyard.cli.app import COMMANDS, load_command
    from hopyard.state.strategy import strategies

    for name in COMMANDS:
        load_command(name)
    for strategy in strategies():
        strategy.load_graph()
    gc.freeze()  # a process that looks for garbage copies no page of what all share
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "start" in order:
            pid = os.fork()
            if pid == 0:
                run(order["start"])
            print(pid, flush=True)
        else:
            _, status = os.waitpid(order["wait"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
