"""Loaders of questions: pinned downloads, the bundled sets, and files of the user's own."""
