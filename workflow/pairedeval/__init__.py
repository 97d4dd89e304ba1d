"""Paired evaluation of vision models under visual perturbations (arXiv 2609.35583)."""

__version__ = "0.1.0"
