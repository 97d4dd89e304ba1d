"""Perturbed images: synthetic corruptions, natural transformations and simulated recaptures."""
