"""Errors by confidence beyond the frozen threshold: fixed coverage, a risk rule, probability gaps (Appendix F)."""
