"""Personalised PageRank over the entity graph: the walk, and four ways to begin it.

`walk` solves PageRank. Each of the other modules says where a question's walk begins, over which
weights it goes, and how passages are ranked: `names` (Hopyard's default), `hipporag`, `hipporag2`
and `linear` (LinearRAG, with `activation`).
"""
