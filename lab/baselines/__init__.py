"""A baseline for `hopyard eval` that is not part of the package.

    python -m lab.baselines eval QUESTIONS --strategies single,chain,decompose+dense …

is `hopyard eval …` with this strategy.
"""
