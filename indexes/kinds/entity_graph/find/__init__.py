"""Names and facts found in passages."""
