"""A model call: its key, its ledger, its reply."""
