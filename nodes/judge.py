"""A chat model judges whether passages state what an answer says (`answer.check`).

The rules pass statements that deny what their quote says, or the other way round: "did not open",
"opened" (`support.compare`). Here only the same word counts (`is_denied`), negated on one side and
not on the other, in a statement of several words in English or German. Such a statement is a doubt,
which a model is asked about: one in 290 recorded answers has one (`benchmarks/support.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.attempt import attempted
from hopyard.nodes.citations import cited_sentences, is_unknown
from hopyard.nodes.cited_answer import NOT_STATED
from hopyard.nodes.lifecycle import with_endings
from hopyard.nodes.run import Run
from hopyard.nodes.support.words import content_words
from hopyard.prompts.check_statements import check_prompt, claim_lines
from hopyard.prompts.passages import heading, one_line, passage_lines
from hopyard.prompts.traits import traits_of
from hopyard.state.errors import ModelUnreachableError
from hopyard.state.schemas import Citation, Step
from hopyard.state.settings.fields import AUTO, Context
from hopyard.state.verdicts import FALLBACK

MOST_STATEMENTS: Final = 40
"""Statements in one call; the rules' verdict holds for the rest."""
STEP: Final = "check-citations"

Claims = Sequence[tuple[str, Sequence[int]]]
"""Statements, each with the numbers of its passages or citations, from 1."""


def check_of(context: Context) -> str:
    """Who checks an answer's citations: `rules`, `doubt` or `model`.

    With `auto` a recording is read with the rules alone: it may lack the calls about doubts.
    """
    if context.answer.check != AUTO:
        return context.answer.check
    recorded = context.model.startswith("recorded:")
    return "doubt" if traits_of(context).judges_doubts and not recorded else "rules"


async def judge_answer_support(run: Run, state: Mapping[str, Any]) -> dict[str, Any]:
    """The update of an answer's citations by the verdicts of one model call, if one is wanted.

    A citation is supported if the model finds each sentence that it is cited for in the passages of
    the sentence; its `claim` becomes one that the model does not find. With `doubt` the model
    judges only the sentences in which the rules mark a part, or a quote denies one. If the call
    fails, a step says so and the verdicts of the rules stay.

    Args:
        state: The answer, its question, `citations`, and `unconfirmed`.
    """
    mode, answer, citations = check_of(run.settings), state["answer"], list(state["citations"])
    if mode == "rules" or is_unknown(answer):
        return {}
    doubts: list[set[int]] = []
    claims: list[tuple[str, list[int]]] = []
    for claim, parts in _claims(answer, citations):
        doubted = {n for part, own in parts if _is_doubted(part, own, citations) for n in own}
        if doubted or mode == "model":
            claims.append((claim, list(dict.fromkeys(n for _, own in parts for n in own))))
            doubts.append(doubted)
    claims = claims[:MOST_STATEMENTS]
    if not claims:
        return {}
    step = Step(id=f"{STEP}-{len(state.get('tried', ())) + 1}", kind="check")
    step["title"] = "Check the citations"
    attempt = await attempted(
        _verdicts(run, state["question"], claims, citations, step["id"]), ModelUnreachableError
    )
    verdicts = attempt.output
    if verdicts is None:
        step |= {"verdict": FALLBACK, "reason": f"the rules' verdicts stay: {attempt.reason}"}
        return {"steps": await with_endings(run, [step])}
    judged = _judged(citations, claims, doubts, verdicts)
    step["facts"] = {"statements": str(len(claims)), "not found": str(verdicts.count(False))}
    return {
        "citations": judged,
        "unconfirmed": _unconfirmed(state.get("unconfirmed", ""), judged),
        "steps": [step],
    }


async def _verdicts(
    run: Run, question: str, claims: Claims, citations: Sequence[Citation], step: str
) -> list[bool]:
    """Whether the passages of each statement that the index still has state it."""
    cited = sorted({number for _, numbers in claims for number in numbers})
    ids = list(dict.fromkeys(citations[number - 1]["passage_id"] for number in cited))
    passages = await run.existing(ids)
    places = {name: number for number, name in enumerate(filter(passages.get, ids), 1)}

    def shown(numbers: Sequence[int]) -> list[int]:
        named = {citations[number - 1]["passage_id"] for number in numbers}
        return sorted(places[name] for name in named if name in places)

    asked = [(statement, shown(numbers)) for statement, numbers in claims]
    return await judge_statements(
        run, question, asked, [passages[name] for name in places], step=step
    )


