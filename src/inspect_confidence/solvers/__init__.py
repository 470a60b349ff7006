"""How a model is asked: one file an elicitation."""
