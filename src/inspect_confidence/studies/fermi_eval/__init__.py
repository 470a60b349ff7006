"""FermiEval: intervals around order-of-magnitude answers."""
