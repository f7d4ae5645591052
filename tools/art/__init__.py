"""How the platformer's pictures are made; none of this is in the package, only what `make` writes is.

- `make` paints everything and writes the atlases into src/assay/envs/platformer/art.
- `canvas` holds the brushes; `land`, `woods`, `water`, `town`, `inside`, `sky` and `pattern` paint kinds of
  scene; `scenes_nature`, `scenes_made` and `scenes_other` are the tables of the 128; `choose` picks takes.
- `sprite` turns drawings into frames; `people`, `monsters` and `animals` are the 27 drawings.
- `contact` makes enlarged sheets to look at.
"""
