"""What a result stands on beside its settings: code and files of the user's own, and versions of libraries.

All that is known of it beforehand is part of a job's source digest, so other code is another job: of assay
the modules that its jobs can reach, by their syntax, and of the user's own files all bytes. What is found to
be read only while the agent loads, trains or acts is noted with the result, which is then used once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from assay.catalogue import agent_entry, env_entry, load, variations
from assay.digests.closure import BY_DEFINITION, CODE, closure
from assay.digests.definitions import Defined, digest_of_definition
from assay.digests.imports import Stamp, stamp
from assay.digests.syntax import digest_of_file
from assay.errors import AssayError
from assay.interop.agents import FAILURES, MODULE, SB3
from assay.interop.own_code import (
    Sources,
    distributions_of,
    kind_of,
    sources,
    version_of,
    versions_of,
)
from assay.interop.watching import Seen, files_read, watching
from assay.plans.agents import is_outside, outside
from assay.plans.job_plan import job_plan
from assay.plans.plan import ExamPlan, PairsPlan, Plan
from assay.plans.question import BLIND, RANDOM
from assay.results import Job, MadeWith, Pieces
from assay.results.record import digest_of
from assay.task_text import TaskText, parse, parse_value

CHECKPOINTS = "assay.interop.sb3"  # reads the checkpoints of Stable-Baselines3
RUNNER = "assay.runs.native_jobs"
ENVS = "assay.envs."
CODE_SUFFIXES = (".py", ".pyc")
NAMED = 3  # files of assay's own that are named where more of them changed
OF_A_RUN = ("run.json", "ledger.sqlite")


def digest_of_source(plan: Plan) -> str:
    """Of all code that the plan's jobs run, assay's and the user's: other code is another job."""
    return digest_of_sources(sources_of_plan(plan))


def digest_of_sources(sources: Sources) -> str:
    """Of files, definitions and libraries found before, as they are now."""
    return pieces_of(sources).digest


def pieces_of_source(plan: Plan) -> Pieces:
    """What the digest of a plan's source is made of, to be kept beside it and compared later."""
    return pieces_of(sources_of_plan(plan))


def pieces_of(sources: Sources) -> Pieces:
    ours = {name: digest_of_file(path) for name, path in sorted(sources.code.items())}
    # A file of the user's own counts byte by byte: an agent may read its own docstrings.
    own = {known_as(name, path): digest_of_bytes(stamp(path)) for name, path in sorted(sources.files.items())}
    return Pieces({**ours, **sources.definitions}, own, dict(sorted(sources.versions.items())))


def known_as(name: str, path: Path) -> str:
    """A module by its name, any other file by its own without its folder."""
    return path.name if name == str(path) else name


def changed_since(kept: Pieces | None, plan: Plan) -> str:
    """Which of the pieces kept with a run are others now, in words; "" where none were kept, or none are."""
    if not kept:
        return ""
    now = pieces_of_source(plan)
    changes = [f"{name} {how}" for name, how in changes_in(kept.files, now.files)]
    for name, _ in changes_in(kept.versions, now.versions):
        then, here = kept.versions.get(name), now.versions.get(name)
        changes.append(f"{name} was {then or 'not used'} and is {here or 'not used'}")
    ours = [f"{name} {how}" for name, how in changes_in(kept.assay, now.assay)]
    more = [f"{len(ours) - NAMED} more of assay's own"] if len(ours) > NAMED else []
    return ", ".join([*changes, *ours[:NAMED], *more])


def is_same_code(kept: Pieces | None, plan: Plan) -> bool:
    """Whether all code is what it was, and only the plan names other axes than the one that was recorded.

    Then it is the plan that was changed, as whoever compares it with its jobs will find.
    """
    now = pieces_of_source(plan)
    if kept is None or (kept.files, kept.versions) != (now.files, now.versions):
        return False
    there = {f"{env}+{axis.name}" for env in {parse(t).env for t in plan.tasks} for axis in variations(env)}
    changes = list(changes_in(kept.assay, now.assay))
    return bool(changes) and all(how != "changed" and name in there for name, how in changes)


