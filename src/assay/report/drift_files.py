"""The files of a drift's report, by their names."""

from __future__ import annotations

from assay.analysis.drift import Drift
from assay.report.drift_page import drift_page
from assay.report.drift_text import drift_csv, drift_json, drift_markdown
from assay.report.formats import FORMATS

DRIFT_PAGE, DRIFT_RECORD = "drift.html", "drift.json"
DRIFT_FILES = tuple(f"drift.{form}" for form in FORMATS)


def drift_files(drift: Drift, command: str, fingerprint: str) -> dict[str, bytes]:
    """The content of each file; the page names the command of the run and its fingerprint."""
    texts = {
        "html": drift_page(drift, command, fingerprint),
        "md": drift_markdown(drift),
        "csv": drift_csv(drift),
        "json": drift_json(drift),
    }
    return {f"drift.{form}": text.encode("utf-8", errors="backslashreplace") for form, text in texts.items()}
