"""The scenes of land, woods and water: a name, what paints it, and how.

Within a kind the scenes differ in where the masses lie (horizon, left or right, top or bottom) and in which
of sky and ground is the lighter, because hue alone does not make two backgrounds different.
"""

from __future__ import annotations

from tools.art import land, water, woods

# fmt: off
LAND = [
    ("mountains noon", land.mountains, dict(
        sky="3a86d8 7ab8ee d4ecf8", far="8aa8c8 7890b4", floor=100, sun=(104, 20, 9, "fff4c0"),
        peaks=[(84, 44, 40, "9aa0ac", "6a7084", "ffffff"), (34, 22, 56, "b0b4bc", "767c90", "ffffff")],
        front="5c9a48 3f7a3a 2c5a30")),
    ("mountains dusk", land.mountains, dict(
        sky="2c1c50 7c3470 e06858 ffc070", far="6a3a6c 5a3060", floor=112, sun=(30, 78, 14, "ffe890"),
        peaks=[(98, 30, 50, "5a3060", "3c2048", ""), (60, 74, 34, "43264e", "2e1838", "")],
        front="241430 180c24")),
    ("mountains night", land.mountains, dict(
        sky="060a1c 0e1a3c 1c3460", far="1a2a50 142040", floor=114, sun=(16, 24, 13, "f0f0e0"), stars=70,
        peaks=[(70, 26, 46, "a8bce0", "3c5088", "f8fcff"), (114, 58, 26, "8ca4d0", "30447c", "f8fcff")],
        front="1c2c40 0c1828")),
    ("mountains above the snow", land.mountains, dict(
        sky="6ca8e0 a8d0f0 e8f4fc", far="a0b8d4 c0d0e4", floor=104,
        peaks=[(70, 60, 30, "8c9cb8", "5c6c8c", "f4f8ff"), (12, -22, 52, "4c5874", "2c3450", "e8f0fc")],
        front="ffffff e8f0f8 b8cce4")),
    ("hills in spring", land.hills, dict(
        sky="58b0f0 a8dcf8 e8f8ff", clouds=[(30, 30, 16, "ffffff"), (56, 16, 9, "ffffff")],
        layers=[(74, 8, 3, "a8d880 88c468"), (92, 10, 2, "7cc050 5ca440"), (112, 7, 3, "4c9438 387828")],
        trees=[(28, 96, 12), (12, 90, 9), (96, 116, 46)])),
    ("hills in autumn", land.hills, dict(
        sky="404868 6c7088 a09c9c", clouds=[(100, 34, 30, "30344c"), (60, 20, 22, "3c4058")],
        layers=[(56, 12, 2, "f8d070 e8a848"), (84, 14, 3, "e89038 c86428"), (114, 8, 2, "8c4018 582810")],
        trees=[(16, 80, 16), (44, 72, 12), (92, 112, 28)], wood=("c84820", "f09030", "402418"))),
    ("hills by moonlight", land.hills, dict(
        sky="1c2c58 243c70 345088", sun=(88, 36, 25, "f4f0d8"),
        layers=[(84, 14, 2, "34587c 284868"), (100, 10, 3, "1c3450 142840"), (118, 6, 3, "0a1628 060e1c")],
        trees=[(30, 112, 36), (58, 112, 16)], wood=("0a1a28", "16304a", "050a12"))),
    ("dunes at noon", land.dunes, dict(
        sky="4cb0e8 b8e4f4 f8f0d8", sun=(64, 14, 9, "fffce0"),
        layers=[(62, 9, 3, "f4d898 ecc880", "d0a058"), (84, 12, 2, "f0c878 e4b060", "c08c40"),
            (110, 9, 2, "e0a850 c88c40", "a06c30")],
        cactus=[(100, 112, 34, "3c7c3c")])),
    ("pyramids at sunset", land.dunes, dict(
        sky="502058 b84860 f8985c ffe0a0", sun=(20, 66, 15, "fff0b0"),
        pyramids=[(84, 14, 60, 96, "d88848", "582434"), (22, 70, 18, 96, "b0643c", "5c2834")],
        layers=[(94, 4, 3, "e8a868 c88050", "804838"), (112, 5, 2, "b87048 985838", "603028")])),
    ("desert night", land.dunes, dict(
        sky="080820 141840 283868", stars=90, sun=(104, 24, 12, "f0ecd0"),
        layers=[(44, 16, 2, "8a90b8 6c74a0", "2c3460"), (84, 16, 2, "a8acc8 8088b0", "343c68"),
            (116, 8, 2, "50588c 404878", "20284c")])),
    ("canyon mesas", land.canyon, dict(
        sky="3890d8 90ccf0 f0e8d0", row=98, strata="a04428 c86838 e89858 b85030", floor="d89058 b06838",
        mesas=[(24, 34, 26, 0.0), (92, 58, 18, 0.1), (118, 46, 8, 0.0)])),
    ("canyon gorge", land.canyon, dict(
        sky="f8f0c8 f8d8a0 f0b878", row=112, strata="5c2438 803844 a85448 702c3c", floor="48a8b8 3080a0",
        gap=(70, 15), mesas=[(20, 4, 52, 0.0), (108, 12, 46, 0.15)])),
    ("canyon at night", land.canyon, dict(
        sky="100c30 302058 704878", row=76, strata="281838 382048 4c2c58 301c40",
        floor="b87c78 805468 402c48", sun=(50, 22, 11, "f8e8d0"),
        mesas=[(100, 20, 30, 0.1), (6, 48, 14, 0.0)])),
    ("volcano", land.volcano, dict(
        sky="401820 8c2c20 e87830", x=52, top=42, half=54, rock="18101c 30202c 483038",
        lava="ff5010 ffa020 ffe860", smoke="281820 4c3438 705050", ground="1c1018 0c080c")),
    ("volcano over a lake of fire", land.volcano, dict(
        sky="c8c0b8 a89890 e8c090", x=100, top=58, half=46, rock="483c48 685860 887478",
        lava="d02808 ff7818 ffe048", smoke="504850 807478 b0a8a4", ground="2c2028 181018", lake=True,
        ash=-1.2)),
    ("ploughed fields", land.fields, dict(
        sky="6cb4e8 c8e4f4", row=52, vanish=24, count=40, furrows="6c4428 8c5c34 a87844",
        mill=(96, 56, 28, "f0e8dc", "fcfcf4"))),
    ("fields of lavender", land.fields, dict(
        sky="f8c890 f8e4c0", row=34, vanish=80, count=32, furrows="5c3890 8458c0 bc90e8",
        sun=(80, 26, 10, "fff4d0"), hedge="3c5040")),
    ("fields of wheat", land.fields, dict(
        sky="30508c 6c90c4 c4d8e8", row=86, vanish=64, count=30, furrows="d0a030 e8c050 f8e088",
        mill=(40, 92, 44, "884838", "e8d8c0"))),
    ("icebergs", land.ice, dict(
        sky="284070 4c70a0 80a0c0", row=92, water="2c5888 183c68 0c2444",
        bergs=[(112, 60, 22, "c8e0f0", "7ca4c8"), (52, 4, 44, "ffffff", "a4cce8")])),
    ("northern lights", land.ice, dict(
        sky="040c20 0c1c3c", row=96, water="183858 0c2038 061020", stars=60,
        lights=("40f0a0", "30c0d0", "a060e0"),
        bergs=[(20, 74, 26, "8cb4d0", "48709c"), (100, 84, 16, "7ca4c4", "406490")])),
    ("ice at sunrise", land.ice, dict(
        sky="f8a890 fcd8b8 fff4e0", row=58, water="f8d0b0 c890a0 605c94", sun=(84, 50, 17, "ffffff"),
        bergs=[(14, -16, 38, "8078a8", "484878"), (112, 36, 12, "b0a0c8", "7870a4")])),
    ("the moon", land.craters, dict(
        sky="000008 04040c", row=78, ground="d8d4d0 a8a4a4 787478",
        pits=[(20, 90, 5), (88, 98, 8), (44, 116, 10), (112, 120, 6)],
        globe=(84, 36, 29, "183c90 2870c8 e8f0ff 50a050"))),
    ("red planet", land.craters, dict(
        sky="e8a878 f8d0a8 fce8d0", row=98, ground="a84828 80301c 541c14", pits=[(96, 110, 6), (34, 118, 5)],
        stars=0, spires=[(92, 40, 20, "b86440"), (26, 8, 30, "8c3c24"), (62, 66, 14, "a04c2c")])),
    ("green world", land.craters, dict(
        sky="041c20 0c484c 30988c", row=104, ground="203040 101c28", pits=[(60, 114, 4)], stars=40,
        globe=(40, 46, 34, "285c58 58a888 b8f0c0 f0fff0"),
        spires=[(88, 12, 10, "0c2430"), (104, 50, 8, "0c2430"), (74, 66, 6, "0c2430")])),
    ("poppies", land.meadow, dict(
        sky="4888c8 88bce4", grass="1c5430 3c8040 88bc58", row=26,
        flowers=[(20, 54, 21), (74, 40, 16), (108, 84, 25), (54, 100, 18)], petals="f04838 f87860 e83830",
        small=60)),
    ("daisies at dusk", land.meadow, dict(
        sky="382860 a04c80 f09878", grass="28403c 182c2c 0c1c20", row=70,
        flowers=[(96, 44, 29), (36, 92, 26), (20, 36, 13), (70, 112, 13)], petals="fff8f0 f4e8ff", small=30)),
]

