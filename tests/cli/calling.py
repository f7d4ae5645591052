"""What the tests of the verbs share: an agent of one's own, a suite, and ways to call the commands."""

import hashlib
import json
import sqlite3

from typer.testing import CliRunner

from assay.cli.main import app

CARTPOLE = "gym/CartPole-v1"
MINE = """
import numpy as np


def act(observation):
    return int(observation[2] + 0.3 * observation[3] > 0)


def raises(observation):
    return act(observation) + {}["nothing"]


def not_a_number(observation):
    return float("nan")


def wrong_shape(observation):
    return np.zeros(3)


def afraid_of_the_dark(observation):
    if not observation.any():
        raise RuntimeError("it is dark")
    return act(observation)


def train(env, seed):
    return act


def train_badly(env, seed):
    raise RuntimeError("nan loss")


def train_nothing(env, seed):
    pass


class Dice:
    def reset(self, seed):
        self.rng = np.random.default_rng(seed)

    def act(self, observation):
        return int(self.rng.integers(2)) if self.rng.random() < 0.2 else act(observation)


def talks(observation):
    print("an agent speaks")
    return act(observation)
"""
SUITE = """
pairs: [{train: toy/discrete, evaluate: toy/discrete+delay=1}, toy/discrete+delay=2]
seeds: 3
episodes: 4
"""


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def works(*words):
    done = run(*words)
    assert done.exit_code == 0, done.stderr or repr(done.exception)
    return done.stdout


def one_sentence(done):
    """What a command says that ends with exit code 2; progress may stand above it."""
    assert done.exit_code == 2, repr(done.exception)
    assert done.stderr.count("assay: ") == 1 and "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("assay: ")
    return last.removeprefix("assay: ")


def examine(*words):
    return run("examine", *words, "--workers", 1)


def contents(place):
    """Every file but locks and what SQLite keeps beside its file."""
    files = [path for path in sorted(place.rglob("*")) if path.is_file() and "locks" not in path.parts]
    return {str(path): path.read_bytes() for path in files if not path.name.endswith(("-wal", "-shm"))}


def digest(*pieces):
    found = hashlib.blake2b(digest_size=16)
    for piece in pieces:
        found.update(piece if isinstance(piece, bytes) else piece.encode())
    return found.hexdigest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def written(document):
    """A JSON file of a run with the seal that docs/records.md gives it."""
    plain = {name: value for name, value in document.items() if name != "seal"}
    return json.dumps(plain | {"seal": digest(canonical(plain))}, indent=2) + "\n"


def change(folder, *statements):
    """Careless edits: SQL on the ledger, and no digest made anew."""
    ledger = sqlite3.connect(folder / "ledger.sqlite")
    for statement in statements:
        assert ledger.execute(statement).rowcount, statement
    ledger.commit()
    ledger.close()


def without_reports(folder):
    """The list of reports emptied in the seal, and the seal's own digest made anew."""
    seal = json.loads((folder / "seal.json").read_text())
    (folder / "seal.json").write_text(written(seal | {"reports": {}}))


def forge(folder):
    """Every digest made anew, by the words of docs/records.md alone: what a forger would do after an edit."""
    plan = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(written(plan))
    ledger = sqlite3.connect(folder / "ledger.sqlite")
    for (job,) in ledger.execute("SELECT id FROM job WHERE status = 'done'").fetchall():
        rows = ledger.execute("SELECT * FROM episode WHERE job = ? ORDER BY rowid", (job,)).fetchall()
        (earlier,) = ledger.execute("SELECT digest FROM job WHERE id = ?", (job,)).fetchone()
        new = digest(job, *("\n" + canonical(row) for row in rows))
        ledger.execute(
            "UPDATE job SET digest = ? WHERE id = ?", ("-".join([new, *earlier.split("-")[1:]]), job)
        )
    digests = {"run.json": digest((folder / "run.json").read_bytes())}
    shape = ledger.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()
    numbers = [ledger.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "application_id")]
    digests["schema"] = digest(canonical([shape, numbers]))
    for table in ("job", "reference", "attempt", "decision"):
        for number, *row, _ in ledger.execute(f"SELECT rowid, * FROM {table}").fetchall():
            while table == "job" and row[-1] is None:  # columns that were added later
                row.pop()
            seal = digest(table, "\n", canonical(row))
            ledger.execute(f"UPDATE {table} SET seal = ? WHERE rowid = ?", (seal, number))
        rows = ledger.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
        digests[table] = digest(*(canonical(row) + "\n" for row in rows))
    ledger.commit()
    ledger.close()
    seal = json.loads((folder / "seal.json").read_text())
    for name, report in seal["reports"].items():
        report["digest"] = digest((folder / name).read_bytes())
    seal |= {"digests": digests, "fingerprint": digest(canonical(digests))}
    (folder / "seal.json").write_text(written(seal))
