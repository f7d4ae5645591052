"""What the catalogue knows of the gym family without loading gymnasium."""

EXAMPLES = ("gym/CartPole-v1", "gym/Pendulum-v1", "gym/FrozenLake-v1")  # `assay check gym` proves on these
