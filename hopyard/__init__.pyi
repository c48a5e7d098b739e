"""The public names and where each is defined; `__init__.py` reads this file."""

from .agent.answer import Answer as Answer
from .agent.answer import Citation as Citation
from .agent.answer import Evidence as Evidence
from .agent.building import IndexReport as IndexReport
from .agent.building import aadd_documents as aadd_documents
from .agent.building import abuild_index as abuild_index
from .agent.building import add_documents as add_documents
from .agent.building import build_index as build_index
from .agent.events import Event as Event
from .agent.events import Token as Token
from .agent.hopyard import Hopyard as Hopyard
from .agent.middleware import HopyardMiddleware as HopyardMiddleware
from .agent.middleware import as_middleware as as_middleware
from .agent.reading import as_reading_tools as as_reading_tools
from .agent.registration import register_chat_model as register_chat_model
from .agent.registration import register_embedding as register_embedding
from .agent.registration import register_index_kind as register_index_kind
from .agent.registration import register_search_method as register_search_method
from .agent.registration import register_strategy as register_strategy
from .agent.retriever import HopyardRetriever as HopyardRetriever
from .agent.retriever import as_retriever as as_retriever
from .agent.subgraph import as_graph as as_graph
from .agent.subgraph import as_subagent as as_subagent
from .agent.tool import as_tool as as_tool
from .state.errors import HopyardError as HopyardError

__version__: str
