"""Trained weights as plain numbers: data, never code."""
