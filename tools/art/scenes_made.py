"""The scenes of towns and interiors."""

from __future__ import annotations

from tools.art import inside, town

# fmt: off
TOWN = [
    ("city by day", town.skyline, dict(
        sky="58a8e8 b8e0f8 f0f8ff",
        ranks=[(16, 46, 84, "a8bcd0", "", "", 0), (20, 60, 104, "7890ac", "c8e0f0", "50688c", 0.5)],
        street="484c58", shape=[0, 0, -30, -40, 0, 10, 20, 10])),
    ("city by night", town.skyline, dict(
        sky="080818 181838 403068",
        ranks=[(14, 30, 70, "1c1c40", "", "", 0), (22, 50, 90, "101028", "f8d868", "20203c", 0.45)], stars=40,
        shape=[-10, -20, 0, 20, 30, 10, -20, -30])),
    ("city at dusk", town.skyline, dict(
        sky="4c2868 a84878 f08868 ffd898",
        ranks=[(12, 60, 90, "a04c70", "", "", 0), (18, 84, 108, "381c40", "ffc860", "28122f", 0.4)],
        sun=(36, 74, 18, "fff8d8"), shape=[20, 20, 20, 10, -20, -64, -74, -30])),
    ("towers close by", town.skyline, dict(
        sky="e0e8ec f4f4f0",
        ranks=[(14, 0, 50, "b8c4c8", "", "", 0), (42, -40, 10, "5c6c7c", "d8e8f0", "3c4858", 0.35)],
        shape=[90, 0, 0, 100, 100, 20, 0, 60])),
    ("street of shops", town.street, dict(
        sky="78c0f0 c8e8f8",
        fronts=[(40, 36, "d87058", "503020", "c83838"), (48, 20, "f0d890", "286048", ""),
            (40, 44, "78a8c8", "602838", "2c7c58")],
        pave="8c8888", roof="704038", lit="f8f0b0")),
    ("street in winter", town.street, dict(
        sky="283858 506888 98a8c0",
        fronts=[(32, 58, "704c3c", "301c14", ""), (32, 42, "84604c", "28304c", ""),
            (64, 66, "603c34", "40201c", "")],
        pave="e8f0f8", roof="3c2c34", lit="ffd870", snow=True)),
    ("white street", town.street, dict(
        sky="1870d0 4c9ce8",
        fronts=[(64, 30, "fcfcf8", "2860b0", ""), (24, 52, "f0f0ec", "2860b0", ""),
            (40, 12, "f8f4ec", "2860b0", "")],
        pave="d8c8a8", roof="2c68b8", lit="506890", shut="3878c8")),
    ("village", town.village, dict(
        sky="68b8f0 d0ecf8",
        slopes=[(66, 12, 2, "90b878 70a060"), (84, 8, 3, "70a850 588c40"), (106, 7, 2, "508c38 386c28")],
        houses=[(94, 98, 20, "f4e8d0", "b84838", "486078"), (28, 116, 50, "f4ecd8", "8c3c30", "486078"),
            (116, 108, 22, "f0f0e0", "c85840", "486078")],
        church=(76, 84, 24))),
    ("village on a winter night", town.village, dict(
        sky="0c1430 1c2c58 38508c", stars=50, snow=40, sun=(104, 24, 15, "fff8e0"),
        slopes=[(74, 40, 2, "c8d4ec 90a4cc 6c80b0"), (112, 8, 2, "7088b8 384c80")],
        houses=[(72, 82, 18, "403038", "e8f0fc", "ffd860"), (100, 104, 20, "483840", "e8f0fc", "ffd860"),
            (30, 116, 34, "503c3c", "f4f8ff", "ffd860")])),
    ("huts on the slope", town.village, dict(
        sky="382848 704460 b86c68", sun=(16, 26, 13, "ffe8c0"),
        slopes=[(70, 34, 2, "f0c880 d8a860"), (116, 4, 3, "a87840 805830")],
        houses=[(64, 118, 34, "b88048", "604020", "382818"), (104, 92, 18, "b07840", "584020", "382818"),
            (84, 66, 11, "a87038", "584020", "382818")])),
    ("factory", town.factory, dict(
        sky="b8a898 d8c8b0 e8dcc8",
        stacks=[(30, 24, 10, "8c4c3c"), (54, 36, 9, "98584a"), (100, 48, 8, "804438")],
        halls=[(0, 78, 70, "70483c"), (74, 90, 54, "5c3c38")], smoke="585058 706868 888080", ground="403838",
        lit="f8d070")),
    ("factory by night", town.factory, dict(
        sky="0c1420 1c3038 385048", stacks=[(96, 10, 14, "28343c"), (72, 40, 8, "2c3840")],
        halls=[(8, 66, 50, "1c262c"), (58, 96, 70, "141c20")], smoke="c8d8b0 a0b890 88a080", ground="0c1014",
        lit="b8f068", wind=-0.9)),
    ("castle", town.castle, dict(
        sky="78b8f0 d8f0fc", hill="58984c 3c7438", row=88, wall="c8c4bc", shade="8c8890", roof="3860a8",
        lit="303848", towers=[(20, 54, 8, True), (64, 30, 11, True), (106, 62, 8, True)])),
    ("haunted castle", town.castle, dict(
        sky="180c28 4c2458 a04868", hill="140c1c 08060c", row=74, wall="281c34", shade="180f20",
        roof="100818", lit="f8c848", stars=30, sun=(36, 30, 20, "f8e8c0"),
        towers=[(52, 50, 5, True), (84, 16, 9, True), (116, 40, 7, False)])),
    ("castle in the sand", town.castle, dict(
        sky="f8f0d8 f8dca8", hill="e8b868 c89048", row=104, wall="b87840", shade="8c5428", roof="d8504c",
        lit="482818",
        towers=[(8, 26, 14, False), (44, 70, 8, False), (60, 70, 8, False), (96, 44, 11, False)])),
    ("viaduct", town.viaduct, dict(
        sky="90c8e8 e0f0f4", far="88a880 688c68", deck=44, span=64, stone="70584c 8c7464 a89080",
        shade="584438", foot="58843c 3c6428", train="a83838 c89048")),
    ("aqueduct", town.viaduct, dict(
        sky="f0a060 f8d090 fff0c8", far="a86848 884c3c", deck=20, span=32, stone="c8a078 d8b890 e8d0b0",
        shade="886048", foot="a89050 786438", tiers=3)),
    ("fair", town.fair, dict(
        sky="58b8f0 b8e8fc", ground="70a850", wheel=(92, 58, 40, "e8f0f8"),
        tents=[(30, 62, 27, "e83c3c", "fcfcf4")], bulbs="f04848 f8c838 48b868 4888e8", flags=True)),
    ("fair by night", town.fair, dict(
        sky="582868 301c50 100c28", ground="180f24", wheel=(40, 62, 46, "e070e8"),
        bulbs="f8f088 78f0f8 f888c8", stars=40, tents=[(104, 66, 26, "8c3cb0", "f0c8f8")])),
    ("fireworks", town.fair, dict(
        sky="04081c 101840 283060", ground="0c0c18",
        fireworks=[(90, 28, 26, "f8d850"), (34, 46, 32, "f05878"), (74, 78, 18, "58d8f8")], bulbs="ffffff",
        tents=[(16, 96, 14, "28204c", "382c64"), (112, 100, 16, "28204c", "382c64")])),
    ("temple ruins", town.ruins, dict(
        sky="4ca0e0 a8d8f4", pillars=[(14, 40, 11), (40, 40, 11), (66, 58, 11), (106, 82, 11)],
        stone="e8e0d0", shade="b0a898", ground="a8a058 788040", row=98, beam=(4, 30, 52),
        clouds=[(96, 40, 15, "ffffff")])),
    ("ruins in the jungle", town.ruins, dict(
        sky="d0f0b8 88c890 407858", pillars=[(100, 6, 20), (60, 66, 16), (22, 30, 16)], stone="707868",
        shade="485048", ground="2c4830 182c20", row=106, ivy="38803c")),
    ("ruins by starlight", town.ruins, dict(
        sky="0c0c2c 282050 604070", pillars=[(44, 34, 13), (92, 34, 13), (8, 76, 13)], stone="504870",
        shade="302848", ground="403858 201c30", row=92, beam=(34, 24, 70), stars=70,
        sun=(68, 66, 30, "f8f0d8"))),
]

