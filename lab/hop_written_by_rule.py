"""An index whose passage graph has questions written by rule: the control of `hop_retrieval.py`.

    python benchmarks/hop_written_by_rule.py ../shared/data/musique/corpus.jsonl --out INDEX

No model is asked. A passage's in-coming questions are about its own subject, its out-coming ones
about the other names in it (`lab.asking`). What a graph with such questions finds
tells how much of the traversal's result is the model's questions, and how much is the method; and
it covers a whole corpus in minutes.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable

from hopyard.indexes.build import build
from hopyard.indexes.kinds.passage_graph.kind import PassageGraph
from hopyard.indexes.known_kinds import KINDS
from hopyard.indexes.loaders import load
from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.models.embeddings import embedder
from hopyard.prompts.passage_graph import MAX_INCOMING, MAX_OUTCOMING, PassageQuestions
from hopyard.state.settings import read_context
from lab.asking import about, asked_of, names_in
from lab.sources import Passage

_PASSAGE = re.compile(r"\[1\] (?P<title>.*?): (?P<text>[^\n]*)")


class RuleWriter(BaseChatModel):
    """Answers the prompt `questions` by rule."""

    @property
    def _llm_type(self) -> str:
        return "rule"

    def with_structured_output(self, schema: Any, **options: Any) -> Runnable[Any, Any]:
        """Say that there is no such thing: the output fits by itself."""
        raise NotImplementedError

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        found = _PASSAGE.match(str(messages[-1].content))
        if found is None:
            raise ValueError(f"not a passage: {messages[-1].content!r}")
        passage = Passage("", found["title"], found["text"])
        rng = random.Random(passage.title)
        output = PassageQuestions(
            incoming=asked_of(passage)[:MAX_INCOMING],
            outcoming=list(about(names_in(passage), rng))[:MAX_OUTCOMING],
        )
        message = AIMessage(output.model_dump_json())
        return ChatResult(generations=[ChatGeneration(message=message)])


def main() -> None:
    """Build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--chunk-tokens", type=int, default=0, help="0: documents stay whole")
    options = parser.parse_args()
    provider = ChatProvider("rule", lambda _: RuleWriter(), 16, keep_prefixes=False, cure="none")
    register_chat_provider("rule", provider)
    graph = {"max_failure_rate": 1.0}
    context = read_context({"index": str(options.out), "model": "rule", "graph": graph})
    model = embedder(context.embedding)
    report = build(
        load([options.corpus]).documents,
        directory=options.out,
        embedder=model,
        chunk_tokens=options.chunk_tokens,
        kinds=("dense", "sparse", "passage-graph"),
        known_kinds={**KINDS, "passage-graph": PassageGraph(model, context)},
    )
    print(report)


if __name__ == "__main__":
    main()
