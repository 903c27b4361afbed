"""What a column of a file is taken for: numbers, ids, codes, words or dates."""

import re

import numpy as np
import pandas as pd

from numlab.parsing import ISO_DATE, THOUSANDS, ZONE

KINDS = ("number", "id", "code", "words", "date", "dmy", "mdy")
WORDS = 50  # different words that a column of words has at most
PLAIN = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")  # one way to read it, if the point is one
POWER = re.compile(r"(?<=\d)\s*[×·x*]\s*10\s*\^\s*\{?([-+\u2212]?\d+)\}?")
SPACES = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:[\s'’]\d{3}(?!\d))+")  # no 030 123 456
DOTS = re.compile(r"^([+-]?[1-9]\d{0,2}(?:\.\d{3})+)(?=,|$)")
DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+)(?![,.]?\d)")
COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][+-]?\d+)?")
COMMAS = re.compile(r"[+-]?[\d.]*,[\d.,]*([eE][+-]?\d+)?")  # no words beside a number
UNIT = re.compile(
    r"^(?P<before>(?:US)?\$|[€£¥₹]|(?:AUD|CAD|CHF|CNY|EUR|GBP|INR|JPY|USD)\s)?\s*"
    r"(?P<number>(?:[-+\u2212]\s*)?[\d.,]+(?:[\s'’][\d.,]+)*(?:[eE][-+]?\d+)?)\s*"
    r"(?P<after>[^\W\d_][^\d\s.,]{0,9}[23]?|[%‰°$€£¥₹][A-Z]?)?$"
)
# Left off only where all entries have it: 5 beside 5 % is not of the same scale.
SCALES = ("%", "‰", "k", "K", "M", "B", "bn", "Mio", "Mrd", "Tsd", "mn", "mln", "bln")
SCALES += ("thousand", "million", "billion", "trillion")
DEBIT = re.compile(r"^([$€£¥₹]?)\s*\(([^()]*\d[^()]*)\)$")  # below 0, as accountants write it
SIGN = re.compile(r"^([-+\u2212])\s*((?:US)?\$|[€£¥₹])")
DAY = r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})"
TIME = r"((?:[ T]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp][Mm])?)?)"
LONG = "ids of more than 15 digits are not read: float64 does not keep them"
EMPTY = ("-", "–", "?", "n/a", "none", ".")


def understood(name: str, raw: pd.Series, given: str | None, decimal: str):
    """The kind of a column ("-": not usable), its values, and why; `given` is the user's kind.

    ValueError where no value is of the given kind.
    """
    if raw.dtype.kind == "m":  # in hours, as in `tasks.Table`
        raw = raw.dt.total_seconds() / 3600
    texts = raw.astype("str").str.strip().where(raw.notna())
    texts = texts.where(~texts.str.lower().isin([*EMPTY, ""]))
    if texts.isna().all():
        return "-", None, "it is empty"
    if raw.dtype.kind == "M" and given in (None, "date", "dmy", "mdy"):
        return "date", raw, ""
    refused = f"{name}: expected the kind {given}; got {raw.dropna().astype(str).tolist()[:1]}"
    may_be_dates = raw.dtype.kind not in "iuf" and not _all_plain(texts)
    if given in ("date", "dmy", "mdy") or (not given and may_be_dates):
        date = _dates(name, texts, given)
        if given and (date is None or date[0].isna().all()):
            raise ValueError(refused)
        if date is not None:
            return "date", *date
    plain, bared = bare(texts)
    written = [isinstance(value, str) for value in raw]
    numbers, note = in_float64(plain.where(written), decimal)
    numbers = numbers.fillna(in_float64(plain.mask(written), ".")[0])  # these have a point
    share = numbers.notna().sum() / max(1, texts.notna().sum())
    if given in ("number", "id", "code") and share == 0:
        raise ValueError(refused)
    if given in ("number", "id", "code") or (not given and share >= 0.5):
        if share < 1:
            bad = texts[numbers.isna() & texts.notna()].str[:40]
            some = ", ".join(map(repr, bad.unique()[:3]))
            note = joined(note, f"not numbers: {len(bad):,} ({some})")
        kind, why = (given, "") if given else _kind(name, numbers, texts)
        long = plain.str.fullmatch(r"[+-]?[1-9]\d{15,}").any()
        if long and kind in ("id", "code"):
            return "text", texts, LONG
        if long:
            note = joined(note, "float64 keeps 15 digits of a number")
        return kind, numbers, joined(bared, why, note, _filler(numbers) if kind == "number" else "")
    n = texts.nunique()
    if given != "words" and (n > WORDS or 2 * n > texts.notna().sum()):
        return "text", texts, f"{n:,} different texts"
    return "words", texts.astype("category") if given else texts, ""  # no dates, if so given


