"""Anyone's own prediction files: reading, pairing, and what they determine, for the command line and from Python."""
