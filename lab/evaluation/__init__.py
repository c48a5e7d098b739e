"""Question sets in the plain format, our own pages, and the wrong answers of an evaluation."""
