"""Questions written by hand that need no document, with their answers."""
