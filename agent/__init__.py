"""What drives the graphs for a caller: the Python API, sessions, approvals, the tool."""
