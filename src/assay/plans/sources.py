"""The code, files and library versions that a result depends on, beside its settings.

All that is known of them before a job runs is part of the job's source digest, so other code makes another
job: assay's modules that the job can reach count by their syntax, the user's own files by all their bytes.
A file that turns out to be read only while the agent loads, trains or acts is noted with the result, which is
then not used again.
"""

from __future__ import annotations

from collections import Counter
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
from assay.digests.definitions import Definition, digest_of_definition
from assay.digests.imports import Stamp, stamp
from assay.digests.loaded_modules import require_as_loaded
from assay.digests.own_code import (
    Sources,
    digest_of_content,
    distributions_of,
    kind_of,
    sources,
    version_of,
    versions_of,
)
from assay.digests.syntax import digest_of_file
from assay.errors import AssayError
from assay.interop.agents import FAILURES, FLAX, LLM, MODULE, SB3, TORCH
from assay.interop.watching import Seen, files_read, watching
from assay.plans.agents import catalogue_agent, is_outside, outside_agent
from assay.plans.job_plan import job_plan
from assay.plans.plan import ExamPlan, PairsPlan, Plan
from assay.plans.question import BLIND, RANDOM
from assay.results import Job, MadeWith, Pieces
from assay.task_text import TaskText, parse, parse_value

READERS = {  # of agents in files
    SB3: "assay.interop.sb3",
    TORCH: "assay.interop.checkpoints.torch_file",
    FLAX: "assay.interop.checkpoints.flax_file",
    LLM: "assay.interop.llm.player",
}
RUNNER = "assay.runs.native_jobs"
ENVS = "assay.envs."
CODE_SUFFIXES = (".py", ".pyc")
MOST_NAMED = 3  # files of assay that are named where more of them changed
RUN_FILES = ("run.json", "ledger.sqlite")


def digest_of_source(plan: Plan) -> str:
    """The digest of all code that the plan's jobs run, assay's and the user's."""
    return pieces_of_source(plan).digest


def pieces_of_source(plan: Plan) -> Pieces:
    """The digests of which a plan's source digest is made; the run keeps them for later comparison."""
    sources = sources_of_plan(plan)
    require_as_loaded(sources.files)
    return pieces_of(sources)


def pieces_of(sources: Sources) -> Pieces:
    ours = {name: digest_of_file(path) for name, path in sorted(sources.code.items())}
    # A file of the user's own counts byte by byte: an agent may read its own docstrings.
    names = piece_names(sources.files)
    own = {names[name]: digest_of_bytes(stamp(path)) for name, path in sorted(sources.files.items())}
    return Pieces({**ours, **sources.definitions}, own, dict(sorted(sources.versions.items())))


def piece_names(files: Mapping[str, Path]) -> dict[str, str]:
    """The name under which each file counts: that of a module, or the last parts of any other file's path.

    Of a path as many parts are named as tell it from all others, nearly always the file's name alone: names
    are shown, and a run may travel to a machine with other folders.
    """
    modules = {name: name for name, path in files.items() if name != str(path)}
    endings = {name: endings_of(path) for name, path in files.items() if name not in modules}
    shared = Counter(each for all_of_one in endings.values() for each in all_of_one)

    def shortest(all_of_one: list[str]) -> str:
        own = (each for each in all_of_one if shared[each] == 1 and each not in modules)
        return next(own, all_of_one[-1])

    return modules | {name: shortest(each) for name, each in endings.items()}


def endings_of(path: Path) -> list[str]:
    """`rule.txt`, `a/rule.txt` and so on to the whole path."""
    return [str(Path(*path.parts[-last:])) for last in range(1, len(path.parts) + 1)]


def describe_changes(kept: Pieces | None, plan: Plan) -> str:
    """A sentence on the code that changed since a run kept its digests; "" where none changed or was kept."""
    if not kept:
        return ""
    now, changes = pieces_of_source(plan), file_changes(kept, plan)
    for name, _ in changes_in(kept.versions, now.versions):
        then, here = kept.versions.get(name), now.versions.get(name)
        changes.append(f"{name} was {then or 'not used'} and is now {here or 'not used'}")
    ours = [f"{name} {how}" for name, how in changes_in(kept.assay, now.assay)]
    more = [f"{len(ours) - MOST_NAMED} more files of assay"] if len(ours) > MOST_NAMED else []
    return ", ".join([*changes, *ours[:MOST_NAMED], *more])


def file_changes(kept: Pieces | None, plan: Plan) -> list[str]:
    """`rule.txt changed` and the like, of the user's own files since a run kept their digests."""
    now = pieces_of_source(plan).files if kept else {}
    return [f"{name} {how}" for name, how in changes_in(kept.files if kept else {}, now)]


