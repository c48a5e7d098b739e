"""`hopyard` with the baselines of this folder."""

from __future__ import annotations

from hopyard.cli.main import main
from hopyard.state.strategy import STRATEGIES
from lab.baselines import decompose
from lab.baselines.react import agent as react

for baseline in (decompose, react):
    STRATEGIES.register(baseline.STRATEGY)
main()
