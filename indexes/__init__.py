"""The corpus store and everything derived from it: dense, sparse, and what later plugs in."""
