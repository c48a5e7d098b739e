"""Properties of models, besides the wording of their prompts: one row for each size of model.

Code that depends on the model asks for a property here. It compares no profile and no model's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hopyard.state.group import Profile
from hopyard.state.settings.fields import AUTO, Context, profile_of


@dataclass(frozen=True)
class Traits:
    """Properties of models of one size.

    Attributes:
        gate: The shipped gate that was trained for them. Small models know little more than the
            built-in model.
        chooses_freely: Whether the route offers every strategy, and not only those that the
            built-in model learned to choose.
        hands_over: Whether a stronger strategy tries again, with `check=auto`.
        judges_doubts: Whether the model judges the citations that the rules doubt.
        reads_metadata: Whether a passage's heading shows its source, date and page.
        reads_headings: Whether the parts of the prompt of `local` have headings.
        looks_inside: Whether a step may ask for words in a document and for the pages around a
            passage.
        joins_passages: Whether passages that follow each other in a document are shown together.
        writes_freely: Whether answers take any style, with citations and general knowledge.
        offers_yes_no: Whether the short style offers "yes or no". Small models say it to other
            questions too.
        needs_one_link: Whether a chain may end with the answer of its only link, and searches again
            when the closing answer is Unknown.
        whole_conversation: Whether the prompt shows the last messages at any length.
        rerank_tokens: Tokens of a passage that is judged; None for `retrieval.snippet_tokens`.
        read_tokens: Tokens of passages that are read for one search (`retrieval.tokens`).
        step_tokens: The same for a step of `chain`, which can search again.
        report_tokens: Tokens of a community in a prompt; 8,000 in GraphRAG (section 3.1.4).
        report_findings: Findings of a community's report.
        fact_ends: How many ends of a fact must be written in the passage. The built-in model writes
            names of the prompt's examples into facts, so both must be.
        local_tokens: Tokens that `local` reads. The built-in model reads as much as elsewhere: five
            passages of 300 tokens.
        hops: Rounds of `hop`; 4 in the paper.
        hop_passages: Entry edges of `hop`, and passages kept; 20 in the paper.
        hop_readings: Passages that `hop` answers from; None for all that are kept.
        hops_by_text: Whether `hop` shows the passages. The built-in model sees the edges' questions
            alone. It writes plain questions, so a search finds half of its entries.
        global_tokens: Tokens of one map call of `global`.
        global_passages: Passages that `global` reads beside reports.
    """

    gate: str = "capable"
    chooses_freely: bool = True
    hands_over: bool = True
    judges_doubts: bool = True
    reads_metadata: bool = True
    reads_headings: bool = True
    looks_inside: bool = True
    joins_passages: bool = True
    writes_freely: bool = True
    offers_yes_no: bool = True
    needs_one_link: bool = False
    whole_conversation: bool = False
    rerank_tokens: int | None = None
    read_tokens: int = 4000
    step_tokens: int = 1300
    report_tokens: int = 8000
    report_findings: int = 8
    fact_ends: int = 1
    local_tokens: int = 8000
    hops: int = 4
    hop_passages: int = 20
    hop_readings: int | None = None
    hops_by_text: bool = True
    global_tokens: int = 8000
    global_passages: int = 100


_CAPABLE: Final = Traits()
_SMALL: Final = Traits(
    gate="builtin",
    chooses_freely=False,
    hands_over=False,
    judges_doubts=False,
    reads_metadata=False,
    offers_yes_no=False,
    looks_inside=False,
    needs_one_link=True,
    read_tokens=1500,
    step_tokens=1500,
)
_BUILTIN: Final = replace(
    _SMALL,
    reads_headings=False,
    joins_passages=False,
    writes_freely=False,
    offers_yes_no=True,
    needs_one_link=False,
    whole_conversation=True,
    rerank_tokens=80,
    read_tokens=0,
    step_tokens=0,
    report_tokens=700,
    report_findings=3,
    fact_ends=2,
    local_tokens=1500,
    hops=2,
    hop_passages=6,
    hop_readings=5,
    hops_by_text=False,
    global_tokens=1200,
    global_passages=0,
)
TRAITS: Final[Mapping[Profile, Traits]] = {
    "builtin": _BUILTIN,
    "small": _SMALL,
    "capable": _CAPABLE,
}


def traits_for(profile: Profile) -> Traits:
    """The properties of the models of a profile."""
    return TRAITS[profile]


def traits_of(settings: Context) -> Traits:
    """The properties of a run's model."""
    return traits_for(profile_of(settings))


def without_own_model(settings: Context) -> Mapping[str, str]:
    """Settings of a program whose own model reads the passages, where the user named no model."""
    unnamed = settings.profile == AUTO and settings.model == Context().model
    return {"profile": "capable"} if unnamed else {}
