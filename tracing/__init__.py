"""A picture of one run: what was decided, asked, found, judged and thrown away, and its cost."""
