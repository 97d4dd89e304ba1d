"""The paper's printed numbers beside those of a study, and counts that its shape decides (Tables 4 to 49, the text)."""
