"""The Python interface: the functions behind `assay.examine`, `assay.train`, `assay.check` and
`assay.open_run`, and the result that they return. The command line has the same powers in `assay.cli`.
"""
