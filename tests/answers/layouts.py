"""How models lay out labelled values, wrap a thought and revise an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

Fields = Sequence[tuple[str, object]]
"""Labels and what is stated under them."""


def _lines(pattern: str, between: str = "\n") -> Callable[[Fields], str]:
    return lambda fields: between.join(
        pattern.format(label=label, tag=label.lower().replace(" ", "_"), value=value)
        for label, value in fields
    )


def _table(fields: Fields) -> str:
    cells = zip(*[(label, str(value)) for label, value in fields], strict=True)
    head, row = ("| " + " | ".join(cells_of_line) + " |" for cells_of_line in cells)
    return "\n".join([head, "|" + "---|" * len(fields), row])


LAYOUTS: dict[str, Callable[[Fields], str]] = {
    "line": _lines("{label}: {value}"),
    "equals": _lines("{label} = {value}"),
    "full-width colon": _lines("{label}：{value}"),  # noqa: RUF001 # as models write
    "bold label": _lines("**{label}:** {value}"),
    "bold line": _lines("**{label}: {value}**", "\n\n"),
    "list": _lines("- **{label}**: {value}"),
    "quotation": _lines("> {label}: {value}"),
    "sentence": _lines("{label}: {value}."),
    "one line": _lines("{label}: {value}", ", "),
    "heading": _lines("### {label}\n{value}", "\n\n"),
    "heading with colon": _lines("## {label}:\n\n{value}", "\n\n"),
    "code": lambda fields: f"```\n{_lines('{label}: {value}')(fields)}\n```",
    "code span": _lines("{label}: `{value}`"),
    "math": _lines("{label}: ${value}$"),
    "math in brackets": _lines("{label}: \\({value}\\)"),
    "box": _lines("{label}: $\\boxed{{{value}}}$"),
    "tags": _lines("<{tag}>{value}</{tag}>"),
    "table": _table,
    "rows": lambda fields: (
        f"| Field | Value |\n|:--|--:|\n{_lines('| {label} | {value} |')(fields)}"
    ),
    "json": lambda fields: json.dumps(dict(fields)),
    "json in a fence": lambda fields: f"```json\n{json.dumps(dict(fields), indent=4)}\n```",
    "json with strings": lambda fields: json.dumps({key: str(value) for key, value in fields}),
    "json in lower case": lambda fields: json.dumps({key.lower(): value for key, value in fields}),
    "json within": lambda fields: json.dumps({"result": dict(fields)}),
    "single quotes": lambda fields: "{" + _lines("'{label}': '{value}'", ", ")(fields) + ",}",
}

THOUGHTS: dict[str, str] = {
    "think": "<think>\n{thought}\n</think>\n\n{reply}",
    "thinking": "<thinking>{thought}</thinking>{reply}",
    "reasoning": "<reasoning>\n{thought}\n</reasoning>\n{reply}",
    "capitals": "<THINK>{thought}</THINK>\n{reply}",
    "closed only": "{thought}\n</think>\n\n{reply}",
    "twice": "<think>{thought}</think>\n<think>{thought}</think>\n{reply}",
    "opened twice": "<think>{thought} <think>{thought}</think>\n{reply}",
    "brackets": "[THINK]{thought}[/THINK]{reply}",
    "triangles": "◁think▷{thought}◁/think▷{reply}",
    "of thought": "<|begin_of_thought|>\n{thought}\n<|end_of_thought|>\n{reply}",
    "channels": "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant"
    "<|channel|>final<|message|>{reply}<|return|>",
    "commentary": "<|channel|>commentary<|message|>{thought}<|end|><|start|>assistant"
    "<|channel|>final<|message|>{reply}",
    "channels without signs": "analysis{thought}assistantfinal{reply}",
    "after it": "{reply}\n\n<think>{thought}</think>",
    "never closed": "{reply}\n<think>\n{thought}",
    "on both sides": "<think>{thought}</think>{reply}<think>{thought}",
}
"""Around `{reply}`, what was thought aloud: `{thought}`."""
REVISIONS = {
    "wrong": "Actually, on reflection that is wrong.\n\n{label}: {value}",
    "actually": "Actually, the {noun} is {value}.",
    "change": "Actually, I'd change my {noun} to {value}.",
    "revise": "On reflection, I would revise my {noun} to {value}.",
    "revise that": "Hmm, I'd revise that to {value}.",
    "mistake": "Wait, I made a mistake. {label}: {value}",
    "correction with label": "Correction: {label}: {value}",
    "correction": "Correction: {value}",
    "scratch": "Scratch that. {label}: {value}.",
    "let me": "Let me correct my {noun}: {value}",
    "revised": "**Revised {noun}:** {value}",
    "corrected": "**Corrected {label}: {value}**",
    "lower": "Actually, I would lower that to {value}.",
    "make": "Actually, make that {value}.",
    "second thought": "On second thought, {value}.",
    "go with": "Actually, I'll go with {value}.",
    "fix": 'Actually, let me fix that:\n{{"{label}": "{value}"}}',
}
"""What takes back the value that stands before it."""
PLAIN_REVISIONS = {
    "final": "Final {noun}: {value}",
    "update": "I'll update my {noun} to {value}.",
    "meant": "Sorry, I meant {value}.",
    "should be": "Wait, that's not right. The {noun} should be {value}.",
    "no": "No, that can't be right. My {noun} is {value}.",
}
"""The same in words that say it less."""
