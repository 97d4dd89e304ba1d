"""How conclusions depend on the labels: accepted-label sets, and wrong answers that models share (Appendix J)."""