def changes_in(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in sorted(then.keys() | now.keys()):
        if then.get(name) != now.get(name):
            yield name, "is new" if name not in then else "is gone" if name not in now else "changed"


@lru_cache(maxsize=4096)
def digest_of_bytes(file: Stamp) -> str:
    return digest_of([Path(file.path).read_bytes()])


class Meant(NamedTuple):
    """What agents and tasks name: modules, files, envs, and words that may be axes."""

    modules: list[str]
    files: list[Path]
    envs: tuple[str, ...]
    words: tuple[str, ...]


def sources_of_plan(plan: Plan) -> Sources:
    """All that the jobs of a plan stand on, assay's own code included."""
    asked = plan.questions if isinstance(plan, ExamPlan) else ()
    words = [each.axis for each in asked]
    words += [word for each in asked for level in each.levels for word in words_in(parse_value(level))]
    blind = isinstance(plan, PairsPlan) and plan.suite.blind
    agents = (plan.agent, RANDOM, *([BLIND] if blind else ()))
    meant = named_by(agents, plan.trust, plan.tasks, words)
    definitions = definitions_of(meant.envs, (*meant.words, *plan.companions))
    modules = [*meant.modules, *(name for each in definitions.values() for name in sorted(each.modules))]
    reached = sources(dict.fromkeys(modules), meant.files)
    data = {f"{env} {path.name}": path for env in meant.envs for path in data_of(env)}
    code = closure([RUNNER, *modules]) | data
    whole = {name: path for name, path in code.items() if not BY_DEFINITION.fullmatch(name)}
    return reached._replace(code=whole, definitions={name: each.digest for name, each in definitions.items()})


def sources_of_job(job: Job) -> Sources:
    """What a job stands on beside assay itself, of which its run's plan knows."""
    todo = job_plan(job)
    texts = [job.train_task, *(each.task for each in todo.tries)]
    meant = named_by((job.agent,), todo.trust, texts)
    return sources(dict.fromkeys(meant.modules), meant.files)


def named_by(agents: Iterable[str], trust: bool, texts: Iterable[str], words: Iterable[str] = ()) -> Meant:
    """What agents and tasks name; `words` are names and levels of axes beside those in the tasks."""
    tasks = [parse(text) for text in dict.fromkeys(texts)]
    named = dict.fromkeys([*words, *(word for task in tasks for word in words_of(task))])
    modules, files = split(named)
    for module in modules:
        load_own(module)
    envs = tuple(dict.fromkeys(task.env for task in tasks))
    for env in envs:
        modules += modules_of_env(env)
    for agent in agents:
        more, beside = parts_of_agent(agent, trust)
        modules += more
        files += beside
    return Meant(modules, files, envs, tuple(named))


def parts_of_agent(agent: str, trust: bool) -> tuple[list[str], list[Path]]:
    """The modules and files that an agent is in."""
    if not is_outside(agent):
        return [agent_entry(agent).code.partition(":")[0]], []
    module = CHECKPOINTS if agent.startswith(SB3) else agent.partition(":")[0]
    return [module], list(outside(agent, trust).files)


def definitions_of(envs: Iterable[str], names: Iterable[str]) -> dict[str, Defined]:
    """The axes with these names, by env, in the order in which they act."""
    wanted = set(names)
    return {
        f"{env}+{axis.name}": digest_of_definition(axis)
        for env in envs
        for axis in variations(env)
        if axis.name in wanted
    }


def modules_of_env(env: str) -> list[str]:
    """All modules that its entry names; whoever is asked for an env's truth may load that too."""
    entry = env_entry(env)
    named = env.partition("/")[2].partition(":")
    if named[1]:
        load_own(named[0])
    inside = load(entry.modules)(env) if entry.modules else []
    texts = (getattr(entry, each.name) for each in fields(entry))
    code = [text.partition(":")[0] for text in texts if isinstance(text, str) and CODE.fullmatch(text)]
    return [*dict.fromkeys(code), *inside]


def data_of(env: str) -> list[Path]:
    """The data files of an env that comes with assay: those that it names, or all in its folder."""
    entry = env_entry(env)
    home = entry.build.partition(":")[0].rpartition(".")[0]
    if not home.startswith(ENVS):
        return []
    if entry.data:
        return [Path(str(files("assay"))) / each for each in load(entry.data)(env)]
    folder = Path(str(files(home)))
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in CODE_SUFFIXES)