def bare(texts: pd.Series) -> tuple[pd.Series, str]:
    """Numbers without the one unit or currency that most have, a minus for parentheses, and a note.

    Parentheses mean a minus only beside entries without them.
    """
    if _all_plain(texts):  # most columns are, and all else takes long
        return texts, ""
    debits, note = texts[texts.str.match(DEBIT, na=False)], ""
    if 0 < len(debits) < texts.notna().sum():
        texts = texts.str.replace(DEBIT, r"-\1\2", regex=True)
        note = f"{debits.iloc[0]} is taken for {texts[debits.index[0]]}"
    parts = texts.str.replace(SIGN, r"\2\1", regex=True).str.extract(UNIT)
    units = (parts.before.fillna("") + " " + parts.after.fillna("")).str.strip()
    units = units[parts.number.notna()]
    without, units = (units == "").sum(), units[units != ""]
    if 2 * len(units) < texts.notna().sum() or units.nunique() != 1:
        return texts, note
    unit = units.iloc[0]
    scale = re.sub(r"[$€£¥₹]|EUR|USD", "", unit.split()[-1])
    if without and {scale, scale.lower().removesuffix("s")} & {*SCALES}:
        return texts, note
    lack = f" (without it: {without:,})" if without else ""
    texts = texts.mask(texts.index.isin(units.index), parts.number)
    return texts, joined(note, f"{unit} is left off{lack}")


def _all_plain(texts: pd.Series) -> bool:
    return texts.dropna().str.fullmatch(PLAIN).all()


def joined(*notes: str) -> str:
    """Notes as one; empty ones are left out."""
    return "; ".join(filter(None, notes))


def _filler(numbers: pd.Series) -> str:
    """A note on -999 or the like, more than once and far from all other numbers."""
    for end in (numbers.min(), numbers.max()):
        rest = numbers[numbers.notna() & (numbers != end)]
        n = int((numbers == end).sum())
        far = n > 1 and len(rest) > 1 and (rest - end).abs().min() > np.ptp(rest)
        if far and re.fullmatch(r"-?99+", f"{end:.12g}"):
            ask = "if it stands for a missing value, leave it empty in the file"
            return f"{end:.12g} occurs {n} times, far from the rest: {ask}"
    return ""


def _kind(name: str, numbers: pd.Series, texts: pd.Series) -> tuple[str, str]:
    """Number, id or code, and why; "-" for the index of a frame."""
    x, ask = numbers.dropna(), f"; if it is a quantity: --kinds {name}:number"
    whole = (x == np.rint(x)).all() and (x >= 0).all()
    if re.fullmatch(r"Unnamed: 0(\.\d+)?", name) and whole and x.is_unique:  # in any order
        return "-", "it numbers the rows"
    zeros = texts.str.fullmatch(r"0\d+").any()
    called = re.search(r"(?i)(^|[_\W])(ids?|uuid|isbn|phone|zip|plz|code|no|nr|key)$", name)
    called = called or re.search(r"[a-z]I[dD]$", name)
    ask += "; zeros at the beginning are not kept" if zeros else ""
    some = texts.dropna()  # an amount has a currency, separators, or as many digits as it needs
    alike = x.median() >= 1e6 and some.str.fullmatch(r"\d+").all() and some.str.len().nunique() == 1
    if whole and len(x) > 1 and (zeros or called or alike):
        unlike = x.nunique() >= 0.95 * len(x)
        ordered = x.is_monotonic_increasing or x.is_monotonic_decreasing
        if unlike and (called or zeros or not ordered):
            return "id", f"whole numbers, nearly all different: taken for an id{ask}"
        if called or zeros:
            return "code", f"its name or leading zeros suggest a code{ask}"
    return "number", ""


