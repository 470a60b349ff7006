"""What the command line and Python both call: judgments in, tables out."""
