"""Training and comparing routes: see docs/route.md."""
