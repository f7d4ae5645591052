"""Adds the proof of every axis that a plan asks about to the plan, before any work is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from assay.catalogue import axis_of
from assay.errors import AssayError
from assay.plans.plan import ExamPlan, Plan
from assay.task_text import Setting, TaskText, parse

ENDED = "a check ended early"  # the beginning of the message on a check whose process raised
STEPS = 100  # of a trial in which a faulty variation should raise

P = TypeVar("P", bound=Plan)


def with_proofs(plan: P, tell: Callable[[str], None], unproved: bool = False, refuses: bool = True) -> P:
    """The plan with the proofs of its axes, and of the user's own variations that its tasks contain.

    A variation of the user's own that breaks a law is refused, unless `unproved` admits it, marked as such.
    """
    from assay.proof.own_proofs import ELSEWHERE, FAILED, is_own, proof_of

    proofs = {
        (env, name): proof_of(env, name, tell, keeps=not (is_own(name) and reads_other_files(env, name)))
        for env, name in axes_to_prove(plan)
    }
    for (env, name), proof in proofs.items():
        if refuses and is_own(name) and proof.word == FAILED and not unproved:
            if proof.says.startswith(ENDED) and (failure := try_out(env, name)):
                raise AssayError(f"{name} on {env} raised {failure}; mend that first.")
            raise AssayError(
                f"{name} breaks a law on {env} ({proof.says}), so a verdict on it would mean nothing; "
                f"`assay check {name} --on {env}` gives details, and --unproved continues without proof."
            )
        if proof.says and proof.word != ELSEWHERE:
            tell(f"{name} on {env} {proof.word}: {proof.says}")
    for says in {proof.says for proof in proofs.values() if proof.word == ELSEWHERE}:
        tell(f"certificates were {says}; `assay check` proves the axes with what is installed")
    words = {name: proof.word for (_, name), proof in proofs.items()}
    proved = replace(plan, proofs={name: word for name, word in words.items() if is_own(name)})
    if isinstance(proved, ExamPlan):
        return replace(proved, questions=tuple(replace(q, proof=words[q.axis]) for q in proved.questions))
    return proved


def axes_to_prove(plan: Plan) -> list[tuple[str, str]]:
    """(env, axis) of every question and of the user's own variations in the plan's tasks, each once."""
    from assay.proof.own_proofs import is_own

    tasks = [parse(text) for text in plan.tasks]
    questions = plan.questions if isinstance(plan, ExamPlan) else ()
    pairs = [(tasks[0].env, each.axis) for each in questions]
    pairs += [(task.env, setting.name) for task in tasks for setting in task.settings if is_own(setting.name)]
    return list(dict.fromkeys(pairs))


def reads_other_files(env: str, name: str) -> bool:
    """Whether a variation of the user's own reads files other than its code, while it loads or acts."""
    from assay.interop.watching import files_read, watching
    from assay.plans.sources import load_own_module
    from assay.proof.own_proofs import own_files

    module = name.rpartition(":")[0]
    if module.endswith((".yaml", ".yml")):
        return False  # rules read only the game's memory
    at_load = load_own_module(module)
    with watching() as seen:
        try_out(env, name)
    code = {path.resolve() for path in own_files(name)}
    return any(path.resolve() not in code for path in files_read(at_load | seen))


def try_out(env: str, name: str) -> str:
    """The error that a variation raises when it acts, with its line in the user's code; "" where none."""
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
    except AssayError:  # shown to the user elsewhere
        return ""
    except FAILURES as error:
        return blame(error)
    return ""
