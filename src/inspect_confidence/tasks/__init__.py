"""The studies as Inspect tasks, one file a study."""
