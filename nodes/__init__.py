"""The steps: async functions from state and runtime to an update."""
