"""Do embeddings lie in order around a circle? (xval, App. D.5 and Fig. 11)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def around_a_circle(components: pd.DataFrame) -> pd.DataFrame:
    """The order of numbers by their angle in the first two components, around their centre.

    Parameters
    ----------
    components : DataFrame [number, pc1, pc2]
        As from `probes.pca`: centred.

    Returns
    -------
    DataFrame [number, angle, next, in_order]
        A row a number, in their order. `next` is the number that comes next on the circle, and
        `in_order` says whether it is the next number (after the greatest, the least), both in
        the direction in which more of them are. In no order, 1 / (n - 1) of them are by chance.

    Examples
    --------
    >>> import pandas as pd
    >>> turn = 2 * np.pi * np.arange(10) / 10
    >>> clock = pd.DataFrame({"number": range(10), "pc1": np.cos(turn), "pc2": -np.sin(turn)})
    >>> around_a_circle(clock).next.tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]
    """
    rows = components[["number"]].assign(angle=np.arctan2(components.pc2, components.pc1))
    rows = rows.sort_values("number", ignore_index=True)
    rank = rows.angle.argsort().argsort().to_numpy()
    at_rank = rows.angle.argsort().to_numpy()
    numbers, n = rows.number.to_numpy(), len(rows)
    follower = np.roll(np.arange(n), -1)
    ways = [at_rank[(rank + step) % n] for step in (1, -1)]
    found = max(ways, key=lambda way: (way == follower).sum())
    return rows.assign(next=numbers[found], in_order=found == follower)
