"""The laws of games can fail: rule files that lie about what they touch are found out."""

import pytest

from assay.proof import inside
from assay.proof.laws import inside as inside_laws

pytest.importorskip("ale_py")

RULES = """
game: Pong
cells: {enemy_y: 21, ball_x: 49, ball_y: 54, drawn: 30, enemy_points: 13}
variations:
  honest:
    means: the ball hops
    direction: harder
    touches: [transition]
    frame: [{when: frame % 40 == 39 and ball_x > 100, set: {ball_x: ball_x - 10}}]
  called_visual:
    means: says it is only seen, and moves the enemy
    direction: neutral
    touches: [observation]
    frame: [{when: frame % 40 == 39, set: {enemy_y: 60}}]
  over_declared:
    means: says that it pays too
    direction: neutral
    touches: [transition, reward]
    frame: [{when: frame % 40 == 39 and ball_x > 100, set: {ball_x: ball_x - 10}}]
  under_declared:
    means: pays without saying so
    direction: neutral
    touches: [transition]
    frame: [{when: frame % 40 == 39 and ball_x > 100, set: {ball_x: ball_x - 10}}]
    reward: [{when: frame % 7 == 0, pay: points + 1}]
  idle:
    means: never acts
    direction: neutral
    touches: [transition]
    frame: [{when: ball_x > 255, set: {ball_x: 1}}]
  forgotten:
    means: begins with another picture of the score, which the first frame draws anew
    direction: neutral
    touches: [initial]
    start: [{set: {drawn: 200}}]
  remembered:
    means: begins with points of the enemy
    direction: harder
    touches: [initial]
    start: [{set: {enemy_points: 5}}]
  no_control:
    means: says that it restates the game
    direction: neutral
    touches: [transition]
    restates: [true]
    frame: [{when: frame % 40 == 39 and ball_x > 100, set: {ball_x: ball_x - 10}}]
  control:
    means: restates the game
    direction: neutral
    touches: [transition]
    restates: [true]
    frame: [{when: ball_x > 255, set: {ball_x: 1}}]
  pays:
    means: a point every fifth frame
    direction: neutral
    touches: [reward]
    reward: [{when: frame % 5 == 0, pay: points + 1}]
  filters:
    means: the paddle cannot go up
    direction: harder
    touches: [action]
    action: [{when: action == RIGHT, become: NOOP}]
"""


@pytest.fixture(autouse=True)
def rules(tmp_path, monkeypatch):
    (tmp_path / "lies.yaml").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    for module in (inside, inside_laws):
        monkeypatch.setattr(module, "LENGTHS", (200, 100))
    monkeypatch.setattr(inside, "COST_STEPS", 20)


def broken(name):
    certificate = inside.check("atari/Pong", f"lies.yaml:{name}")
    return {law: found.says for law, found in certificate.laws.items() if found.holds is False}


@pytest.mark.parametrize("name", ["honest", "pays", "filters", "control", "remembered"])
def test_what_is_declared_honestly_holds(name):
    assert broken(name) == {}


@pytest.mark.parametrize(
    "name, law, says",
    [
        ("called_visual", "nothing else touched", "it touches transition too"),
        ("over_declared", "nothing else touched", "it never touches reward"),
        ("under_declared", "nothing else touched", "it touches reward too"),
        ("idle", "felt", "changes nothing"),
        ("forgotten", "felt", "changes nothing"),
        ("no_control", "felt", "restates the game, but touches transition"),
    ],
)
def test_what_lies_is_found_out(name, law, says):
    assert says in broken(name)[law]


def test_the_law_of_draws_can_fail(monkeypatch):
    """Where all rules draw from one stream, a rule beside them shifts what they draw."""
    from assay.envs.atari.compiled_variation import ActiveVariation
    from assay.envs.atari.draws import Draws

    class Sharing(ActiveVariation):
        everybodys = Draws("everybody's")

        def __init__(self, compiled, axis, draws=None):
            super().__init__(compiled, axis)
            self.draws = self.everybodys

    law = "draws its own"
    assert inside.check("atari/Pong", "random_perturbation_enemy").laws[law].holds
    for module in ("games", "host"):
        monkeypatch.setattr(f"assay.envs.atari.{module}.ActiveVariation", Sharing)
    assert inside.check("atari/Pong", "random_perturbation_enemy").laws[law].holds is False