INSIDE = [
    ("living room", inside.room, dict(
        wall="e8d0a8", paper="d8b888", pattern="stripes", floor="8c5830", skirting="a03c3c",
        panes=[(76, 26, 36, 40)], view="68b8f0 d8f0ff", frames=[(16, 30, 22, 18, "88c0e0")],
        sofa=(8, "487858"))),
    ("bedroom at night", inside.room, dict(
        wall="283058", paper="38447c", pattern="dots", floor="181c34", skirting="4c3868",
        panes=[(20, 16, 40, 54)], view="0c1030 4c68a8", lamp=(98, 30, "ffd878"),
        frames=[(80, 64, 14, 18, "7860a0")])),
    ("log cabin", inside.room, dict(
        wall="8c5c34", paper="5c3820", pattern="planks", floor="402818", skirting="382010",
        panes=[(18, 24, 34, 38)], view="a8d0f0 f0f8ff", lamp=(98, 22, "ffe8a0"), sofa=(70, "a8403c"),
        dado=0)),
    ("library", inside.library, dict(
        wood="8c5830", shade="2c180f", books="a83030 286048 284888 c8983c 703870 d8c8a0", shelf=26,
        candle=[(100, 34)], gaps=[(88, 24, 26, 26)])),
    ("library passage", inside.library, dict(
        wood="5c3824", shade="1c1014", books="584030 6c3428 3c4838 40384c", shelf=18,
        arch=(36, 24, 26, "f8e8b8 f8f4e0 e8c888"))),
    ("palace hall", inside.hall, dict(
        wall="e8dcc8 f4ecdc", columns=(11, "fcf8f0"), shade="d0c0a8", span=64, spring=58,
        view="58a8e8 c8e8f8", floor="d8c8b0 a08870", carpet="b02c38")),
    ("cathedral", inside.hall, dict(
        wall="282430 383440", columns=(9, "484454"), shade="302c3c", span=32, spring=48, view="ffffff",
        glass="d83c3c 3860c8 f0c040 40a868 8c48b8 50b8d8", floor="1c1820 302a38")),
    ("throne hall", inside.hall, dict(
        wall="503848 604858", columns=(13, "b08858"), shade="886440", span=128, spring=62,
        view="1c1428 40304c", floor="382830 584048", banners="b83040", throne="e8b840")),
    ("dungeon", inside.dungeon, dict(
        bricks="24222c 44424e 5c5a66 74727c", high=12, torches=[(28, 44), (100, 44)], chains=[(64, 8)])),
    ("cell", inside.dungeon, dict(
        bricks="6c645c 9c9488 b4ac9c c8c0b0", high=16, bars=(70, 22, 40, 44, "3870b8 b8e0f8"),
        chains=[(24, 0), (40, 0)], slime="48783c")),
    ("dungeon gate", inside.dungeon, dict(
        bricks="38201c 603830 78483c 8c5848", high=8, door=(64, 40, 28), torches=[(20, 70)])),
    ("cave mouth", inside.cave, dict(
        rock="18141c 342c34 50464c", void="f8fcff c8e8f8 80c0e8 58a0d0", mouth=(76, 58, 36, 1.3),
        spikes=[(20, 40, 8, True), (44, 26, 6, True), (112, 34, 7, True), (30, 26, 9, False)])),
    ("crystal cave", inside.cave, dict(
        rock="1c1030 342050 503474", void="0c0618 180c28 28143c", mouth=(64, 44, 50, 1.5),
        spikes=[(8, 50, 9, True), (96, 36, 8, True)],
        gems=[(24, 104, 24, "d060f0"), (60, 112, 16, "60a8f8"), (104, 98, 30, "58f0d8")])),
    ("lava cave", inside.cave, dict(
        rock="200c0c 481c14 6c2c1c", void="180808 401008 a02c08", mouth=(40, 74, 44, 1.1),
        spikes=[(12, 56, 8, True), (40, 36, 7, True), (66, 66, 10, True), (100, 44, 8, False)],
        pool="fff080 ffa820 e04808", edge="e86020")),
    ("ice cave", inside.cave, dict(
        rock="6cb0d8 98d0ec d0f0fc", void="082848 104878 2880b0", mouth=(24, 64, 44, 0.9),
        spikes=[(60, 60, 9, True), (84, 84, 10, True), (110, 54, 8, True), (72, 40, 12, False)],
        pool="1c5888 0c3460")),
    ("clockwork", inside.works, dict(
        wall="402c20 5c4430 785c40",
        gears=[(36, 40, 30, 14, "c89840", "6c4c20"), (88, 70, 36, 16, "a87030", "503418"),
            (112, 18, 16, 10, "d8b868", "7c5c28"), (20, 100, 18, 10, "b88038", "5c3c1c")])),
    ("boiler room", inside.works, dict(
        wall="485860 5c6c74 70828a",
        pipes=[(20, -8, 20, 60, 12, "e8a070", "a85830"), (20, 60, 80, 60, 12, "e8a070", "a85830"),
            (80, 60, 80, 140, 12, "e8a070", "a85830"), (108, -8, 108, 140, 18, "a8c8c8", "54787c"),
            (50, -8, 50, 30, 8, "90c070", "4c7840")],
        steam=[(48, 44, 12)], dials=[(44, 88, 11), (50, 100, 4)])),
    ("pipes", inside.works, dict(
        wall="d8dcd0 c4ccc0 b0b8b0",
        pipes=[(-10, 24, 50, 24, 16, "78c868", "307838"), (50, 24, 50, 90, 16, "78c868", "307838"),
            (50, 90, 110, 90, 16, "78c868", "307838"), (110, 90, 110, 24, 16, "78c868", "307838"),
            (110, 24, 118, 24, 16, "78c868", "307838"), (84, -8, 84, 60, 8, "f0b848", "a87020")],
        dials=[(20, 66, 12)], floor="687070")),
    ("ship's bridge", inside.deck, dict(
        wall="384458 505e74", panel="707e94", port=(64, 50, 34, 1.4), space="04041c 181048 502878 c86088",
        lights="58f0a8 f8d058 f05858", strip="a8e8f8")),
    ("computers", inside.deck, dict(
        wall="e8ecf0 c8d0d8", panel="303844", space="000000", lights="48f078 48c8f8 f8a838",
        racks=[(6, 28), (40, 28)], screens=[(80, 30, 40, 26, "48f0a0"), (84, 72, 32, 20, "f8b048")])),
]
# fmt: on
