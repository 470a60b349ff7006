"""Functions behind the command line and the Python interface: judgments in, tables out."""
