"""Agents from outside: the user's `module:function`, somebody's checkpoint, a language model.

An agent is a function, `act(observation) -> action`, or an `assay.Policy`, which declares more (`policy.py`).
No torch here.
"""

from __future__ import annotations

import inspect
import re
import sysconfig
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import gymnasium

from assay.core.axis import show_value
from assay.errors import AssayError, BadText, NotApplicable, UnknownName
from assay.interop.checkpoints.contract import Build, Checkpoint, Interface
from assay.interop.policy import Act, Policy, as_policy
from assay.interop.watching import Seen

Train = Callable[[gymnasium.Env, int, int | None], Act]  # env, seed, steps -> the function that acts

SB3 = "sb3:"
TORCH = "torch:"
FLAX = "flax:"
LLM = "llm:"
OF_FILES = (SB3, TORCH, FLAX, LLM)  # a file comes after these; no module of the user's is called so
MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
EXPECTED = "an agent is act(observation), assay.Policy, train(env, seed, steps), or has such methods"
# SystemExit too: an agent that exits must not end the exam as if all were well. Ctrl-C passes.
FAILURES = (Exception, SystemExit)
OURS = str(Path(__file__).parents[1])
LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))


class Outside(NamedTuple):
    """An agent from outside. `bind(env)` gives its policy in an env."""

    name: str  # as given
    act: Act | None = None
    train: Train | None = None
    files: tuple[Path, ...] = ()  # their content decides what the agent does
    loaded: tuple[tuple[Path, str], ...] = ()  # digests of the bytes that it was made of, by file
    build: Build | None = None  # if the policy depends on the env's spaces
    require_fit: Callable[[Interface], None] | None = None  # refuses tasks that it was not made for
    seen: Seen = Seen()  # what was read and imported while it was loaded
    converse: Callable[[Any, Path | None, bool], Policy] | None = None  # a language model, see `bind`

    def bind(self, env: gymnasium.Env, notes: Path | None = None, series: bool = True) -> Policy:
        """The policy in `env`: the agent itself, or a network built for the env's spaces.

        A language model keeps its answers in the file `notes`, and finds there what it answered before. Where
        episodes are a `series` it may be told of earlier ones; otherwise each begins anew.
        """
        if self.converse is not None:
            return self.converse(env, notes, series)
        if self.build is not None:
            return self.build(env)
        if self.act is None:
            raise NotApplicable(f"{self.name} trains an agent and does not act itself; train it first.")
        return as_policy(self.act)


def is_outside(text: str) -> bool:
    """Whether a text names an agent from outside, "mine:act" or "sb3:ppo.zip", and not one of ours, "dqn"."""
    return ":" in text


def load_agent(text: str, trust: bool = False) -> Outside:
    """The agent that a text names. `trust` lets a checkpoint run the code that is pickled in it."""
    if text.startswith(OF_FILES):
        return load_file(text, trust)
    module, value = load_named(text)
    act, train = methods_of(text, value)
    file = getattr(module, "__file__", None)
    declared = declared_files(text, act.files) if isinstance(act, Policy) else ()
    return Outside(text, act, train, ((Path(file),) if file else ()) + declared)


def load_file(text: str, trust: bool) -> Outside:
    """The agent in a file, by the kind before the colon."""
    kind, _, place = text.partition(":")
    path = Path(place).expanduser()
    if f"{kind}:" == LLM:
        from assay.interop.llm.player import load_player

        return Outside(text, files=(path,), converse=load_player(text, path))
    checkpoint = read_checkpoint(f"{kind}:", text, path, trust)
    loaded = ((path, checkpoint.digest),)
    return Outside(
        text, files=(path,), loaded=loaded, build=checkpoint.build, require_fit=checkpoint.require_fit
    )


def read_checkpoint(kind: str, text: str, path: Path, trust: bool) -> Checkpoint:
    # Imported where they are needed: the first brings torch, the others jax.
    if kind == SB3:
        from assay.interop.sb3 import load_checkpoint

        return load_checkpoint(text, path, trust)
    if kind == TORCH:
        from assay.interop.checkpoints.torch_file import load_torch

        return load_torch(text, path)
    from assay.interop.checkpoints.flax_file import load_flax

    return load_flax(text, path)


def declared_files(text: str, files: tuple[str | Path, ...]) -> tuple[Path, ...]:
    """The files that a policy declares; refuses one that does not exist."""
    paths = tuple(Path(file).expanduser() for file in files)
    missing = [path for path in paths if not path.is_file()]
    if missing:
        why = "is a folder; name its files" if Path(missing[0]).is_dir() else "is not there; mend its path"
        raise UnknownName(f"{text} declares the file {missing[0]}, which {why}.")
    return paths


def load_named(text: str) -> tuple[ModuleType, Any]:
    """The module of "module:name", and the value of that name in it."""
    name, _, attribute = text.partition(":")
    if name.endswith(".py") or "/" in name:
        name = ".".join(Path(name).with_suffix("").parts)
        raise BadText(
            f"{text!r} names a file; an agent is module:function, here {name}:{attribute or 'act'}."
        )
    if not MODULE.fullmatch(name) or not attribute.isidentifier():
        raise BadText(f"{text!r} names no agent; write module:function, such as mine:act, or {SB3}FILE.zip.")
    try:
        module = import_module(name)
    except FAILURES as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
            where = f"{name.replace('.', '/')}.py"
            raise UnknownName(
                f"{text}: there is no module {error.name!r}; run where {where} is, or install it."
            ) from None
        raise AssayError(
            f"{text} does not load: importing {name} raised {blame(error)}; mend that first."
        ) from error
    if not hasattr(module, attribute):
        where = getattr(module, "__file__", None) or "built into Python"
        raise UnknownName(f"the module {name!r} ({where}) has no {attribute!r}; {EXPECTED}.")
    return module, getattr(module, attribute)