async def judge_statements(
    run: Run, question: str, claims: Claims, passages: Sequence[Passage], *, step: str
) -> list[bool]:
    """Whether the passages of each statement state it, by one call.

    Args:
        claims: The statements, each with the numbers of its passages, from 1.
    """
    values = {
        "passages": passage_lines(
            [(heading(each.full_title, each.about), each.text) for each in passages]
        ),
        "question": one_line(question) or "none",
        "statements": claim_lines(claims),
    }
    output = await run.call(check_prompt(len(claims)), values, step=step)
    return [check.stated for check in output.checks]


def _claims(
    answer: str, citations: Sequence[Citation]
) -> list[tuple[str, list[tuple[str, list[int]]]]]:
    """The sentences of an answer, or its findings, with the citations of each of their parts."""
    marked: list[tuple[str, list[tuple[str, list[int]]]]] = []
    for sentence, parts in cited_sentences(answer):
        own = [(part, [n for n in numbers if 1 <= n <= len(citations)]) for part, numbers in parts]
        if kept := [(part, numbers) for part, numbers in own if part and numbers]:
            marked.append((sentence, kept))
    if sum(len(parts) for _, parts in marked) > 1:
        return marked
    found: dict[str, list[int]] = {}
    for number, citation in enumerate(citations, 1):
        found.setdefault(citation.get("claim", answer), []).append(number)
    return [(claim, [(claim, numbers)]) for claim, numbers in found.items()]


def _is_doubted(statement: str, numbers: Sequence[int], citations: Sequence[Citation]) -> bool:
    """Whether the rules mark a citation of a statement, or its quotes deny it."""
    own = [citations[number - 1] for number in numbers]
    return not all(cited.get("supported", True) for cited in own) or any(
        is_denied(statement, cited["quote"]) for cited in own
    )


def _judged(
    citations: Sequence[Citation],
    claims: Claims,
    doubts: Sequence[Set[int]],
    verdicts: Sequence[bool],
) -> list[Citation]:
    """The citations by the verdicts; of a false sentence, those that the rules doubt, if any."""
    judged = [Citation(**citation) for citation in citations]
    for number, citation in enumerate(judged, 1):
        own = [
            (claim, stated)
            for (claim, numbers), doubted, stated in zip(claims, doubts, verdicts, strict=False)
            if number in (numbers if stated else doubted or numbers)
        ]
        if own:
            citation["supported"] = all(stated for _, stated in own)
            citation["claim"] = next((claim for claim, stated in own if not stated), own[0][0])
    return judged


def _unconfirmed(before: str, citations: Sequence[Citation]) -> str:
    """The note below the answer; what a strategy says about its steps stays."""
    if before not in {"", NOT_STATED}:
        return before
    return "" if any(citation.get("supported", True) for citation in citations) else NOT_STATED


_NEGATION: Final = re.compile(
    r"\b(?:not|cannot|no|never|neither|nor|none|nobody|nothing|without|nicht|kein\w*|nie|niemals"
    r"|ohne|weder|nichts|niemand)\b|n['’]t\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"(?:\b(?:not|never|cannot|nicht|nie|niemals)|n['’]t)\s+(\w+(?:\s+\w+)?)"
    r"|\b(?:no|without|ohne|kein\w*)\s+(\w+)",
    re.IGNORECASE,
)
"""Negated words: up to two after the negation of a verb, one after that of a noun."""
_LEAST_WORDS: Final = 5


def is_denied(statement: str, quote: str) -> bool:
    """Whether a word is negated in one of two texts, and the other has it without a negation.

    Args:
        statement: A statement, or a question with its answer, which alone is compared.
        quote: The sentence or row that supports it most.
    """
    said = statement.rpartition("? ")[2]
    if len(said.split()) < _LEAST_WORDS:
        return False
    return _denies(said, quote) or _denies(quote, said)


def _denies(one: str, other: str) -> bool:
    negated = " ".join(word for found in _NEGATED.findall(one) for word in found).casefold()
    words = content_words(other.casefold())
    return not _NEGATION.search(other) and not words.isdisjoint(content_words(negated))
