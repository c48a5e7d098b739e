"""Index documents and ask about them, from a script.

    python examples/script.py docs/ "Which search methods are there?" openai:gpt-4.1-mini

Without a model's name, `HOPYARD_MODEL` names it, or else the built-in model answers.
"""

import sys

import hopyard


def main(documents: str, question: str, model: str | None = None) -> None:
    """Build the index `my-index`, and print the answer as it is written."""
    report = hopyard.build_index("my-index", documents)
    print(f"passages: {report.passages}, embedded: {report.embedded}", file=sys.stderr)

    with hopyard.Hopyard("my-index", model=model) as hop:
        for part in hop.stream(question):
            if isinstance(part, hopyard.Token):
                print(part.text, end="", flush=True)
            elif isinstance(part, hopyard.Answer):
                print()
                for citation in part.citations:
                    print(f"  “{' … '.join(citation.quotes)}” ({citation.reference})")
                print(f"{part.strategy}, model calls: {part.usage.model_calls}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
