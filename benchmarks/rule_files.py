"""Which rule files of a collection load and are written back equal, and which does strict reading refuse?

    python benchmarks/rule_files.py RULES.jsonl

The collection has one JSON object with `file` and `rule` on each line. The exit status is 1 where a file does
not load leniently or is not written back equal.
"""

import json
import sys
from pathlib import Path

from assay.envs.rules.language.errors import RuleError
from assay.envs.rules.language.parse import parse, read
from assay.envs.rules.language.write import write


def look_through(rows: list[dict[str, str]]) -> int:
    broken, refused = [], []
    for row in rows:
        try:
            rule, faults = read(row["rule"], source=row["file"])
        except RuleError as error:
            broken.append(str(error))
            continue
        if parse(write(rule), strict=False) != rule:
            broken.append(f"{row['file']} is not written back equal.")
        if faults:
            refused.append(str(RuleError(faults[0].says, faults[0].at, row["file"])))
    print(f"{len(rows)} files: {len(rows) - len(broken)} load and are written back equal")
    for each in broken:
        print(f"  {each}")
    print(f"strict reading refuses {len(refused)}:")
    for each in refused:
        print(f"  {each}")
    return 1 if broken else 0


if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    sys.exit(look_through([json.loads(line) for line in lines]))
