"""Threads: their history, settings, approvals and deletion."""
