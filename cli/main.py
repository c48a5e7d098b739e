"""The process: starts the command line, and ends it in one sentence at Ctrl-C at any moment.

Nothing is imported here but what Python has loaded already: importing the commands takes a moment,
in which Ctrl-C is pressed too.
"""

from __future__ import annotations

import atexit
import gc

from hopyard.cli.interrupts import end_at_once, end_quickly


def main() -> None:
    """Run the command line, and end the process."""
    end_at_once()
    # Python collects garbage as it ends. To search all modules once more would take a fifth of the
    # time of a short command.
    atexit.register(gc.freeze)
    try:
        from hopyard.cli.app import EXIT_INTERRUPTED, run

        run()
    except SystemExit as ended:
        if ended.code == EXIT_INTERRUPTED:  # threads that still compute are not waited for
            end_quickly()
        raise


if __name__ == "__main__":
    main()
