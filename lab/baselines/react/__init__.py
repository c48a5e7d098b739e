"""`react`: LangChain's agent with the search as its only tool."""