def words_of(task: TaskText) -> Iterator[str]:
    """All texts in a task that may name code or files: its variations, and what they are set to."""
    for setting in task.settings:
        yield setting.name
        yield from words_in(setting.value)


def words_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from words_in(each)


def split(words: Iterable[str]) -> tuple[list[str], list[Path]]:
    """Modules and files among texts: `mine:blink`, `mine.yaml:blink`, `pictures/`, `levels/first.json`."""
    modules: list[str] = []
    files: list[Path] = []
    for word in words:
        head, colon, rest = word.partition(":")
        place = Path(head).expanduser()
        if colon and rest and not place.is_file() and MODULE.fullmatch(head) and kind_of(head.split(".")[0]):
            modules.append(head)
        elif ("/" in head or "." in head) and place.is_file():
            files.append(place)
        elif "/" in head and place.is_dir():
            files += sorted(path for path in place.rglob("*") if path.is_file())
    return modules, files


def load_named(task: str, axes: Iterable[str] = ()) -> None:
    """Imports the modules of one's own that a task and axes name, watched; whoever comes later finds them.

    Called before anything else looks at the task: what a module reads while it is imported is read once.
    """
    with suppress(AssayError):  # a text that is no task says so itself
        text = parse(task)
        modules, _ = split(dict.fromkeys([*axes, *words_of(text)]))
        head, colon, _ = text.env.partition("/")[2].partition(":")
        for module in (*modules, *([head] if colon else ())):
            load_own(module)


@cache
def load_own(module: str) -> Seen:
    """What importing a module read; once per process, for afterwards it is in memory."""
    with watching() as seen, suppress(*FAILURES):
        import_module(module)  # whoever needs something of it says what is wrong
    return seen


def made_with(job: Job, sources: Sources, seen: Seen) -> MadeWith:
    """What a job's result stands on: what was found before it was done, and what was seen meanwhile."""
    if not is_outside(job.agent) and not sources.files:
        return MadeWith(sources.versions)  # nobody's code but ours and the libraries'
    everything = seen_so_far(job.agent)
    everything.add(seen | loaded_before(job))
    libraries = [top for top in everything.imported if kind_of(top) == "library"]
    names = {name for top in libraries for name in distributions_of(top)}
    covered = {path.resolve() for path in sources.files.values()}
    read = {path for path in files_read(everything) if path.resolve() not in covered and not of_a_run(path)}
    modules = {path for path in read if path.suffix == ".py"}
    uncovered = {"files": show_paths(read - modules), "modules": show_paths(modules)}
    return MadeWith(sources.versions | versions_of(names), uncovered if read else None)


@cache
def seen_so_far(agent: str) -> Seen:
    """What any job of an agent read in this process: the next one may find it in memory."""
    return Seen()


def loaded_before(job: Job) -> Seen:
    """What was read when the agent and the modules of its tasks were loaded in this process."""
    loaded, todo = Seen(), job_plan(job)
    if is_outside(job.agent):
        loaded |= outside(job.agent, todo.trust).seen
    tasks = [parse(text) for text in {job.train_task, *(each.task for each in todo.tries)}]
    modules, _ = split(dict.fromkeys(word for task in tasks for word in words_of(task)))
    own = [task.env.partition("/")[2].partition(":") for task in tasks]
    for module in {*modules, *(head for head, colon, _ in own if colon)}:
        loaded |= load_own(module)
    return loaded


def of_a_run(path: Path) -> bool:
    """Whether a file is in the folder of a run: weights that were trained before are in the job's config."""
    return any(all((folder / name).exists() for name in OF_A_RUN) for folder in path.parents[:2])


def show_paths(paths: Iterable[Path]) -> list[str]:
    """Paths as one would type them from here."""
    here = Path.cwd()
    return sorted(str(path.relative_to(here) if path.is_relative_to(here) else path) for path in paths)


def why_outdated(job: Job) -> str:
    """Why a finished job's result must not be used again, or "" if it may."""
    unknown = [*(job.uncovered or {}).get("files", ()), *(job.uncovered or {}).get("modules", ())]
    if unknown:
        return f"{unknown[0]} was read and is not covered"
    for name, version in (job.versions or {}).items():
        now = version_of(name)
        if now and now != version:
            return f"it was made with {name} {version}, and here is {now}"
    return ""
