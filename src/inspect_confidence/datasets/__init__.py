"""Loaders of questions from pinned downloads, bundled data sets and users' files."""
