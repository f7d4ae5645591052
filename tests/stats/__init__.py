"""A package, so that test_compare.py here and one of the command line can both be."""
