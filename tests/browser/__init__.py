"""The report page in a real browser; ``make test-browser`` runs it, ``make test`` does not: it installs Chromium."""
