from tests.evaluation.conftest import (
    context,
    graphs_context,
    index,
    passages,
    plan,
    questions_file,
    script,
)

__all__ = ("context", "graphs_context", "index", "passages", "plan", "questions_file", "script")
