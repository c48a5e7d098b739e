"""One build of an index: its documents, its recipe, its cost and its report."""
