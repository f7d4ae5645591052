"""Parts of the page of KAGE-Bench's results (docs/results/kage.md), which `kage_tables.py` writes."""
