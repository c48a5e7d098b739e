"""Settings of earlier versions: what replaced each, for those who still set them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ("FORMER", "without_former")

FORMER: Final[dict[str, str]] = {
    "chain.evidence_k": "Nothing replaces it: `cor` reads 5 passages for its final answer.",
    "chain.form": "Use the strategy `chain`, or `cor` for CoR-RAG as published.",
    "chain.max_empty": "Nothing replaces it: a chain ends after 3 steps without a finding.",
    "communities.findings": "A report has at most 8 findings, or 3 of the built-in model.",
    "communities.max_failure_rate": "Set writing.max_failure_rate.",
    "communities.resolution": "Communities are clustered with resolution 1.",
    "communities.seed": "Communities are clustered with seed 0.",
    "communities.temperature": "Set writing.temperature.",
    "communities.tokens": "A report is written from 8,000 tokens, or 700 by the built-in model.",
    "communities.weights": "Facts, sentences and passages count, rare names more.",
    "frequency_penalty": "Only the prompts that need a penalty have one.",
    "global_search": "Set global.level, global.most_reports or global.window.",
    "graph": "The group is called entity_graph.",
    "graph.examples": "The prompts have their own examples.",
    "graph.max_failure_rate": "Set writing.max_failure_rate.",
    "graph.merge": "Spellings of one name are merged from a cosine of 0.8.",
    "graph.passage_characters": "A prompt shows 2,400 characters of a passage at most.",
    "graph.sentences": "A sentence is as near to a question as its passage.",
    "graph.synonyms": "hipporag and hipporag2 follow synonyms from a cosine of 0.8.",
    "graph.temperature": "Set writing.temperature.",
    "hop.entry": "Use the strategy `hop` to enter by edges, or `hop-rounds` by edges and a search.",
    "hop.evidence_k": "Set hop.top_k: the closing call reads all passages kept.",
    "hop.form": "Use the strategy `hop` for HopRAG as published, or `hop-rounds`.",
    "hop.max_choices": "Nothing replaces it: 8 edges of a passage are judged.",
    "hop.prune": "Use the strategy `hop` to keep the most helpful passages, or `hop-rounds`.",
    "hop.reasoner": "Use the search method `passage-graph` to hop without a model.",
    "hop.temperature": "Nothing replaces it: edges are chosen at temperature 0.1.",
    "local_search": "Set local.tokens.",
    "pagerank.passage_share": "The passages where a walk begins weigh 1 together.",
    "pagerank.passages": "A walk begins at the 200 nearest passages.",
    "pagerank.sharpness": "The exponent of a passage's nearness is 8.",
    "passage_graph.frequency_penalty": "The prompt has its own.",
    "passage_graph.max_failure_rate": "Set writing.max_failure_rate.",
    "passage_graph.passage_characters": "A prompt shows 2,400 characters of a passage at most.",
    "passage_graph.temperature": "Set writing.temperature.",
    "rerank.snippet_tokens": "Set retrieval.snippet_tokens.",
    "retries": "A model is asked again twice after an output that does not fit.",
    "retrieval.fetch_k": "Searches always take at least 20 candidates, and k if that is more.",
    "tree.dependencies": "Use the strategy `plan`, or `tree` for ToR-RAG as published.",
    "tree.evidence_k": "Nothing replaces it: the final answer is read from 5 passages.",
    "tree.judge": "Set tree.theta to 0 to keep every branch.",
    "tree.min_rubric": "Nothing replaces it: a valid split has 4 of 5 points.",
    "tree.retries": "Nothing replaces it: `tree` tries again once, and `plan` twice.",
    "walk.n_hop": "The search passage-graph takes at most 4 rounds.",
    "walk.top_k": "The search passage-graph begins at 20 passages.",
}
"""A sentence by dotted name: what to set instead, or why nothing replaces the setting."""


def without_former(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The settings that a thread of an earlier version has kept, without those that are gone.

    Args:
        settings: Settings by name. Nested settings are nested dicts.
        prefix: The dotted name of the group that they are in.
    """
    kept: dict[str, Any] = {}
    for name, value in settings.items():
        if (place := f"{prefix}{name}") in FORMER or value is None:
            continue
        kept[name] = without_former(value, f"{place}.") if isinstance(value, Mapping) else value
    return kept
