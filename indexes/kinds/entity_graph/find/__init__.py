"""Names, facts and claims found in passages."""
