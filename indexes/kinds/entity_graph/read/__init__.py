"""What people and searches ask of the graph."""
