"""`assay check`: proves variations, with a line for each."""

from __future__ import annotations

import os
from dataclasses import asdict
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from assay.catalogue import OURS, axis_of, entries, env_entry, load, variations
from assay.cli.axes import require_env
from assay.cli.output import Progress, print_json, print_text
from assay.conduct.proving import reads_other_files, try_out
from assay.errors import AssayError, UnknownName
from assay.proof import inside, renewal
from assay.proof import own_proofs as own_code
from assay.proof.certificate import SHIPPED, Certificate, shipped_certificates, standing, to_json
from assay.proof.run import check_all, what_to_check

EXAMPLES = (
    "assay check gym/CartPole-v1+action.sticky gym/FrozenLake-v1+reward.sign",
    "assay check toy/discrete+delay",
    "assay check toy gym --dry-run",
)


def run(
    targets: Annotated[
        list[str],
        typer.Argument(
            help="Families (toy), envs (toy/discrete), axes (toy/discrete+delay), or variations of your own "
            "(mine:blink).",
        ),
    ],
    on: Annotated[str, typer.Option(help="The env on which mine:blink is checked.", show_default=False)] = "",
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Store each certificate in the package as soon as it is made; skip those that are current, "
            "and renew by tracing those whose programs are unchanged.",
        ),
    ] = False,
    anew: Annotated[bool, typer.Option("--anew", help="With --write: prove everything afresh.")] = False,
    unchanged: Annotated[
        bool,
        typer.Option(
            "--unchanged", help="With --write: renew what tracing alone can renew, and prove nothing."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be checked, and stop.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove that variations change what they declare and nothing else.

    Prints one line per env and axis. The exit code is 1 if a law fails.
    """
    own = [target for target in targets if is_own(target)]
    if on and not own:
        raise AssayError(
            "--on is for a variation of your own, such as mine:blink; else write toy/discrete+delay."
        )
    if write and own:
        raise AssayError(f"--write stores what comes with assay, and {own[0]} does not; drop --write.")
    if (anew or unchanged) and (not write or anew == unchanged):
        raise AssayError("--anew and --unchanged say how --write renews; give --write and one of them.")
    pairs = what_to_check(targets, on or None) + members_besides(targets)
    ours = {entry.name for entry in OURS.envs}
    foreign = [f"{env}+{name}" for env, name in pairs if env_entry(env).name not in ours or ":" in name]
    if write and foreign:
        raise AssayError(f"--write stores what comes with assay, and {foreign[0]} does not; drop --write.")
    for env in {env for env, _ in pairs}:
        require_env(env)
    pairs = without_missing_hosts(pairs, targets, write)
    if dry_run:
        return print_plan(not_yet_proved(pairs) if write and not anew else pairs, json)
    keep = remember_own
    if write:
        forget_what_is_gone({env for env, _ in pairs})
        if not anew:
            renew_by_tracing(pairs)
            pairs = not_yet_proved(pairs)
        if unchanged:
            return print_left(pairs, json)
        keep = store_with_programs
    progress = Progress()
    try:
        certificates = check_all(pairs, progress, keep)
    except AssayError:
        progress.close()
        blame_own([pair for pair in pairs if own_code.is_own(pair[1])])
        raise
    progress.close()
    if json:
        print_json([asdict(certificate) for certificate in certificates])
    else:
        print_certificates(certificates, progress.seconds)
    if not all(certificate.holds for certificate in certificates):
        raise typer.Exit(1)


def members_besides(targets: list[str]) -> list[tuple[str, str]]:
    """Of an open family, its members with variations of their own, beside those on which it is proved.

    What the latter have not, such as lives to lose, is proved on the first member that has it.
    """
    pairs: list[tuple[str, str]] = []
    for family in entries().families:
        if family.name not in targets or not family.own_members:
            continue
        proved = [name for entry in family.envs for name in entry.stand_ins]
        others = [env for env in load(family.own_members)() if env not in proved]
        known = set().union(*(names_of(env) for env in proved))
        left = sorted(set().union(*(names_of(entry.name) for entry in family.envs)) - known)
        pairs += [(env, name) for env in others for name in inside.own_axes(env)]
        pairs += [(next(env for env in others if name in names_of(env)), name) for name in left]
    return pairs


def names_of(env: str) -> set[str]:
    return {axis.name for axis in variations(env)}


def without_missing_hosts(
    pairs: list[tuple[str, str]], targets: list[str], write: bool
) -> list[tuple[str, str]]:
    """Of a family, what can be made here: an example may need a package that is not installed."""
    for env in dict.fromkeys(env for env, _ in pairs):
        entry = env_entry(env)
        if entry.native:
            continue
        try:
            load(entry.build)(env, {}).close()
        except UnknownName as error:
            if write or any(target.partition("+")[0] == env for target in targets):
                raise
            typer.echo(f"left out {env}: {error}", err=True)
            pairs = [pair for pair in pairs if pair[0] != env]
    return pairs


def print_left(pairs: list[tuple[str, str]], json: bool) -> None:
    """What tracing could not renew."""
    print_plan(pairs, json)
    if not json:
        print("left to prove: `assay check --write` proves them" if pairs else "nothing is left to prove")


def print_plan(pairs: list[tuple[str, str]], json: bool) -> None:
    names = [f"{env}+{axis}" for env, axis in pairs]
    if json:
        print_json(names)
    else:
        print("\n".join([*names, f"{len(names)} entries"]))


def is_own(target: str) -> bool:
    """Whether it is written module:attribute."""
    return ":" in target and "/" not in target


def env_of(certificate: Certificate) -> str:
    return certificate.task.split("+")[0]


def print_certificates(certificates: list[Certificate], seconds: float) -> None:
    for env, group in groupby(certificates, env_of):
        print_text(env, "bold")
        for certificate in group:
            print_text(line(certificate), "" if certificate.holds else "red", indent=2)
    away = sum("applies" in c.laws for c in certificates)
    fails = sum(not c.holds for c in certificates)
    entries = "1 entry" if len(certificates) == 1 else f"{len(certificates)} entries"
    hold = len(certificates) - away - fails
    counts = f"{hold} {'holds' if hold == 1 else 'hold'}, {away} {'does' if away == 1 else 'do'} not apply"
    print(f"{entries}: {counts}, {fails} {'fails' if fails == 1 else 'fail'} ({seconds:.0f} s)")


def line(certificate: Certificate) -> str:
    """The laws of one axis, in one line."""
    return certificate.laws["applies"].says if "applies" in certificate.laws else certificate.sentence()


def remember_own(certificate: Certificate) -> None:
    """Keeps the proof of a variation of the user's own, so that no exam checks it once more."""
    env = env_of(certificate)
    if own_code.is_own(certificate.axis) and not reads_other_files(env, certificate.axis):
        own_code.remember(env, certificate.axis, own_code.read_proof(certificate))


def blame_own(pairs: list[tuple[str, str]]) -> None:
    """Raises a sentence on the first variation of the user's own that raises when it acts."""
    for env, name in pairs:
        if says := try_out(env, name):
            raise AssayError(f"{name} on {env} raised {says}; mend that first.") from None


def not_yet_proved(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What has no certificate of this code, so that a renewal which was ended goes on where it was."""
    left = not_current(pairs)
    if len(left) < len(pairs):
        typer.echo(
            f"{len(pairs) - len(left)} of {len(pairs)} have certificates of this code already", err=True
        )
    return left


def not_current(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [pair for pair in pairs if standing(pair[0], axis_of(*pair)) in ("unproved", "fails")]


def renew_by_tracing(pairs: list[tuple[str, str]]) -> None:
    """Stores the certificates whose programs are those of this code, and says how many."""
    candidates = [pair for pair in pairs if renewal.may_be_renewed(*pair)]
    if not candidates:
        return
    progress, stale = Progress(), set(not_current(candidates))
    renewed: list[tuple[str, str]] = []
    for certificate in renewal.renewals(candidates, progress):
        store(certificate)
        renewed.append((env_of(certificate), certificate.axis))
    progress.close()
    anew = len(stale & set(renewed))
    typer.echo(
        f"{anew} of {len(stale)} renewed by tracing, for their programs are unchanged; "
        f"{len(renewed) - anew} given the digest of their programs ({progress.seconds:.0f} s)",
        err=True,
    )


def store_with_programs(certificate: Certificate) -> None:
    store(renewal.with_programs(certificate))


def forget_what_is_gone(envs: set[str]) -> None:
    """Removes the certificates of axes that these envs no longer have from the package."""
    known = {env: {axis.name for axis in variations(env)} for env in envs}
    left = {
        key: old
        for key, old in shipped_certificates().items()
        if key[0] not in known or key[1] in known[key[0]]
    }
    if len(left) < len(shipped_certificates()):
        write_down(left)


def store(certificate: Certificate) -> None:
    """Puts a certificate in place of the package's older one."""
    write_down(shipped_certificates() | {(env_of(certificate), certificate.axis): certificate})


def write_down(certificates: dict[tuple[str, str], Certificate]) -> None:
    path = Path(str(files("assay"))) / SHIPPED
    aside = path.with_suffix(".part")
    # Written aside and renamed, so that the file is whole for readers and after a kill.
    aside.write_text(to_json([certificates[key] for key in sorted(certificates)]))
    os.replace(aside, path)
    shipped_certificates.cache_clear()
