"""The forms of a report, by the endings of their files; the first is the one that is named to a reader."""

HERE = "."  # the folder of a run, in a report that lies in it
FORMATS = ("html", "md", "csv", "json")