def is_same_code(kept: Pieces | None, plan: Plan) -> bool:
    """Whether the code is unchanged, and the plan only names other axes than when the digests were kept.

    In that case the plan itself was changed, which the comparison with its jobs will show.
    """
    now = pieces_of_source(plan)
    if kept is None or (kept.files, kept.versions) != (now.files, now.versions):
        return False
    axes = {f"{env}+{axis.name}" for env in {parse(t).env for t in plan.tasks} for axis in variations(env)}
    changes = list(changes_in(kept.assay, now.assay))
    return bool(changes) and all(how != "changed" and name in axes for name, how in changes)


def changes_in(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in sorted(then.keys() | now.keys()):
        if then.get(name) != now.get(name):
            yield name, "is new" if name not in then else "is gone" if name not in now else "changed"


@lru_cache(maxsize=4096)
def digest_of_bytes(file: Stamp) -> str:
    return digest_of_content(Path(file.path).read_bytes())


class NamedParts(NamedTuple):
    """The modules, files and envs that agents and tasks name, and words that may be axes."""

    modules: list[str]
    files: list[Path]
    envs: tuple[str, ...]
    words: tuple[str, ...]


def sources_of_plan(plan: Plan) -> Sources:
    """All code and files that the jobs of a plan depend on, assay's own included."""
    questions = plan.questions if isinstance(plan, ExamPlan) else ()
    words = [each.axis for each in questions]
    words += [word for each in questions for level in each.levels for word in words_in(parse_value(level))]
    blind = isinstance(plan, PairsPlan) and plan.suite.blind
    agents = (plan.agent, RANDOM, *([BLIND] if blind else ()))
    parts = parts_named_by(agents, plan.trust, plan.tasks, words)
    definitions = definitions_of(parts.envs, (*parts.words, *plan.companions))
    modules = [*parts.modules, *(name for each in definitions.values() for name in sorted(each.modules))]
    reached = sources(dict.fromkeys(modules), parts.files)
    data = {f"{env} {path.name}": path for env in parts.envs for path in data_of(env)}
    data |= {f"{agent} {path.name}": path for agent in agents for path in data_of_agent(agent)}
    code = closure([RUNNER, *modules]) | data
    whole = {name: path for name, path in code.items() if not BY_DEFINITION.fullmatch(name)}
    whole |= closure(reached.ours)  # of what the user's own code uses, every part may be used
    return reached._replace(code=whole, definitions={name: each.digest for name, each in definitions.items()})


def sources_of_job(job: Job) -> Sources:
    """The code and files that a job depends on, without assay's own, which the plan of its run covers."""
    plan = job_plan(job)
    texts = [job.train_task, *(each.task for each in plan.tries)]
    parts = parts_named_by((job.agent,), plan.trust, texts)
    found = sources(dict.fromkeys(parts.modules), parts.files)
    files_covered_by(job.source_digest).update(path.resolve() for path in found.files.values())
    return found


@cache
def files_covered_by(source_digest: str) -> set[Path]:
    """The files of all jobs of a plan that this process met; the digest of its sources covers each of them.

    What one job reads counts for the next, and jobs that are trained together read each other's files.
    """
    return set()


def parts_named_by(
    agents: Iterable[str], trust: bool, texts: Iterable[str], words: Iterable[str] = ()
) -> NamedParts:
    """The parts that agents and tasks name; `words` are more names and levels of axes."""
    tasks = [parse(text) for text in dict.fromkeys(texts)]
    named = dict.fromkeys([*words, *(word for task in tasks for word in words_of(task))])
    modules, files = modules_and_files(named)
    for module in modules:
        load_own_module(module)
    envs = tuple(dict.fromkeys(task.env for task in tasks))
    for env in envs:
        modules += modules_of_env(env)
    for agent in agents:
        more, beside = parts_of_agent(agent, trust)
        modules += more
        files += beside
    return NamedParts(modules, files, envs, tuple(named))


def parts_of_agent(agent: str, trust: bool) -> tuple[list[str], list[Path]]:
    """The modules and files that hold an agent."""
    if not is_outside(agent):
        return [agent_entry(agent).code.partition(":")[0]], []
    kind, _, _ = agent.partition(":")
    module = READERS.get(f"{kind}:", kind)
    return [module], list(outside_agent(agent, trust).files)


def definitions_of(envs: Iterable[str], names: Iterable[str]) -> dict[str, Definition]:
    """The definitions of the axes with these names, by env and axis, in the order in which they act."""
    wanted = set(names)
    return {
        f"{env}+{axis.name}": digest_of_definition(axis)
        for env in envs
        for axis in variations(env)
        if axis.name in wanted
    }


def modules_of_env(env: str) -> list[str]:
    """All modules that the entry of an env names; a job may load any of them."""
    entry = env_entry(env)
    own_module, colon, _ = env.partition("/")[2].partition(":")
    if colon:
        load_own_module(own_module)
    inside = load(entry.modules)(env) if entry.modules else []
    texts = (getattr(entry, each.name) for each in fields(entry))
    code = [text.partition(":")[0] for text in texts if isinstance(text, str) and CODE.fullmatch(text)]
    return [*dict.fromkeys(code), *inside]


def data_of(env: str) -> list[Path]:
    """The data files of an env that comes with assay: those that its entry names, or all in its folder."""
    entry = env_entry(env)
    home = entry.build.partition(":")[0].rpartition(".")[0]
    if not home.startswith(ENVS):
        return []
    if entry.data:
        return [Path(str(files("assay"))) / each for each in load(entry.data)(env)]
    folder = Path(str(files(home)))
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in CODE_SUFFIXES)


