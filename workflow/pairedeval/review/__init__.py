"""Human review of persistent wrong answers: sampling frame, sample, page of a reviewer, estimates (Appendix J.3)."""
