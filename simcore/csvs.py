"""The csv files of a run: integers plain, other numbers with ten significant digits, line ends as on Unix."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any


class Csv:
    """A csv file in the making: integers plain, other numbers with ten significant digits."""

    def __init__(self, header: Iterable[str]) -> None:
        # Bytes, since a StringIO takes four for every character.
        self._bytes = io.BytesIO()
        self._text = io.TextIOWrapper(self._bytes, encoding="utf-8", newline="")
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._writer.writerow(header)

    def add(self, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            self._writer.writerow([show_number(value) for value in row])

    def write(self, file: Any) -> None:
        self._text.flush()
        file.write(self._bytes.getbuffer())


def show_number(value: Any) -> Any:
    """Return a csv field: ten significant digits for what is not whole, nothing for nan."""
    if not isinstance(value, float):
        return value
    return "" if math.isnan(value) else f"{value:.10g}"


def read_csv(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of one of a run's csv files."""
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)
