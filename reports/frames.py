"""Tables, as types of pandas do not describe them well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd


def each(frame: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows of a table as named tuples."""
    yield from frame.itertuples(index=False)