def methods_of(text: str, value: Any) -> tuple[Act | None, Train | None]:
    """The functions of an object that act and train; at least one is not None."""
    if isinstance(value, Policy):
        require_signatures(text, value, None)
        return value, None
    if inspect.isclass(value):
        return methods_of_class(text, value)
    if inspect.isroutine(value) or not (hasattr(value, "act") or hasattr(value, "train")):
        act, train = (None, value) if trains(value) else (value, None)
    else:
        act, train = getattr(value, "act", None), getattr(value, "train", None)
    require_signatures(text, act, train)
    return act, None if train is None else wrap_training(text, train)


def methods_of_class(text: str, kind: type) -> tuple[Act | None, Train | None]:
    agent = make_agent(text, kind)
    act, train = getattr(agent, "act", None), getattr(agent, "train", None)
    if act is None and train is None:
        raise NotApplicable(f"{text} is a class without act and without train; {EXPECTED}.")
    require_signatures(text, act, train)

    def train_new_agent(env: gymnasium.Env, seed: int, steps: int | None) -> Act:
        # A new object for every training, so that one seed's agent knows nothing of another's.
        new = make_agent(text, kind)
        return wrap_training(text, new.train, itself=getattr(new, "act", None))(env, seed, steps)

    return act, None if train is None else train_new_agent


def make_agent(text: str, kind: type) -> Any:
    try:
        return kind()
    except FAILURES as error:
        raise AssayError(f"{text} is a class; called without arguments, it raised {blame(error)}.") from error


def require_signatures(text: str, act: Any, train: Any) -> None:
    if isinstance(act, Policy) and not acts(act):
        takes = "(observation, info), for it uses info" if act.uses_info else "one observation"
        raise NotApplicable(f"the act of {text} is {kind_of(act.act)}; it takes {takes}.")
    if act is not None and not acts(act):
        raise NotApplicable(f"{text} is {kind_of(act)}; {EXPECTED}.")
    if train is not None and not trains(train):
        raise NotApplicable(
            f"{text} has a train that is {kind_of(train)}; it takes env, seed and perhaps steps."
        )


def kind_of(value: Any) -> str:
    """A description of a value that should be a function, for an error message."""
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    if not callable(value):
        return f"{show_value(value)} ({type(value).__name__})"
    signature = signature_of(value)
    return (
        "a function whose arguments Python cannot tell" if signature is None else f"a function of {signature}"
    )


def signature_of(value: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(value)
    except (TypeError, ValueError):  # no function, or one in C without a signature
        return None


def acts(value: Any) -> bool:
    """Whether a value can be called with one observation; `train(env)` could, but is surely not meant to."""
    given = (None, None) if isinstance(value, Policy) and value.uses_info else (None,)
    signature = signature_of(value.act if isinstance(value, Policy) else value)
    return signature is not None and list(signature.parameters)[:1] != ["env"] and takes(signature, *given)


def trains(value: Any) -> bool:
    signature = signature_of(value)
    if signature is None:
        return False
    known = [name for name in ("env", "seed", "steps") if name in signature.parameters]
    return known[:2] == ["env", "seed"] and takes(signature, **dict.fromkeys(known))


def takes(signature: inspect.Signature, *values: Any, **named_values: Any) -> bool:
    try:
        signature.bind(*values, **named_values)
    except TypeError:
        return False
    return True


def wrap_training(text: str, function: Callable, itself: Act | None = None) -> Train:
    """A training function as we call it; `itself` acts if training returns nothing."""
    takes_steps = "steps" in inspect.signature(function).parameters

    def train(env: gymnasium.Env, seed: int, steps: int | None) -> Act:
        # If no steps were asked for, the function's own default holds.
        wanted = {} if steps is None or not takes_steps else {"steps": steps}
        try:
            trained = function(env=env, seed=seed, **wanted)
        except FAILURES as error:
            raise AssayError(f"{text} raised {blame(error)}, while it trained with seed {seed}.") from error
        act = itself if trained is None else trained
        act = act if isinstance(act, Policy) else getattr(act, "act", act)
        if act is None or inspect.isclass(trained) or not acts(act):
            what = "nothing" if trained is None else kind_of(trained)
            raise NotApplicable(
                f"training by {text} returned {what}; it returns act(observation), or an object that has it."
            )
        return act

    return train


def blame(error: BaseException) -> str:
    """The error and the line of the user's own code that raised it, in a few words."""
    message = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split()).rstrip(".")
    message = message if len(message) <= 200 else message[:197] + "..."
    if isinstance(error, SyntaxError) and error.filename:
        file, line = error.filename, error.lineno
    else:
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [frame for frame in frames if not frame.filename.startswith((OURS, "<"))]
        # An error deep in a library is shown at the line that called it, unless the agent is itself in one.
        written = [frame for frame in theirs if not frame.filename.startswith(LIBRARIES)] or theirs
        file, line = (written[-1].filename, written[-1].lineno) if written else ("", 0)
    what = type(error).__name__ + (f" at line {line} of {short_path(file)}" if file else "")
    return f"{what}: {message}" if message else what


def short_path(file: str) -> str:
    """A path, relative to the current folder if it is inside."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
