"""The results store: how records of runs are written, read, checked and exported (`docs/records.md`)."""

from assay.results.document import Document, Pieces
from assay.results.journal import Decision
from assay.results.provenance import source_digest
from assay.results.reading import Progress
from assay.results.record import SCHEMA, Cost, Curve, Episode, Job, Reference, job_id
from assay.results.store import Finished, Run, create, open_run
from assay.results.stored_result import MadeWith
from assay.results.verify import Finding, Verified

__all__ = [
    "SCHEMA",
    "Cost",
    "Curve",
    "Decision",
    "Document",
    "Episode",
    "Finding",
    "Finished",
    "Job",
    "MadeWith",
    "Pieces",
    "Progress",
    "Reference",
    "Run",
    "Verified",
    "create",
    "job_id",
    "open_run",
    "source_digest",
]
