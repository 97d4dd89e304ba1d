"""What a result file was made of, and how: written by every job, read by ``pairedeval provenance``."""
