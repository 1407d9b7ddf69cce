"""The routes, by the noun they are about."""
