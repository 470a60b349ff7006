"""Any eval: how sure a model is of its answers, asked, recorded or shown by repeated answers."""