def in_float64(texts: pd.Series, decimal: str) -> tuple[pd.Series, str]:
    """Texts as float64, and a note on other readings."""
    if decimal != "," and _all_plain(texts):
        return _finite(texts), ""
    plain = texts.str.replace("\u2212", "-").str.replace(POWER, r"e\1", regex=True)
    plain = plain.str.replace(SPACES, lambda m: re.sub(r"[\s'’]", "", m[0]), regex=True)
    plain = plain.str.replace(r"^([-+])\s+", r"\1", regex=True)
    written, commas = plain, plain[plain.str.fullmatch(COMMAS, na=False)]
    grouped = commas.str.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?").all()
    dots = plain[plain.str.contains(r"^[^,]*\.[^,]*$", na=False)]
    dotted = dots.str.match(DOTS).all()
    millions = commas.empty and dotted and (dots.str.count(r"\.") > 1).any()  # as 1.234.567
    looks = millions or (not grouped and commas.str.fullmatch(COMMA).all())
    if decimal == "," or (looks and not decimal):
        groups = plain.str.contains(",") | dotted  # else a point is one
        undotted = plain.str.replace(DOTS, lambda m: m[1].replace(".", ""), regex=True)
        plain = undotted.where(groups, plain)
        plain, firsts, other = plain.str.replace(",", "."), [*commas.index[:1], *dots.index[:1]], ""
    else:
        plain = plain.str.replace(THOUSANDS, lambda m: m[1].replace(",", ""), regex=True)
        sure, firsts = commas.str.contains(".", regex=False).any(), commas.index[:1]
        other = '; if that is wrong: --decimal ","' if len(commas) and not sure else ""
    numbers = _finite(plain)
    firsts = [i for i in firsts if pd.notna(numbers[i])]
    note = "; ".join(f"{written[i]} is read as {plain[i]}" for i in firsts)
    note += other if firsts else ""
    return numbers, note


def _finite(texts: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(texts, errors="coerce").astype(float)
    return numbers.where(np.isfinite(numbers))


def _dates(name: str, texts: pd.Series, given: str | None) -> tuple[pd.Series, str] | None:
    """Dates, and a note on other readings; None where the texts are not dates."""
    texts = texts.str.replace(r"^(\d{4})/(\d{2})/(\d{2})", r"\1-\2-\3", regex=True)
    some = texts.dropna()
    parts = some.str.extract(f"^{DAY}{TIME}$").dropna()
    by_day = len(parts) > 0.9 * len(some)
    if some.str.fullmatch(ISO_DATE).mean() > 0.9 or (given == "date" and not by_day):
        # 5.4.2026: May or April? And to pandas, 10:30 and "now" are of today
        clock = r"\D*\d{1,2}(:\d{2}){0,2}(\.\d+)?\s*(h|[AaPp]\.?[Mm]\.?)?$"
        known = texts.mask(texts.str.match(rf"{DAY}{TIME}$|{clock}|\D*$", na=False))
        local = known.str.replace(ZONE, r"\1", regex=True)
        found = pd.to_datetime(local, errors="coerce", format="mixed", utc=True)
        n = int((found.isna() & texts.notna()).sum())
        if not given and 2 * n > len(some):
            return None
        return found, f"not dates: {n:,}" if n else ""
    if not by_day:
        return None
    first, second = ((parts[i].astype(int) > 12).sum() for i in (0, 1))  # that are no months
    clear = max(first, second) > 0.05 * len(parts)  # else a slip
    dots = some.str.match(r"\d+\.").all() and (not clear or first == second)
    day_first = given == "dmy" or (given != "mdy" and (first > second or dots))
    notes = [f"{some.iloc[0]} is read with the {'day' if day_first else 'month'} first"]
    parts = texts.str.extract(f"^{DAY}{TIME}$")
    day, month = (parts[0], parts[1]) if day_first else (parts[1], parts[0])
    written = day + "/" + month + "/" + parts[2]
    long, short = (pd.to_datetime(written, "coerce", format=f"%d/%m/{y}") for y in ("%Y", "%y"))
    time = pd.to_datetime("2000-01-01" + parts[3], errors="coerce", format="mixed")
    found = long.fillna(short) + (time - pd.Timestamp(2000, 1, 1))
    n = int((found.isna() & texts.notna()).sum())
    if not given and 2 * n > len(some):
        return None
    if given not in ("dmy", "mdy") and not clear:
        notes.append(f"if that is wrong: --kinds {name}:{'mdy' if day_first else 'dmy'}")
    if (of_two := long.isna() & short.notna()).any():
        first = of_two.idxmax()
        notes.append(f"the year of {texts[first]} is read as {short[first].year}")
    if n:
        notes.append(f"{n:,} are not such dates")
    return found, joined(*notes)
