"""The interfaces for callers: the Python API, sessions, approvals, the tool."""
