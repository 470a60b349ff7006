"""LifeEval and question sets: the hard-easy effect."""
