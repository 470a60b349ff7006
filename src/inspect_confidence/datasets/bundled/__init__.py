"""Questions written for this project, each with its derivation or source."""
