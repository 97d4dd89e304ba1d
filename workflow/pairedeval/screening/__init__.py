"""Which images deserve a real recapture: image-level scores and their failure discovery (Section 5, Appendix E)."""
