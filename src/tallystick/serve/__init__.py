"""The server room: models by HTTP. An ASGI application of our own on uvicorn; the extra `serve` brings it."""
