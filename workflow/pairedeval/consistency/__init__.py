"""Decision consistency: what the stability of predictions under mild operators adds to confidence (arXiv 2610.36640).

Only a summary of that paper was at hand. Where it leaves a choice, the plainest one is made and named in the docstring.
"""
