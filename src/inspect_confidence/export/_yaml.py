"""YAML whose texts are texts to readers of YAML 1.1 and of YAML 1.2."""

import re

import yaml

# PyYAML quotes what YAML 1.1 resolves; these resolve by YAML 1.2, or to some readers of 1.1.
_OTHER = re.compile(r"0[ox][0-9A-Fa-f]+|y|n|~", re.IGNORECASE)


class _Dumper(yaml.SafeDumper):
    """Quotes every text that is a number anywhere, `1e5` and `0o17` among them."""


def as_yaml(entries: object) -> str:
    """The entries as YAML in ASCII, in the order that they have."""
    return yaml.dump(entries, Dumper=_Dumper, sort_keys=False, allow_unicode=False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if _is_number(text) or _OTHER.fullmatch(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_Dumper.add_representer(str, _text)
