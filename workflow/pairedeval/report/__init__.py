"""Report: tables, figures and the page. It formats what the analyses computed and computes no statistic.

Shares become percentage points here and nowhere else.
"""
