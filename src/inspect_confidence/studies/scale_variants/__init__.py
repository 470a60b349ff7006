"""Scale design: stated confidence on numeric scales."""
