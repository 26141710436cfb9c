"""Texts and pictures as notebooks and terminals show them."""

from __future__ import annotations

import base64
import html
import os
import re

COLOURS = {  # of the command's text, as a terminal numbers them
    30: "#24292f", 31: "#cf222e", 32: "#1a7f37", 33: "#9a6700", 34: "#0969da", 35: "#8250df",
    36: "#1b7c83", 37: "#6e7781", 90: "#57606a", 91: "#a40e26", 92: "#2da44e", 93: "#bf8700",
    94: "#218bff", 95: "#a475f9", 96: "#3192aa", 97: "#8c959f",
}
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def cube(number: int) -> str:
    """One of a terminal's 256 colours."""
    if number < 16:
        return COLOURS[number + (30 if number < 8 else 82)]
    if number >= 232:
        grey = 8 + 10 * (number - 232)
        return f"rgb({grey},{grey},{grey})"
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return f"rgb({steps[number // 36]},{steps[number // 6 % 6]},{steps[number % 6]})"


def style_of(numbers: list[int]) -> str:
    style, rest = [], list(numbers)
    while rest:
        number = rest.pop(0)
        if number == 1:
            style.append("font-weight:bold")
        elif number == 2:
            style.append("opacity:0.7")
        elif number in COLOURS:
            style.append(f"color:{COLOURS[number]}")
        elif number in (38, 48) and rest[:1] == [5] and len(rest) > 1:
            style.append(f"{'color' if number == 38 else 'background-color'}:{cube(rest[1])}")
            rest = rest[2:]
        elif number in (38, 48) and rest[:1] == [2] and len(rest) > 3:
            style.append(f"{'color' if number == 38 else 'background-color'}:"
                         f"rgb({rest[1]},{rest[2]},{rest[3]})")
            rest = rest[4:]
        elif number - 10 in COLOURS:
            style.append(f"background-color:{COLOURS[number - 10]}")
    return ";".join(style)


class Text(str):
    """A text with a terminal's colours; without them where it is compared, printed to a file or
    searched."""

    def __new__(cls, coloured: str):
        text = super().__new__(cls, ESCAPE.sub("", coloured))
        text.coloured = coloured
        return text

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        parts, numbers = [], []
        for i, piece in enumerate(ESCAPE.split(self.coloured)):
            if i % 2:
                given = [int(number or 0) for number in piece.split(";")]
                numbers = [] if given == [0] else numbers + given
            elif piece:
                style = style_of(numbers)
                text = html.escape(piece, quote=False)
                parts.append(f'<span style="{style}">{text}</span>' if style else text)
        return f'<pre style="font-family:monospace;line-height:1.25;white-space:pre">{"".join(parts)}</pre>'


class Picture:
    """A plot. `svg` is its file."""

    def __init__(self, name: str, svg: bytes):
        self.name, self.svg = name, svg

    def save(self, path: str | os.PathLike) -> None:
        with open(path, "wb") as file:
            file.write(self.svg)

    def __repr__(self) -> str:
        return f"<cupping plot {self.name}>"

    def _repr_html_(self) -> str:
        # As an image: styles and ids of one picture do not change another.
        data = base64.b64encode(self.svg).decode()
        return f'<img alt="{html.escape(self.name)}" src="data:image/svg+xml;base64,{data}">'