def data_of_agent(agent: str) -> list[Path]:
    """The data files of an agent that comes with assay: its weights, where they are shipped."""
    shipped = None if is_outside(agent) else catalogue_agent(agent).shipped
    return [shipped.path] if shipped else []


def words_of(task: TaskText) -> Iterator[str]:
    """All texts in a task that may name code or files: the names of its variations, and their levels."""
    for setting in task.settings:
        yield setting.name
        yield from words_in(setting.value)


def words_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from words_in(each)


def modules_and_files(words: Iterable[str]) -> tuple[list[str], list[Path]]:
    """The modules and files that texts name: `mine:blink`, `mine.yaml:blink`, `pictures/`, `first.json`."""
    modules: list[str] = []
    files: list[Path] = []
    for word in words:
        head, colon, rest = word.partition(":")
        path, whole = Path(head).expanduser(), Path(word).expanduser()
        if colon and "/" in word and whole.is_file():  # a colon in the name of a file or folder
            files.append(whole)
        elif colon and rest and not path.is_file() and MODULE.fullmatch(head) and kind_of(head.split(".")[0]):
            modules.append(head)
        elif ("/" in head or "." in head) and path.is_file():
            files.append(path)
        elif "/" in head and path.is_dir():
            files += sorted(file for file in path.rglob("*") if file.is_file())
    return modules, files


def load_own_modules(task: str, axes: Iterable[str] = ()) -> None:
    """Imports the user's own modules that a task and axes name, and watches what they read.

    Called before anything else imports them: a module reads its files only at its first import.
    """
    with suppress(AssayError):  # a text that is not a task is refused later
        text = parse(task)
        modules, _ = modules_and_files(dict.fromkeys([*axes, *words_of(text)]))
        head, colon, _ = text.env.partition("/")[2].partition(":")
        for module in (*modules, *([head] if colon else ())):
            load_own_module(module)


@cache
def load_own_module(module: str) -> Seen:
    """The reads of importing a module; once per process, because afterwards the module is in memory."""
    with watching() as seen, suppress(*FAILURES):
        import_module(module)  # an error shows up again where something of it is used
    return seen


def provenance_of_result(job: Job, sources: Sources, seen: Seen) -> MadeWith:
    """What a job's result depends on: the sources known before it ran, and the reads seen meanwhile."""
    if not is_outside(job.agent) and not sources.files:
        return MadeWith(sources.versions)  # only assay's code and that of libraries
    everything = reads_of_agent(job.agent)
    everything.add(seen | reads_at_load(job))
    libraries = [top for top in everything.imported if kind_of(top) == "library"]
    names = {name for top in libraries for name in distributions_of(top)}
    covered = {path.resolve() for path in sources.files.values()} | files_covered_by(job.source_digest)
    read = {
        path
        for path in files_read(everything)
        if path.resolve() not in covered and not is_in_run_folder(path)
    }
    modules = {path for path in read if path.suffix == ".py"}
    uncovered = {"files": show_paths(read - modules), "modules": show_paths(modules)}
    return MadeWith(sources.versions | versions_of(names), uncovered if read else None)


@cache
def reads_of_agent(agent: str) -> Seen:
    """The reads of all jobs of an agent in this process; a later job may find their contents in memory."""
    return Seen()


def reads_at_load(job: Job) -> Seen:
    """The reads of loading the agent and the modules of its tasks in this process."""
    reads, plan = Seen(), job_plan(job)
    if is_outside(job.agent):
        reads |= outside_agent(job.agent, plan.trust).seen
    tasks = [parse(text) for text in {job.train_task, *(each.task for each in plan.tries)}]
    modules, _ = modules_and_files(dict.fromkeys(word for task in tasks for word in words_of(task)))
    own = [task.env.partition("/")[2].partition(":") for task in tasks]
    for module in {*modules, *(head for head, colon, _ in own if colon)}:
        reads |= load_own_module(module)
    return reads


def is_in_run_folder(path: Path) -> bool:
    """Whether a file is in a run's folder: the job's config already names the weights of earlier runs."""
    return any(all((folder / name).exists() for name in RUN_FILES) for folder in path.parents[:2])


def show_paths(paths: Iterable[Path]) -> list[str]:
    """Paths as a user would type them in the current folder."""
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
            return f"it was made with {name} {version}, but {now} is installed"
    return ""
