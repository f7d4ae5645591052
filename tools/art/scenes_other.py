"""The scenes of sky, space and plain pattern."""

from __future__ import annotations

from tools.art import pattern, sky

# fmt: off
SKY = [
    ("fair weather", sky.clouds, dict(
        sky="2880e0 4c9cec 70b8f4",
        heaps=[(24, 44, 27, "ffffff", "d0e4f4"), (92, 78, 32, "ffffff", "d0e4f4"),
            (30, 112, 20, "ffffff", "d0e4f4"), (104, 20, 12, "ffffff", "d0e4f4")],
        birds=5)),
    ("above the clouds", sky.clouds, dict(
        sky="1848a8 3c88e0 b0e0f8", sheet=(74, 8, "ffffff e0ecf8 b8d0ec"), sun=(96, 32, 15, "fffce8"))),
    ("evening clouds", sky.clouds, dict(
        sky="fce0b0 f8a880 d0607c 603070",
        heaps=[(96, 34, 22, "80407c", "58285c"), (30, 60, 26, "6c3068", "48204c"),
            (80, 100, 30, "3c1c48", "281234")])),
    ("thunderstorm", sky.storm, dict(
        sky="485068 687088 9098a8", mass="181c28 2c3040 484c5c", cover=48, bolts=[(84, 46)],
        land="14181c 080c10", rain=0.5)),
    ("downpour", sky.storm, dict(
        sky="a8b4bc c8d0d4", mass="586874 8494a0 c0c8d0", cover=44, rain=-1.6, rain_colour="4c6478",
        land="88a068 506048", row=84)),
    ("blizzard", sky.storm, dict(
        sky="506880 8ca0b4", mass="d0dce8 e8f0f8 ffffff", cover=64, flakes=170, land="f8fcff d0e0f0",
        row=112)),
    ("ringed planet", sky.space, dict(
        sky="04041c 0c0c34 1c1440", stars=80,
        planets=[(60, 62, 30, "6c3c28 b87c48 e8c088 fff0d0", True, "d8c8a8", -1)])),
    ("blue planet", sky.space, dict(
        sky="000008 040410", stars=100,
        planets=[(64, 122, 58, "082058 1858b0 58a8e0 f8ffff", False, "", -1),
            (104, 26, 9, "505058 a0a0a8 e8e8e8", False, "", -1)])),
    ("asteroids", sky.space, dict(
        sky="58304c 3c2044 1c1030", stars=40, belt=(40, 58, "5c4c50 b8a494"),
        planets=[(30, 92, 32, "884028 d87840 f8c888", True, "", 1)])),
    ("comet", sky.space, dict(
        sky="081030 0c1c40 142850", stars=60, comet=(34, 96, 62, -66),
        planets=[(104, 104, 22, "58284c a85878 f0a8b0", True, "", -1)], ship=(28, 26, 16))),
    ("nebula", sky.nebula, dict(
        gas="08041c 301058 8c2878 e86088 ffd0b0", cells_across=3, cells_down=2)),
    ("dark nebula", sky.nebula, dict(
        gas="0c0810 2c2448 407890 80d0c8 e8fff0", cells_across=2, cells_down=3, hole=(46, 70, 46), stars=60)),
    ("galaxy", sky.nebula, dict(
        gas="020208 101030 304888 90a8e8 fff8e0", cells_across=6, cells_down=6, arms=(64, 62, 1.6),
        stars=70)),
    ("floating islands", sky.floating, dict(
        sky="70d0f0 b8ecf8 f0fff8",
        isles=[(98, 36, 20, "58b048", "98704c", "6c4c38"), (30, 66, 27, "58b048", "98704c", "6c4c38"),
            (94, 100, 14, "58b048", "98704c", "6c4c38")],
        heaps=[(64, 24, 10, "ffffff")])),
    ("balloons", sky.floating, dict(
        sky="f8b890 f8d8b8 f8f0e0",
        balloons=[(34, 40, 25, "d83c44", "f8e0a0"), (92, 74, 17, "385ca8", "e8f0f8"),
            (108, 22, 9, "48986c", "f8f0c8")],
        heaps=[(60, 118, 22, "ffffff")])),
    ("hills in fog", sky.fog, dict(
        air="142028 24343c 384c54",
        shapes=[(34, 14, 3, "b8ccd0"), (66, 16, 4, "94acb4"), (100, 10, 3, "d0dce0")], near="0c1418 060a0c",
        row=118)),
    ("valley of mist", sky.fog, dict(
        air="384878 7878a0 d8a8a8 f8d8b8",
        shapes=[(56, 20, 2, "3c3060"), (92, 12, 3, "58407c"), (112, 9, 4, "f8e8e0")], near="f8f0ec ffffff",
        row=122)),
]

PATTERN = [
    ("mosaic", pattern.tiles, dict(
        shape="squares", side=16, text="184858 287890 58b0b8 a8d8c8 f8f0d0 f8b868", line="f8f8f0",
        fall="in")),
    ("fish scales", pattern.tiles, dict(
        shape="scales", side=16, text="281848 503080 8858b0 d088c0 f8c8d0", line="180c30", fall="left")),
    ("target", pattern.rings, dict(
        centres=[(38, 44)], width=13, text="d83838 f8f0e0 283858 f8f0e0")),
    ("ripples", pattern.rings, dict(
        centres=[(20, 100), (96, 28), (84, 112)], width=6,
        text="0c3858 14587c 2c84a4 68b4c4 b8e0e0 68b4c4 2c84a4 14587c")),
    ("slanting stripes", pattern.stripes, dict(
        text="f8c838 f8f0d8 e86038 383048", turns=2, slant=2)),
    ("wavy stripes", pattern.stripes, dict(
        text="f0e8f8 b898d8 7850a8 401c70", turns=3, slant=0, wave=18, waves=3)),
    ("broken glass", pattern.glass, dict(
        count=40, text="0c2030 18506c 30909c 90d0b8 f8f4c8", lead="081018", width=2.0, fall="right")),
    ("circuit board", pattern.circuit, dict(
        board="0c3420 14482c 1c5c38", track="78c878", pads="e8c860", count=34,
        chips=[(22, 74, 40, 40, "14181c"), (84, 20, 26, 18, "20242c")])),
    ("maze", pattern.maze, dict(
        side=8, wall="f8d8a8 c86848 682840", floor="281430 281430", fall="up")),
    ("marble", pattern.grain, dict(
        kind="marble", text="203c38 487068 90b8a8 e8f4ec", fall="left", scale=3)),
    ("poster", pattern.blocks, dict(
        back="f4e8d0 f4e8d0",
        shapes=[("bar", 90, 64, 12, "f0b030"), ("disc", 34, 84, 32, "d84830"), ("box", 100, 26, 19, "284878"),
            ("ring", 52, 34, 20, "203030"), ("wedge", 96, 100, 22, "48988c")])),
    ("lights out of focus", pattern.bokeh, dict(
        back="10081c 201028", spots="f8a040 f05878 f8d868 8058d0", count=46, low=4, high=13,
        gather=(88, 90, 70))),
]
# fmt: on
