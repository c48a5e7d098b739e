"""The local web application: a page for people, and an endpoint for OpenAI clients."""
