"""The studies as Inspect tasks, one file per study."""
