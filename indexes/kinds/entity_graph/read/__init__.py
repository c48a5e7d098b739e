"""Questions of people and searches to the graph."""
