"""The forms of a report, by the endings of their files; the first is the one that is named to a reader."""

FORMATS = ("html", "md", "csv", "json")
