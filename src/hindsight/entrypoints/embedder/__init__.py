"""The embedder as a service: one process holds the model, and others ask it over HTTP."""
