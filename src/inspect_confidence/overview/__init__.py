"""Overview of results: a matrix of models and headline numbers, and a sentence on each model."""
