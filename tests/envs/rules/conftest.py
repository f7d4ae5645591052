"""Shared by the tests of rules: pytest puts this folder on the path, so tests import `random_rules`."""
