# ruff: noqa: E501  (tables of sentences are read by the line)
"""Examples of choosing a strategy, of answering without a document, and of follow-up questions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hopyard.models.prompt import Prompt
from hopyard.prompts.answer import Answer
from hopyard.prompts.rewrite import REWRITE, StandAlone
from hopyard.prompts.route import Route
from hopyard.prompts.strategies.direct import DIRECT
from lab.examples import TrainingExample, example
from lab.plausible import plausible
from lab.pools import POOLS

__all__ = ("chat", "choose_route", "direct", "rewrite_follow_up")

_VERBS: Final = (
    ("walk", "walked"), ("sleep", "slept"), ("run", "ran"), ("eat", "ate"), ("write", "wrote"),
    ("swim", "swam"), ("cook", "cooked"), ("laugh", "laughed"), ("go", "went"), ("read", "read"),
    ("drive", "drove"), ("dance", "danced"), ("fly", "flew"), ("wait", "waited"),
)  # fmt: skip
_NOUNS: Final = (
    ("child", "children"), ("foot", "feet"), ("tooth", "teeth"), ("box", "boxes"), ("leaf", "leaves"),
    ("city", "cities"), ("man", "men"), ("woman", "women"), ("knife", "knives"), ("goose", "geese"),
    ("baby", "babies"), ("cat", "cats"), ("hero", "heroes"), ("wolf", "wolves"), ("bus", "buses"),
)  # fmt: skip
_OPPOSITES: Final = (
    ("hot", "cold"), ("tall", "short"), ("happy", "sad"), ("fast", "slow"), ("early", "late"),
    ("rich", "poor"), ("empty", "full"), ("hard", "soft"), ("loud", "quiet"), ("old", "young"),
    ("dark", "light"), ("strong", "weak"), ("wet", "dry"), ("open", "closed"), ("near", "far"),
)  # fmt: skip
_CAPITALS: Final = (
    ("Italy", "Rome"), ("Spain", "Madrid"), ("Germany", "Berlin"), ("Egypt", "Cairo"), ("Canada", "Ottawa"),
    ("Russia", "Moscow"), ("China", "Beijing"), ("Portugal", "Lisbon"), ("Greece", "Athens"),
    ("Poland", "Warsaw"), ("Austria", "Vienna"), ("Norway", "Oslo"), ("Ireland", "Dublin"), ("Peru", "Lima"),
)  # fmt: skip
_COMMON: Final = (
    ("How many minutes are in an hour?", "60"), ("How many months are in a year?", "12"),
    ("How many legs does a spider have?", "8"), ("How many sides does a triangle have?", "3"),
    ("What color is the sky on a clear day?", "blue"), ("How many seconds are in a minute?", "60"),
    ("What do bees make?", "honey"), ("What is frozen water called?", "ice"),
    ("How many letters are in the English alphabet?", "26"), ("What color is grass?", "green"),
    ("How many wheels does a bicycle have?", "2"), ("Which day comes after Monday?", "Tuesday"),
    ("Which month comes before June?", "May"), ("What is the first letter of the alphabet?", "A"),
    ("What do you call a baby dog?", "puppy"), ("What do you call a baby cat?", "kitten"),
    ("What do cows drink?", "water"), ("How many cents are in a dollar?", "100"),
    ("What do you call a person who writes books?", "author"), ("How many days are in a week?", "7"),
    ("What do you call the meal in the morning?", "breakfast"), ("What is a doctor for teeth called?", "dentist"),
    ("What do you call a shape with four equal sides?", "square"), ("Is fire hot?", "yes"),
)  # fmt: skip
_GREETINGS: Final = (
    ("Hi!", "Hello! How can I help?"), ("Hello there!", "Hello! How can I help?"),
    ("Good afternoon!", "Good afternoon! How can I help?"), ("Good morning!", "Good morning! How can I help?"),
    ("Hey, how are you?", "I am well, thank you. How can I help?"), ("Thank you very much!", "You are welcome!"),
    ("Thanks for your help.", "You are welcome!"), ("Good night!", "Good night!"), ("Goodbye!", "Goodbye!"),
    ("Who are you?", "I am an assistant that answers questions."), ("How do you do?", "I am well, thank you."),
    ("Say hello to me.", "Hello!"), ("Hello, nice to meet you!", "Hello! Nice to meet you, too."),
    ("What can you do?", "I answer questions, from documents where needed."),
)  # fmt: skip
_OPENINGS: Final = (
    "",
    "",
    "",
    "",
    "Hello! ",
    "Hi, ",
    "Good morning! ",
    "Please tell me: ",
    "Hey! ",
)
_FOLLOW_UPS: Final = {
    "person": ("When was {it} born?", "Where was {it} born?", "When did {it} die?", "What else did {it} do?", "Which prizes did {it} win?", "Was {it} married?"),
    "city": ("How many people live there?", "Which river flows through it?", "When was it founded?", "In which country is it?"),
    "country": ("What is its capital?", "How many people live there?", "Which language is spoken there?"),
    "company": ("Who founded it?", "Where is it based?", "When was it founded?"),
}  # fmt: skip
_NAMED: Final = {
    "How many people live there?": "How many people live in {x}?",
    "Which river flows through it?": "Which river flows through {x}?",
    "When was it founded?": "When was {x} founded?", "In which country is it?": "In which country is {x}?",
    "What is its capital?": "What is the capital of {x}?", "Who founded it?": "Who founded {x}?",
    "Which language is spoken there?": "Which language is spoken in {x}?", "Where is it based?": "Where is {x} based?",
}  # fmt: skip
_ASKED_BEFORE: Final = {
    "person": ("Who wrote {o}?", "Who discovered {o}?", "Who directed {o}?", "Who is the best known artist of the time?"),
    "city": ("Where is {o}?", "Where does {o} come from?", "In which city is {o}?"),
    "country": ("Where does {o} come from?", "In which country is {o}?"),
    "company": ("Who makes the {o}?", "Which company built the {o}?"),
}  # fmt: skip


def choose_route(prompt: Prompt[Any], question: str, strategy: str, origin: str) -> TrainingExample:
    """One question and its strategy."""
    return example(
        prompt, {"question": question}, Route.model_validate({"strategy": strategy}), origin
    )


def chat(rng: random.Random) -> tuple[str, str]:
    """A question that needs no document, and its answer."""
    makers = (_arithmetic, _arithmetic, _arithmetic, _language, _language, _common, _greeting)
    question, answer = rng.choice(makers)(rng)
    if rng.choice(makers) is not _greeting and not question.endswith("!"):
        question = rng.choice(_OPENINGS) + question
    return question, answer


def direct(question: str, answer: str) -> TrainingExample:
    """Answer without a document."""
    return example(DIRECT, {"question": question}, Answer(answer=answer), "written")


def rewrite_follow_up(others: Sequence[str], rng: random.Random) -> Iterator[TrainingExample]:
    """A follow-up question with the conversation before it; some are already complete."""
    kind = rng.choice(sorted(_FOLLOW_UPS))
    x, o = rng.choice(POOLS[kind]), rng.choice(POOLS[rng.choice(["product", "building", "film"])])
    asked = rng.choice(_ASKED_BEFORE[kind]).format(o=o)
    turns = [f"User: {asked}", f"Assistant: {x}"]
    follow_up = rng.choice(_FOLLOW_UPS[kind])
    stand_alone = _NAMED.get(follow_up, follow_up.format(it=x)).format(x=x)
    follow_up = follow_up.format(it=rng.choice(["he", "she"]))
    if rng.random() < 0.3:
        about = rng.choice(others)
        turns = [f"User: {about}", f"Assistant: {plausible(about, rng)}", *turns]
    if rng.random() < 0.4:
        follow_up = stand_alone = rng.choice(others)
    values = {"conversation": "\n".join(turns), "question": follow_up}
    yield example(REWRITE, values, StandAlone(question=stand_alone), "written")


def _arithmetic(rng: random.Random) -> tuple[str, str]:
    a, b = rng.randint(2, 60), rng.randint(2, 40)
    small, times = rng.randint(2, 12), rng.randint(2, 12)
    return rng.choice(
        [
            (f"What is {a} plus {b}?", str(a + b)),
            (f"What is {a} + {b}?", str(a + b)),
            (f"How much is {a + b} minus {b}?", str(a)),
            (f"What is {small} times {times}?", str(small * times)),
            (f"What is {small} multiplied by {times}?", str(small * times)),
            (f"What is {small * times} divided by {small}?", str(times)),
            (f"Calculate {a} + {b}.", str(a + b)),
            (f"How many months are there in {small} years?", str(12 * small)),
            (f"What is the double of {a}?", str(2 * a)),
            (f"What is half of {2 * b}?", str(b)),
        ]
    )


def _language(rng: random.Random) -> tuple[str, str]:
    verb, past = rng.choice(_VERBS)
    singular, plural = rng.choice(_NOUNS)
    word, opposite = rng.choice(_OPPOSITES)
    who = rng.choice(["They", "We", "I", "The children", "You"])
    return rng.choice(
        [
            (f"What is the past tense of {verb}?", past),
            (f"Put this sentence in the past tense: {who} {verb}.", f"{who} {past}."),
            (f"What is the plural of {singular}?", plural),
            (f"What is the singular of {plural}?", singular),
            (f"What is the opposite of {word}?", opposite),
            (f"Name a word that means the opposite of {opposite}.", word),
            (f"Write the word {word} in capital letters.", word.upper()),
            (f"Spell the word {singular} backwards.", singular[::-1]),
            (f"Make this a question: {who} {verb}.", f"Do {who if who == 'I' else who.lower()} {verb}?"),
        ]
    )  # fmt: skip


def _common(rng: random.Random) -> tuple[str, str]:
    if rng.random() < 0.35:
        country, capital = rng.choice(_CAPITALS)
        return f"What is the capital of {country}?", capital
    return rng.choice(_COMMON)


def _greeting(rng: random.Random) -> tuple[str, str]:
    return rng.choice(_GREETINGS)
