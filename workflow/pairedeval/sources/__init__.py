"""Images and their index, by origin."""
