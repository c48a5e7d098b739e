"""The graphs for LangGraph's server and Studio, each a variable of this module by its name.

The server reads a module's variables, so they are made when this one is imported.
"""

from __future__ import annotations

from hopyard.agent.server import server_graphs

globals().update(server_graphs())
