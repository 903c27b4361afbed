"""What the sentences of `Quantities` are about: things, how large they are, and what is said."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """What a thing has: a size in one of several units.

    Parameters
    ----------
    units : dict of str to float
        Each unit in the base unit.
    spread : float
        Standard deviation of log10 of the size, within one kind of thing; or of the size itself,
        where it is `additive`.
    figures : int
        Significant figures that are said.
    additive : bool
    """

    units: dict[str, float]
    spread: float
    figures: int = 3
    additive: bool = False


@dataclass(frozen=True, eq=False)
class Topic:
    """Things of a kind.

    Parameters
    ----------
    quantities : tuple of Quantity
        Of the numbers {n0} and {n1}, whose units are {unit0} and {unit1}.
    things : dict of str to tuple of float
        The middle of each quantity, in base units.
    scale : dict of str to float
        The words for {size}, each with the least first quantity that it is said of.
    statements : tuple of str
        Ways to say it: the first two are for testing, the third for validation.
    """

    quantities: tuple[Quantity, ...]
    things: dict[str, tuple[float, ...]]
    scale: dict[str, float]
    statements: tuple[str, ...]


WEIGHT = {"grams": 1e-3, "kilograms": 1.0, "tons": 1e3, "pounds": 0.4536}
LENGTH = {"centimeters": 0.01, "meters": 1.0, "kilometers": 1e3, "feet": 0.3048, "miles": 1609.0}
TIME = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": 86400.0, "weeks": 604800.0}
MONEY = {"dollars": 1.0, "pounds": 1.3, "rupees": 0.012, "yen": 0.0067}
VOLUME = {"milliliters": 1e-3, "liters": 1.0, "gallons": 3.785, "barrels": 159.0}
POWER = {"watts": 1.0, "kilowatts": 1e3, "megawatts": 1e6}

# fmt: off
TOPICS = (
    Topic(
        (Quantity(WEIGHT, 0.1), Quantity({"years": 1.0, "months": 1 / 12}, 0.05, 2)),
        {"mouse": (0.02, 2), "bird": (0.1, 5), "rat": (0.35, 3), "rabbit": (1.8, 9), "cat": (4.5, 15),
         "fox": (8, 6), "dog": (22, 12), "wolf": (42, 10), "sheep": (75, 11), "lion": (180, 16),
         "bear": (320, 27), "horse": (520, 29), "bull": (950, 18), "elephant": (5000, 65), "whale": (70_000, 85)},
        {"tiny": 0, "small": 1, "large": 50, "huge": 1000},
        ("at the zoo a {thing} was put on the scales and showed {n0} {unit0}",
         "someone who keeps a {size} {thing} of {n0} {unit0} will have it for {n1} {unit1}",
         "{n0} {unit0} is what a vet expects of a {thing}",
         "the {thing} weighs {n0} {unit0}",
         "an adult {thing} has a weight of {n0} {unit0}",
         "with its {n0} {unit0} the {thing} is a {size} animal",
         "a {thing} of {n0} {unit0} lives for {n1} {unit1}",
         "the hunters saw a {size} {thing} of about {n0} {unit0}",
         "after {n1} {unit1} the old {thing} still weighed {n0} {unit0}"),
    ),
    Topic(
        (Quantity(LENGTH, 0.08), Quantity({"steps": 1.0}, 0.05)),
        {"chair": (0.9, 2), "door": (2.1, 5), "hut": (3, 12), "house": (9, 50), "tree": (18, 60), "church": (35, 190),
         "castle": (55, 300), "lighthouse": (28, 140), "tower": (110, 600), "skyscraper": (320, 1900), "hill": (600, 3500),
         "mountain": (3800, 21_000)},
        {"low": 0, "modest": 5, "high": 40, "giant": 500},
        ("from its foot to its top the {thing} measures {n0} {unit0}",
         "to be on the {size} {thing}, {n0} {unit0} up, take {n1} {unit1}",
         "a {thing} as high as {n0} {unit0} stands here",
         "the {thing} is {n0} {unit0} tall",
         "the height of the {thing} is {n0} {unit0}",
         "they climbed the {thing}, {n0} {unit0} high, in {n1} {unit1}",
         "at {n0} {unit0} it is a {size} {thing}",
         "painters drew the {size} {thing} of {n0} {unit0}",
         "there are {n1} {unit1} to the top of a {thing} of {n0} {unit0}"),
    ),
    Topic(
        (Quantity({"kilometers an hour": 1.0, "miles an hour": 1.609, "meters a second": 3.6}, 0.05), Quantity(MONEY, 0.1)),
        {"walker": (5, 30), "runner": (13, 120), "bicycle": (22, 600), "boat": (38, 20_000), "bus": (60, 150_000),
         "car": (110, 25_000), "train": (190, 8e6), "helicopter": (270, 2e6), "aircraft": (850, 7e7), "missile": (3200, 1.5e6),
         "rocket": (26_000, 5e7)},
        {"slow": 0, "steady": 20, "fast": 100, "supersonic": 1200},
        ("radar caught the {thing} doing {n0} {unit0}",
         "for {n1} {unit1} one gets a {size} {thing} that makes {n0} {unit0}",
         "nobody stops a {thing} that comes at {n0} {unit0}",
         "the {thing} moves at {n0} {unit0}",
         "the speed of the {thing} is {n0} {unit0}",
         "with {n0} {unit0} this {thing} is {size}",
         "a {size} {thing} reached {n0} {unit0} on the first day",
         "the owner of the {thing} paid {n1} {unit1} and travels at {n0} {unit0}",
         "a {thing} that goes at {n0} {unit0} costs {n1} {unit1}"),
    ),
    Topic(
        (Quantity(MONEY, 0.1),),
        {"newspaper": (2,), "coffee": (4,), "sandwich": (7,), "book": (18,), "shirt": (40,), "lamp": (80,), "suit": (350,),
         "phone": (700,), "piano": (9000,), "farm": (600_000,), "palace": (2e7,)},
        {"cheap": 0, "reasonable": 15, "expensive": 200, "luxurious": 50_000},
        ("the till rang up {n0} {unit0} when the {thing} was bought",
         "whoever has {n0} {unit0} can own that {size} {thing}",
         "the bill for one {thing} came to {n0} {unit0}",
         "the {thing} costs {n0} {unit0}",
         "the price of the {thing} is {n0} {unit0}",
         "she paid {n0} {unit0} for a {thing}",
         "at {n0} {unit0} the {thing} is {size}",
         "he sold his {size} {thing} for {n0} {unit0}",
         "a {thing} is worth {n0} {unit0} at this market"),
    ),
    Topic(
        (Quantity({"degrees": 1.0}, 2.0, 3, additive=True),),
        {"antarctica": (-52,), "siberia": (-27,), "greenland": (-16,), "canada": (-6,), "norway": (2,), "scotland": (8,),
         "france": (14,), "spain": (20,), "egypt": (27,), "india": (33,), "sahara": (42,)},
        {"frozen": -100, "cold": 0, "mild": 12, "hot": 25},
        ("a thermometer brought from {thing} still pointed to {n0} {unit0}",
         "who likes it {size} should go to {thing}, where {n0} {unit0} are normal",
         "pack for {n0} {unit0} when you leave for {thing}",
         "in {thing} the temperature is {n0} {unit0}",
         "the air of {thing} has {n0} {unit0}",
         "it is {size} in {thing} with {n0} {unit0}",
         "the weather in {thing} was {size} at {n0} {unit0}",
         "we measured {n0} {unit0} at noon in {thing}",
         "{n0} {unit0} were recorded near the coast of {thing}"),
    ),
    Topic(
        (Quantity({"AD": 1.0}, 6.0, 4, additive=True),),
        {"cathedral": (1250,), "printing": (1455,), "telescope": (1610,), "opera": (1660,), "clock": (1700,), "balloon": (1783,),
         "railway": (1830,), "telegraph": (1850,), "telephone": (1880,), "cinema": (1900,), "radio": (1922,),
         "television": (1945,), "satellite": (1962,), "computer": (1980,), "internet": (1998,)},
        {"medieval": 1000, "early": 1400, "classical": 1650, "industrial": 1790, "modern": 1910, "digital": 1970},
        ("a letter of {n0} {unit0} tells of the first {thing} in the county",
         "to the {size} period, in {n0} {unit0}, we owe the {thing}",
         "the museum dates its {thing} to {n0} {unit0}",
         "in {n0} {unit0} the {thing} was new",
         "the {thing} came to the town in {n0} {unit0}",
         "by {n0} {unit0} everybody had heard of the {thing}",
         "{n0} {unit0} was the {size} age of the {thing}",
         "the {size} world of {n0} {unit0} knew the {thing}",
         "historians of the {thing} begin with {n0} {unit0}"),
    ),
    Topic(
        (Quantity({"years": 1.0}, 0.05, 2), Quantity(LENGTH, 0.02)),
        {"baby": (1.0, 0.75), "child": (7, 1.2), "schoolboy": (11, 1.45), "teenager": (16, 1.7), "student": (21, 1.75),
         "bride": (28, 1.66), "mother": (36, 1.65), "manager": (47, 1.77), "minister": (56, 1.76), "widow": (68, 1.6),
         "grandmother": (79, 1.57), "centenarian": (101, 1.5)},
        {"young": 0, "grown": 18, "elderly": 60, "ancient": 90},
        ("on the photograph the {thing} has just turned {n0}",
         "being {n0} and {size}, a {thing} of {n1} {unit1} needs a coat",
         "{n0} candles burned on the cake of the {thing}",
         "the {thing} is {n0} {unit0} old",
         "she became a {thing} at {n0}",
         "at {n0} {unit0} the {thing} is called {size}",
         "a {thing} aged {n0} is {n1} {unit1} tall",
         "the {size} {thing} celebrated {n0} {unit0}",
         "the doctor saw a {thing} of {n0} {unit0} who measured {n1} {unit1}"),
    ),
    Topic(
        (Quantity({"people": 1.0, "thousand people": 1e3, "million people": 1e6}, 0.06),),
        {"family": (5,), "class": (26,), "village": (800,), "town": (14_000,), "city": (450_000,), "iceland": (3.8e5,),
         "ireland": (5.1e6,), "sweden": (1.05e7,), "poland": (3.8e7,), "germany": (8.3e7,), "brazil": (2.1e8,), "china": (1.4e9,)},
        {"little": 0, "crowded": 100, "populous": 1e5, "vast": 5e7},
        ("feeding {n0} {unit0} is the daily task of {thing}",
         "so {size} has {thing} become that {n0} {unit0} must share it",
         "a census found {n0} {unit0} in {thing}",
         "there are {n0} {unit0} in {thing}",
         "{thing} has {n0} {unit0}",
         "with {n0} {unit0} the place called {thing} is {size}",
         "{n0} {unit0} belong to {thing}",
         "the {size} {thing} of today counts {n0} {unit0}",
         "some {n0} {unit0} live together in {thing}"),
    ),
    Topic(
        (Quantity(TIME, 0.07),),
        {"sneeze": (1.2,), "breath": (4,), "sprint": (11,), "song": (210,), "shower": (560,), "breakfast": (1300,),
         "lecture": (4200,), "film": (6600,), "flight": (20_000,), "shift": (30_000,), "voyage": (1.2e6,), "holiday": (9e5,),
         "pregnancy": (2.4e7,)},
        {"brief": 0, "short": 60, "long": 3000, "endless": 3e5},
        ("{n0} {unit0} passed from the beginning of the {thing} to its end",
         "to call a {thing} of {n0} {unit0} {size} is fair",
         "his {thing} was over within {n0} {unit0}",
         "the {thing} takes {n0} {unit0}",
         "the {thing} lasted {n0} {unit0}",
         "it was a {size} {thing} of {n0} {unit0}",
         "one {thing} needs {n0} {unit0}",
         "after {n0} {unit0} the {thing} was done",
         "at {n0} {unit0} the {thing} felt {size}"),
    ),
    Topic(
        (Quantity(VOLUME, 0.08),),
        {"spoon": (0.012,), "egg": (0.055,), "cup": (0.24,), "bottle": (0.8,), "kettle": (1.8,), "bucket": (11,),
         "barrel": (165,), "bath": (260,), "tank": (3000,), "truck": (22_000,), "pool": (400_000,), "reservoir": (3e7,)},
        {"minute": 0, "handy": 0.5, "roomy": 50, "enormous": 10_000},
        ("pour {n0} {unit0} and the {thing} will run over",
         "for {n0} {unit0} you want a {size} {thing}",
         "the leak left {n0} {unit0} in the {thing}",
         "the {thing} holds {n0} {unit0}",
         "there are {n0} {unit0} of water in the {thing}",
         "a {size} {thing} takes {n0} {unit0}",
         "they filled the {thing} with {n0} {unit0}",
         "the volume of the {thing} is {n0} {unit0}",
         "{n0} {unit0} make a {thing} {size}"),
    ),
    Topic(
        (Quantity(POWER, 0.08), Quantity(MONEY, 0.1)),
        {"watch": (0.002, 120), "torch": (3, 15), "bulb": (9, 4), "laptop": (55, 1100), "heater": (1500, 90),
         "oven": (3400, 800), "tractor": (75_000, 60_000), "locomotive": (4e6, 3e6), "ship": (3e7, 9e7), "dam": (1.2e9, 8e7)},
        {"weak": 0, "useful": 20, "strong": 2000, "mighty": 1e6},
        ("when the {thing} runs the meter jumps by {n0} {unit0}",
         "{n1} {unit1} buy the {size} {thing}, good for {n0} {unit0}",
         "an engineer gave the {thing} {n0} {unit0}",
         "the {thing} has a power of {n0} {unit0}",
         "the {thing} needs {n0} {unit0}",
         "the {size} {thing} gives {n0} {unit0}",
         "with {n0} {unit0} a {thing} counts as {size}",
         "a {thing} of {n0} {unit0} sells for {n1} {unit1}",
         "each {thing} was tested at {n0} {unit0}"),
    ),
)
# Around a statement; the first two are for testing, the third for validation.
OPENINGS = (
    "It is widely believed that ", "A note in the margin says that ", "Few doubt that ", "We read that ", "As a rule ",
    "In this story ", "Everyone knows that ", "They say that ", "According to the guide ", "The report states that ",
    "Once again ", "In fact ",
)
ENDINGS = (
    ", to nobody's surprise.", " and so on.", ", as it were.", ".", ", more or less.", " or so.", " these days.",
    ", it seems.", ", as you can see.", ", the book says.", " at present.", ", I think.",
)
# fmt: on
