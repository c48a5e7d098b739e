"""`hopyard` with the baseline of this folder."""

from __future__ import annotations

from hopyard.cli.main import main
from hopyard.state.strategy import STRATEGIES
from lab.baselines.decompose import STRATEGY

STRATEGIES.register(STRATEGY)
main()
