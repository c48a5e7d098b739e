"""Baselines for `hopyard eval` that are not part of the package.

    python -m lab.baselines eval QUESTIONS --strategies single,chain,decompose+dense …

is `hopyard eval …` with these strategies.
"""
