"""Build an index whose passage graph has questions written by rule, without a model.

    python -m lab.hop_written_by_rule ../shared/data/musique/corpus.jsonl --out INDEX \\
        --set writing.max_failure_rate=1

A passage's in-coming questions are about its own subject, its out-coming questions about the other
names in it (`lab.asking`). It covers a whole corpus in minutes. All arguments go to
`hopyard index build`; the failure rate allows passages that name nothing.
"""

from __future__ import annotations

import random
import re
import sys
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable

from hopyard.cli import main as cli
from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.prompts.indexes.passage_graph import MAX_INCOMING, MAX_OUTCOMING, PassageQuestions
from lab.asking import about, asked_of, names_in
from lab.sources import Passage

__all__ = ("RuleWriter", "main")

_PASSAGE = re.compile(r"\[1\] (?P<title>.*?): (?P<text>[^\n]*)")
_BUILD = ("--with", "dense,sparse,passage-graph", "--model", "rule", "--chunk-tokens", "0")


class RuleWriter(BaseChatModel):
    """A chat model that answers the prompt `questions` by rule."""

    @property
    def _llm_type(self) -> str:
        return "rule"

    def with_structured_output(self, schema: Any, **options: Any) -> Runnable[Any, Any]:
        """Structured output is not supported, and not needed: the output always fits."""
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
        output = PassageQuestions(
            incoming=asked_of(passage)[:MAX_INCOMING],
            outcoming=list(about(names_in(passage), random.Random(passage.title)))[:MAX_OUTCOMING],
        )
        message = AIMessage(output.model_dump_json())
        return ChatResult(generations=[ChatGeneration(message=message)])


def main() -> None:
    """Run `hopyard index build` with the rule as its chat model."""
    provider = ChatProvider("rule", lambda _: RuleWriter(), 16, cure="none")
    register_chat_provider("rule", provider)
    sys.argv[1:] = ["index", "build", *_BUILD, *sys.argv[1:]]
    cli.main()


if __name__ == "__main__":
    main()