WOODS = [
    ("birch wood", woods.trunks, dict(
        back="d8e8c0 b8d898 98c480",
        layers=[((10, 34, 50, 84, 100), 4, "e0e0d8", "b8b8b0"), ((22, 66, 114), 10, "f8f8f0", "c8c8c0")],
        floor="5c8c40 3c6c30", row=106, marks="383430", canopy="78b048 a8d060 c8e888")),
    ("dark wood", woods.trunks, dict(
        back="1c3830 2c5848 60a080",
        layers=[((6, 24, 58, 72, 92, 120), 5, "204038", "183028"), ((40, 104), 16, "141c1c", "0c1212")],
        floor="101c18 080e0c", row=112, rays="d8f8c0")),
    ("red wood", woods.trunks, dict(
        back="f8e0b0 f0b878 d87848",
        layers=[((30, 48, 110), 7, "904830", "6c3024"), ((76,), 30, "a85030", "702c20"),
            ((6,), 18, "98482c", "642820")],
        floor="c85828 8c3420 581c18", row=96, canopy="c83820 e87830 f8b848")),
    ("winter wood", woods.trunks, dict(
        back="8898b0 b8c4d4 e8eef4",
        layers=[((14, 44, 60, 80, 118), 3, "707c90", "586478"), ((30, 96), 8, "4c5464", "343a48")],
        floor="ffffff dce8f4 b0c4dc", row=78)),
    ("pines in fog", woods.pines, dict(
        sky="c8d8dc e8f0f0", row=116, floor="203830 142420",
        ranks=[(9, 30, 78, 9, "a8c0c0", ""), (7, 34, 98, 12, "6c9090", ""), (4, 40, 120, 17, "2c5048", "")])),
    ("pines in the snow", woods.pines, dict(
        sky="a8b8cc ccd8e4 eef4f8", row=98, floor="f8fcff dce8f4 b0c8e0", snow=50,
        ranks=[(5, 52, 92, 9, "8ca8c0", "b8cce0"), (2, -6, 108, 26, "284c60", "7ca0b8")])),
    ("pines at dawn", woods.pines, dict(
        sky="f87858 fcb070 ffe8b0", row=120, floor="1c1c28 101018", sun=(90, 58, 20, "fff8d8"),
        ranks=[(8, 66, 100, 8, "b85c58", ""), (3, 30, 122, 22, "2c2434", "")])),
    ("jungle", woods.jungle, dict(
        back="d8f8c8 a8e8b0 60c090", frame="0c3420 1c5c30 388c44", near="186038 ", vein="58b050",
        gap=(56, 58, 40, 1.2), blossoms="f05878 f8d040")),
    ("jungle by night", woods.jungle, dict(
        back="102058 2c58a8 78b0e0", frame="06121c 0f2c30 1c4c40", near="08201a", vein="2c6c50",
        gap=(104, 44, 50, 0.9), vines=7)),
    ("giant mushrooms", woods.mushrooms, dict(
        back="281c58 4c3890 8c70c8", floor="1c3048 0c1828", row=112, spores="f8f0a0",
        stand=[(112, 40, 34, "5898d0", "c8f0ff", "a8b8d0"), (16, 72, 20, "b858b0", "f8d0f0", "c0a8c8"),
            (62, 14, 50, "e04848", "fff0e0", "f0e0c8")])),
    ("mushroom cavern", woods.mushrooms, dict(
        back="e8f0c0 b8d8a0 78b088", floor="8c6840 5c4028", row=100, rear="588c70",
        stand=[(70, 64, 18, "d8a040", "fff0b0", "f0e4d0"), (14, 26, 40, "805030", "d8a868", "e8d4b8"),
            (106, 70, 30, "c86030", "f8c890", "f0dcc0")])),
    ("bamboo", woods.bamboo, dict(
        back="e8f4c8 c8e8a8 a0cc80",
        canes=[((12, 30, 54, 70, 98, 118), 4, "98c468", "78a850"), ((40, 86), 9, "68a840", "48842c")],
        leaves="388030 58a040", joint="2c5c24")),
    ("bamboo at midnight", woods.bamboo, dict(
        back="0c2028 14383c 1c4c48",
        canes=[((24, 50, 94), 5, "285c54", "1c443f"), ((8, 72, 110), 11, "58a48c", "2c6c60")],
        leaves="184038 3c8070", joint="0c2420", lean=0.22, moon=(40, 34, 18, "e8f8e0"))),
    ("swamp", woods.swamp, dict(
        sky="506848 90a470 d0d090", water="607850 38503c 1c3028", row=80,
        dead=[(28, 86, 7, "283428"), (98, 62, 5, "344034")], mist="d8e0b0", reeds=10)),
    ("drowned forest", woods.swamp, dict(
        sky="281c38 583c60 a07080", water="805870 3c2c50 180f28", row=58,
        dead=[(84, 76, 11, "140c1c"), (112, 50, 5, "1c1024"), (64, 56, 5, "1c1024")], mist="c090a0",
        moon=(26, 26, 19, "f8e0c8"))),
]

