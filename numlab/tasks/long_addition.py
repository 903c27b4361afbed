"""Addition in which long and short operands are equally frequent (fone, Appendices E and F)."""

from __future__ import annotations

from dataclasses import dataclass

from numlab.tasks.arithmetic import Addition


@dataclass(frozen=True)
class LongAddition(Addition):
    """Texts ``{a}+{b}={answer}``, lengths drawn uniformly over all pairs; numbers are Python ints.

    As Addition beyond 14 digits; here at any number of digits, so that a model that is trained on
    short operands can be asked for longer ones. A split has no sum twice, so it holds fewer of
    the shortest, of which there are few.

    Parameters
    ----------
    int_digits : int
        Most digits of an operand.

    Examples
    --------
    >>> LongAddition(int_digits=12).sample(2, seed=0)[0].text(1)
    '6+4485=4491'
    """

    int_digits: int = 10
    frac_digits: int = 0

    @property
    def long(self) -> bool:
        return True
