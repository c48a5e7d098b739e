"""Evaluation: question sets, measures, the runner, the report."""
