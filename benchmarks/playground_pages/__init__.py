"""The page docs/results/playground.md, part by part."""
