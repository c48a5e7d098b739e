"""The steps of `hop-rounds`: hops over the passage graph, chosen in one call a round."""
