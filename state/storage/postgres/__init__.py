"""Threads in Postgres, and connections that open again after they were lost."""
