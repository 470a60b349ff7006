"""The answer first: a matrix of models and their headline numbers, and a sentence of each model."""