WATER = [
    ("calm sea", water.sea, dict(
        sky="1868c8 3898e8 70c0f4", water="58c0e0 2880c8 104880", row=76, foam="e8f8ff",
        clouds=[(104, 28, 18, "ffffff")], boat=(52, 92, 52, "a03c30", "ffffff"))),
    ("storm at sea", water.sea, dict(
        sky="404858 687484 9ca4a8", water="4c6c7c 2c4858 1c3444 385868", row=46, foam="f0f8f8", swell=8.0,
        boat=(40, 76, 20, "4c2c20", "d8d0c0"))),
    ("sunset at sea", water.sea, dict(
        sky="702c68 d84c60 f08850", water="c85850 70304c 341c40", row=84, foam="ffb878",
        sun=(64, 72, 34, "fff0a8"), glitter="ffe8a0")),
    ("moon over the sea", water.sea, dict(
        sky="040818 0c1838 182c58", water="142848 0c1a34 060e20", row=104, foam="6c88b8",
        sun=(28, 34, 20, "f4f4e4"), glitter="d8e0f0", stars=70)),
    ("reef", water.underwater, dict(
        water="58d0e8 2898d0 1868a8", bed="f0dca0 d0b070", row=104, rays="d8f8ff",
        shoal=[(30, 40, 8, "f8a030"), (48, 52, 7, "f8d040"), (96, 30, 9, "f05858")],
        corals=[(20, 26, "f06080"), (64, 18, "f8a048"), (104, 32, "b050c8")], bubbles=14)),
    ("kelp", water.underwater, dict(
        water="389888 48a890 68c0a0", bed="e8e0a8 c0b880", row=102, rays="f0ffd8",
        rocks=[(20, 70, 16, "1c4c48")],
        weeds=[(4, 10, "2c5424"), (14, 0, "1c4420"), (26, 24, "2c5424"), (36, 4, "1c4420"),
            (48, 44, "2c5424"), (110, 50, "1c4420")],
        shoal=[(76, 34, 11, "f8f0e0"), (92, 52, 9, "f8f0e0")])),
    ("deep sea", water.underwater, dict(
        water="081830 040c20 020610", bed="0c1828 060c18", row=112,
        jellies=[(36, 34, 15, "f088d8"), (92, 66, 11, "78c8f8"), (64, 12, 6, "b8a0f8")], bubbles=20)),
    ("sunken rocks", water.underwater, dict(
        water="184878 3078a8 60a8c8", bed="c8e0d8 90b8b8", row=94,
        rocks=[(104, 8, 30, "103048"), (16, 52, 18, "184058")],
        shoal=[(50, 30, 13, "f8c850"), (64, 66, 9, "f07848"), (44, 80, 7, "f07848")],
        weeds=[(74, 60, "185848")])),
    ("palm beach", water.beach, dict(
        sky="30a8f0 98dcf8 e8f8ff", water="38c8d8 1898c8", sand="f8e8b8 e8cc90", row=58, shore=88,
        palms=[(100, 116, 76, -22)], shade=(38, 116, 34))),
    ("evening beach", water.beach, dict(
        sky="482068 c84c78 f8a068", water="f08868 904870", sand="70405c 482844", row=84, shore=104,
        sun=(94, 76, 14, "fff0b8"), palms=[(8, 124, 96, 26), (30, 122, 70, 20)], leaves="281430 381c3c",
        trunk="241028")),
    ("island far off", water.beach, dict(
        sky="f8f4d8 c8ecf0 78d0e8", water="0c6898 30b8c8 a8f0e0", sand="fffcf0 f4e4c4", row=34, shore=110,
        isle=(64, 44, 20, "3c7848"))),
    ("waterfall", water.waterfall, dict(
        sky="a8dcf8 e8f8ff", rock="28343c 48545c 6c7880", falls=[(60, 17)], pool="3888b0 185880", top=30,
        foot=106, moss="488c40")),
    ("twin falls", water.waterfall, dict(
        sky="f8d0a0 f8ecd0", rock="703c28 985838 c08050", falls=[(16, 9), (100, 12)], pool="68c0c0 308898",
        top=12, foot=92, moss="b89040")),
    ("harbour", water.harbour, dict(
        sky="88b0d0 b8d4e4 f0f0e8", water="6890a8 406888", row=96, quay="606c78",
        cranes=[(14, 76, 30, "d87828"), (112, 58, -22, "c83c30")],
        ships=[(64, 108, 50, "283048", "e8e8e0")])),
    ("docks by night", water.harbour, dict(
        sky="0c1428 1c2c48 44506c", water="14243c 0a1424", row=62, quay="0c1018", lamps=True,
        crates=[(4, 92, 34, 36, "a84830"), (4, 74, 24, 18, "386890"), (40, 104, 30, 24, "c89838"),
            (96, 98, 32, 30, "48785c"), (104, 80, 24, 18, "a84830")],
        ships=[(72, 72, 20, "482830", "888c98")])),
]
# fmt: on
