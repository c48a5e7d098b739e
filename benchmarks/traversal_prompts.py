"""Prompts that ask as HopRAG's do: long instructions, worked examples, and JSON as it comes.

Worded anew; what they ask for, their examples' kinds and their forms are those of the paper's
Fig. 8 (`JUDGE_ONE_EDGE`) and of the choice in the authors' code (`CHOOSE_FOLLOW_UP`).
"""

from __future__ import annotations

from typing import Final

__all__ = ("CHOOSE_FOLLOW_UP", "JUDGE_ONE_EDGE")

JUDGE_ONE_EDGE: Final = """\
You answer questions. You are given a main question, which needs several pieces of information, and
an auxiliary question. You may use the auxiliary question to find out something that the main
question needs, but it is not always of use. So judge how the auxiliary question is related to the
main question, and give exactly one of these three results.

Result 1: [Completely Irrelevant]. The main question can be answered without the auxiliary question,
or what the auxiliary question asks for has nothing to do with the answer.
Result 2: [Indirectly Relevant]. The auxiliary question is about a matter like the main question's,
but its answer is not one of the pieces of information that the main question needs.
Result 3: [Relevant and Necessary]. The auxiliary question is a part of the main question: without
its answer the main question cannot be answered.

Example of result 1:
Main Question: Which league with 22 teams does the left back of the New England Revolution play in?
Auxiliary Question: What is a speech on the State of the Union for?
The auxiliary question has nothing to do with the main question. Your answer is:
{{"Decision": "Completely Irrelevant"}}

Example of result 2:
Main Question: Which league with 22 teams does the left back of the New England Revolution play in?
Auxiliary Question: What does this league mean to the second teams of its region?
Both are about a league, but what it means to second teams is not needed. Your answer is:
{{"Decision": "Indirectly Relevant"}}

Example of result 3:
Main Question: Which league with 22 teams does the left back of the New England Revolution play in?
Auxiliary Question: In which league do the New England Revolution play?
The auxiliary question is a part of the main question. Your answer is:
{{"Decision": "Relevant and Necessary"}}

Answer strictly with JSON, without line breaks and superfluous spaces.
Main Question: {question}
Auxiliary Question: {follow_up}
"""

CHOOSE_FOLLOW_UP: Final = """\
You answer questions. You are given a question that needs several pieces of information, a piece of
background information, and a dictionary of follow-up questions that come from it. Decide what to do
next so that all that the question needs is found. You may choose one follow-up question, the one
that helps most, and you give exactly one of these three decisions.

Decision 1: [This information is not needed to answer the question]. The question can be answered
without the background information.
Decision 2: [Lacks appropriate follow-up questions]. The background information is needed, but none
of the follow-up questions leads to what is missing.
Decision 3: [Choose a follow-up question]. The background information is needed, and the answer to
one of the follow-up questions is what is missing.

Example of decision 1:
Question: Which league with 22 teams does the left back of the New England Revolution play in?
Background Information: Several teams of the league play for cups of their own every year.
Follow-up Dictionary: {{"1": "Which cups are played for?", "2": "Which teams share a cup?"}}
{{"Decision": "This information is not needed to answer the question"}}

Example of decision 2:
Question: Which league with 22 teams does the left back of the New England Revolution play in?
Background Information: The left back of the New England Revolution was born in Detroit.
Follow-up Dictionary: {{"1": "How many people live in Detroit?"}}
{{"Decision": "Lacks appropriate follow-up questions"}}

Example of decision 3:
Question: Who took hostages in the siege whose coverage won the reporter a prize?
Background Information: The reporter won the prize for covering the siege of the Lindt Cafe.
Follow-up Dictionary: {{"1": "Who won the prize in 1993?", "2": "Who was the gunman in the siege?"}}
{{"Decision": "Choose a follow-up question", "Follow-up": "Who was the gunman in the siege?"}}

Answer strictly with JSON, without line breaks and superfluous spaces.
Question: {question}
Background Information: {passage}
Follow-up Dictionary: {follow_ups}
"""
