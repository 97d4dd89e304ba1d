"""Whether paired summaries of synthetic responses improve model-level prediction (Section 6, Appendices H and I)."""
