"""The errors that assay raises for input it cannot use; the command line prints them and exits with 2."""


class AssayError(ValueError):
    """Bad input, explained in one sentence: the thing, what was expected, the next move."""


class BadText(AssayError):
    """A task, value, schedule or name that the text form does not admit."""


class UnknownName(AssayError):
    """A well-formed name that the catalogue does not hold."""


class WrongLevel(AssayError):
    """A level outside the type or range of its axis."""


class NoMoreDraws(AssayError):
    """Recorded random numbers that are at their end while a game asks for more."""


class NotApplicable(AssayError):
    """Something that does not apply to this env, or whose precondition does not hold."""
