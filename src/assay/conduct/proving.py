"""The proof of every axis that a plan asks about, put into the plan before any work is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from assay.catalogue import axis_of
from assay.errors import AssayError
from assay.plans.plan import ExamPlan, Plan
from assay.task_text import Setting, TaskText, parse

ENDED = "a check ended early"  # how the words on a check begin whose process raised
STEPS = 100  # in which a variation that raises should do so

P = TypeVar("P", bound=Plan)


def with_proofs(plan: P, tell: Callable[[str], None], unproved: bool = False, refuses: bool = True) -> P:
    """The plan with the standing of its axes, and of variations of the user's own that its tasks contain.

    One of the user's own that breaks a law is refused, unless `unproved` lets it pass, marked.
    """
    from assay.proof.own_proofs import FAILED, is_own, proof_of

    proofs = {
        (env, name): proof_of(env, name, tell, keeps=not (is_own(name) and reads_beside(env, name)))
        for env, name in asked_about(plan)
    }
    for (env, name), proof in proofs.items():
        if refuses and is_own(name) and proof.word == FAILED and not unproved:
            if proof.says.startswith(ENDED) and (says := try_out(env, name)):
                raise AssayError(f"{name} on {env} raised {says}; mend that first.")
            raise AssayError(
                f"{name} breaks a law on {env} ({proof.says}), and a verdict on it would mean nothing; "
                f"`assay check {name} --on {env}` says more, and --unproved goes on without proof."
            )
        if proof.says:
            tell(f"{name} on {env} {proof.word}: {proof.says}")
    words = {name: proof.word for (_, name), proof in proofs.items()}
    made = replace(plan, proofs={name: word for name, word in words.items() if is_own(name)})
    if isinstance(made, ExamPlan):
        return replace(made, questions=tuple(replace(q, proof=words[q.axis]) for q in made.questions))
    return made


def asked_about(plan: Plan) -> list[tuple[str, str]]:
    """(env, axis) of every question, and of the user's own variations in the plan's tasks; each once."""
    from assay.proof.own_proofs import is_own

    tasks = [parse(text) for text in plan.tasks]
    asked = plan.questions if isinstance(plan, ExamPlan) else ()
    pairs = [(tasks[0].env, each.axis) for each in asked]
    pairs += [(task.env, setting.name) for task in tasks for setting in task.settings if is_own(setting.name)]
    return list(dict.fromkeys(pairs))


def reads_beside(env: str, name: str) -> bool:
    """Whether a variation of the user's own reads files, while it loads or acts, that are not its code."""
    from assay.interop.watching import files_read, watching
    from assay.plans.sources import load_own
    from assay.proof.own_proofs import own_files

    module = name.rpartition(":")[0]
    if module.endswith((".yaml", ".yml")):
        return False  # rules read nothing but the game's memory
    before = load_own(module)
    with watching() as seen:
        try_out(env, name)
    code = {path.resolve() for path in own_files(name)}
    return any(path.resolve() not in code for path in files_read(before | seen))


def try_out(env: str, name: str) -> str:
    """What a variation raises when it acts, and on which line of the user's own; "" where it does not."""
    from assay.interop.agents import FAILURES, blame
    from assay.interop.gymnasium import make

    try:
        task = make(str(TaskText(env, (Setting(name, axis_of(env, name).levels[-1]),))))
        task.reset(seed=0)
        for _ in range(STEPS):
            *_, terminated, truncated, _ = task.step(task.action_space.sample())
            if terminated or truncated:
                task.reset()
        task.close()
    except AssayError:  # it says itself what is wrong
        return ""
    except FAILURES as error:
        return blame(error)
    return ""
