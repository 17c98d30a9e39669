"""Faults that must never happen, tried many times."""
