r"""LaTeX -> plain text: `$2.5 \times 10^{4}$` becomes `2.5 × 10^(4)`."""  # noqa: RUF002 # times sign

import re

_MATH = re.compile(
    # As in Pandoc: no blank inside the delimiters, no digit after. "$20 to $90" is money.
    r"(?<!\\)\$(?=\S)(?P<inside>[^$\n]*)(?<=\S)\$(?![0-9])"
)
_GROUP = re.compile(
    r"(?P<power>\^\s?\{)"
    r"|(?P<command>\\(?:text[a-z]*|math[a-z]+|boxed|fbox|emph|operatorname)\s?\{)"
    r"|(?P<open>\{)"
    r"|(?P<close>\})"
)
_COMMAND = re.compile(
    r"\\(?:"
    r"(?P<line>\\|n(?![a-z]))"  # \n is JSON's, in a string
    r"|(?P<name>[A-Za-z]+)"
    r"|(?P<space>[\s,;:!()\[\]])"
    r"|(?P<escaped>.)"
    r")"
)
_SYMBOLS = {
    "times": "×",  # noqa: RUF001 # times sign
    "cdot": "×",  # noqa: RUF001 # times sign
    "pm": "±",
    "approx": "≈",
    "sim": "~",
    "le": "≤",
    "leq": "≤",
    "to": " to ",
    "rightarrow": "→",
    "dots": "...",
    "ldots": "...",
    "left": " ",
    "right": " ",
    "quad": " ",
    "qquad": " ",
}


def without_latex(text: str) -> str:
    """The text with LaTeX's delimiters, groups and commands in plain characters.

    Commands that aren't known stay, so that nothing is read from what they make of a number.
    """
    text = _MATH.sub(r" \g<inside> ", text.replace("$$", " ").replace("{,}", ","))
    return _COMMAND.sub(_plain_command, _without_groups(text))


def _without_groups(text: str) -> str:
    """A power's group becomes a bracket and a command's a blank; other braces, as JSON's, stay."""
    closing: list[str] = []

    def plain(brace: re.Match[str]) -> str:
        if brace["close"]:
            return closing.pop() if closing else "}"
        opened, closed = ("^(", ")") if brace["power"] else (" ", " ")
        if brace["open"]:
            opened, closed = "{", "}"
        closing.append(closed)
        return opened

    return _GROUP.sub(plain, text)


def _plain_command(command: re.Match[str]) -> str:
    if command["line"]:
        return "\n"
    if command["name"]:
        return _SYMBOLS.get(command["name"], command.group())
    return " " if command["space"] else command["escaped"]
