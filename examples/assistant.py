"""An assistant in forty lines: it streams its answers, and remembers what was said.

    python examples/assistant.py my-index
    python examples/assistant.py my-index --thread holiday     # continues that conversation

It prints each answer while the model writes it, and then the quotes that support it.
"""

import argparse
import sys

import hopyard


def answer(hop: hopyard.Hopyard, question: str, thread: str) -> None:
    """Ask one question, and print the answer while it is written."""
    for part in hop.stream(question, thread=thread):
        if isinstance(part, hopyard.Token):
            # After a restart, the text before it no longer counts: the model tries again.
            print("\n" * part.restart + part.text, end="", flush=True)
        elif isinstance(part, hopyard.Answer):
            print()
            for citation in part.citations:
                print(f"    “{' … '.join(citation.quotes)}” ({citation.reference})")


def main() -> None:
    """Read questions, one a line, until the input ends."""
    parser = argparse.ArgumentParser(description="Talk about your documents.")
    parser.add_argument("index", help="the index directory")
    parser.add_argument("--thread", default="assistant", help="the conversation's name")
    given = parser.parse_args()
    with hopyard.Hopyard(given.index) as hop:
        if any(given.thread == known.thread_id for known in hop.threads()):
            last = hop.resume(given.thread)  # finishes what a kill or Ctrl-C interrupted
            print(f"you: {last.question}\nassistant: {last}")
        for line in sys.stdin:
            if line.strip():
                answer(hop, line, given.thread)


if __name__ == "__main__":
    try:
        main()
    except hopyard.HopyardError as error:
        sys.exit(str(error))
