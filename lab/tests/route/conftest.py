from tests.cli.conftest import folder, hopyard, index

__all__ = ("folder", "hopyard", "index")
