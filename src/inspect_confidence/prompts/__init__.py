"""The wording of each study's protocol, one module a study, each with its source."""
