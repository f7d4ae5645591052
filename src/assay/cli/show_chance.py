"""The chance of a task in `assay show`: a few lines where there is something to say."""

from __future__ import annotations

from assay.chance.bounds import BestReturn
from assay.chance.of_task import KNOWN, MODEL, QUICK, Chance, Concept, chance
from assay.chance.task_channel import ActionBits
from assay.chance.toy_models import NO_MODEL
from assay.cli.output import print_table, print_text
from assay.task_text import TaskText


def print_chance(task: TaskText) -> None:
    """Bits and optima, in the time of a glance; nothing for a task that is certain and hides nothing."""
    rows = chance_rows(quick_chance(task))
    if not rows:
        return
    print()
    print_text("chance", "bold")
    print_table(("", ""), rows, wraps={1: None})


def quick_chance(task: TaskText) -> Chance:
    """What can be said of a task's chance in about a second."""
    return chance(task, spend=QUICK)


def chance_rows(found: Chance) -> list[tuple[str, str]]:
    why = [
        note.removeprefix(MODEL) for note in found.notes if note.startswith(MODEL) and NO_MODEL not in note
    ]
    rows = [("world", each) for each in why]
    if found.is_certain:
        return rows
    for concept in found.concepts:
        rows.append((f"from {concept.begins}", f"{' and '.join(concept.on)} on"))
        rows += [(f"  {name}", says) for name, says in bits_rows(concept, "from what was before")]
    rows += bits_rows(found, "from off to on")
    if found.best:
        agents = (
            ("blind", found.best.blind),
            ("over beliefs", found.best.beliefs),
            ("seeing", found.best.seeing),
        )
        rows.append(("best return", ", ".join(f"{name} {tell_best(best)}" for name, best in agents)))
    scheduled = [note for note in found.notes if "schedule" in note]
    return [*rows, *(("", note) for note in scheduled if rows)]


def bits_rows(found: Chance | Concept, which: str) -> list[tuple[str, str]]:
    """What is left of actions, of the world and of what is seen, and how far concepts are apart."""
    rows = []
    if found.action and tell_action(found.action):
        rows.append(("action", tell_action(found.action)))
    if found.world and found.world.next_state > KNOWN:
        rows.append(
            ("next state", f"{found.world.next_state:.3f} bits left to chance in random play, H(S'|S,A)")
        )
    if found.world and found.world.hidden > KNOWN:
        seen = f"{found.world.share_seen:.0%} of the state's bits are seen"
        rows.append(("state", f"{found.world.hidden:.3f} bits hidden in random play, H(S|O); {seen}"))
    if found.drift:
        distance = f"total variation {found.drift.total_variation:.3f}"
        rows.append(("drift", f"{distance}, Jensen-Shannon {found.drift.js:.3f} bits, {which}"))
    return rows


def tell_action(action: ActionBits) -> str:
    """What the channel of actions lets through; "" where it is all, at once."""
    said = []
    if action.bits < action.most - KNOWN:
        said.append(f"{action.bits:.3f} of {action.most:.3f} bits a {action.per} reach the env at most")
    if action.late:
        said.append(f"choices come {action.late} steps late")
    if action.held > 1:
        said.append(f"one choice in {action.held} counts")
    return "; ".join(said)


def tell_best(best: BestReturn) -> str:
    """An exact number, or the bounds between which it lies."""
    if best.value is None and best.low is None:
        bound = "" if best.high is None else f"at most {best.high:.2f}"
        return bound or "unknown (it takes longer than this command may)"
    return f"{best.value:.2f}" if best.value is not None else f"{best.low:.2f} to {best.high:.2f}"
