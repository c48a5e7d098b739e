"""A plug-in for Hopyard: search by title, and a strategy that looks a second time."""
