"""Pictures of the toy envs, against Pillow's own drawing, by hand, and by the counts of what was drawn."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from PIL import Image, ImageDraw

import assay
from assay.core import step as loop
from assay.core.keys import episode_key, root_of, step_key
from assay.envs.toy import maps, polygons
from assay.envs.toy.discrete_params import Discrete
from assay.errors import AssayError, NotApplicable, WrongLevel
from assay.native import build_native

POLYGONS = "toy/discrete+image_representations"
ALL = "scale-shift-rotate-flip"
DRAWS = 20_000

observed, painted = jax.jit(polygons.draw_state), jax.jit(polygons.paint)
native_reset = jax.jit(lambda task, key: loop.reset(task, key)[0])
many_drawn = jax.jit(jax.vmap(polygons.draw_pose, (0, None)))


def look_of(states=8, transforms="none", **more):
    return polygons.make_polygons(
        Discrete(image_representations=True, image_transforms=transforms, **more), states
    )


def poses(look, seed=0):
    keys = jax.random.split(jax.random.key(seed), DRAWS)
    return jax.tree.map(np.asarray, many_drawn(keys, look))


def by_pillow(state, radius=20, shift=(0, 0), degrees=0, flip=(1, 1), size=(100, 100)):
    """The polygon as MDP Playground draws it, [x, y] bool."""
    width, height = size
    turns = 2 * np.pi * np.arange(state + 3) / (state + 3)
    x, y = width // 2 + shift[0] + radius * np.cos(turns), height // 2 + shift[1] + radius * np.sin(turns)
    picture = Image.new("L", size)
    ImageDraw.Draw(picture).polygon([(int(a), int(b)) for a, b in zip(x, y)], fill=255)
    found = np.asarray(picture.rotate(degrees)).T > 0
    return found[:: flip[0], :: flip[1]]


def overlap(ours, theirs):
    return (ours & theirs).sum() / (ours | theirs).sum()


class TestPolygons:
    @pytest.mark.parametrize("state", range(13))
    def test_plain_ones_match_pillow(self, state):
        seen = np.asarray(observed(jax.random.key(0), look_of(13), jnp.array([state])))
        assert seen.shape == (100, 100, 1) and seen.dtype == np.uint8 and set(np.unique(seen)) == {0, 255}
        assert overlap(seen[..., 0] > 0, by_pillow(state)) >= 0.9

    @pytest.mark.parametrize("state", [0, 1, 2, 5, 9])
    @pytest.mark.parametrize("size", [(100, 100), (84, 120)])
    def test_transformed_ones_match_pillow(self, state, size):
        look = look_of(10, ALL, image_width=size[0], image_height=size[1])
        drawn = poses(look, seed=state)
        for i in range(12):
            pose = jax.tree.map(lambda leaf, i=i: leaf[i], drawn)
            seen = np.asarray(painted(look, state, pose))[..., 0] > 0
            radius = int(look.radii[pose.size])
            degrees = np.degrees(np.arctan2(pose.turn[1], pose.turn[0]))
            theirs = by_pillow(state, radius, pose.shift, degrees, pose.flip, size)
            # Pillow's corners are whole pixels, which moves small polygons by more of their size.
            assert overlap(seen, theirs) >= (0.9 if radius >= 20 else 0.8), (radius, pose)

    def test_what_was_outside_before_a_turn_does_not_turn_in(self):
        look = look_of(8, "shift-rotate", image_sh_quant=16)
        pose = polygons.Pose(0, jnp.array([-32, -32]), look.turns[45], jnp.array([1, 1]))
        seen = np.asarray(painted(look, 5, pose))[..., 0] > 0
        assert overlap(seen, by_pillow(5, shift=(-32, -32), degrees=45)) >= 0.9

    def test_a_flip_of_a_picture_is_exact(self):
        look = look_of(8, "flip")
        plain = painted(look, 2, polygons.Pose(0, jnp.zeros(2, int), look.turns[0], jnp.array([1, 1])))
        for flip in ([-1, 1], [1, -1]):
            pose = polygons.Pose(0, jnp.zeros(2, int), look.turns[0], jnp.array(flip))
            seen = painted(look, 2, pose)
            assert np.array_equal(seen, np.asarray(plain)[:: flip[0], :: flip[1]])
        assert not np.array_equal(plain, np.asarray(plain)[::-1])

    def test_the_irrelevant_part_stands_beside_under_the_same_draw(self):
        text = f"{POLYGONS}+irrelevant_features+action_space_size=[8,5]"
        named = build_native(f"{text}+image_transforms={ALL}")
        assert named.spaces["observation"].shape == (200, 100, 1)
        look, key = named.task.env.params.pictures, jax.random.key(3)
        both = np.asarray(observed(key, look, jnp.array([4, 1])))
        for state, part in ((4, both[:100]), (1, both[100:])):
            assert np.array_equal(part, observed(key, look, jnp.array([state])))

    def test_or_under_a_draw_of_its_own(self):
        text = f"{POLYGONS}+irrelevant_features+image_transforms={ALL}"
        together, apart = (
            build_native(text + more).task.env.params.pictures for more in ("", "+image_independent")
        )
        seen = [
            np.asarray(observed(jax.random.key(3), look, jnp.array([4, 4]))) for look in (together, apart)
        ]
        assert np.array_equal(seen[0][:100], seen[0][100:]) and not np.array_equal(
            seen[1][:100], seen[1][100:]
        )
        assert np.array_equal(seen[0][:100], seen[1][:100])


class TestDraws:
    @pytest.mark.parametrize("quantum", [1, 2, 4, 8, 16])
    def test_shifts_are_the_floored_ones(self, quantum):
        found = poses(look_of(8, "shift", image_sh_quant=quantum)).shift
        whole = np.arange(-29, 30)  # -(w/2 - R) + 1 to (w/2 - R) - 1
        expected, times = np.unique(whole // quantum * quantum, return_counts=True)
        for column in found.T:
            values, counts = np.unique(column, return_counts=True)
            assert values.tolist() == expected.tolist()
            assert chi_square(counts, times) < len(times) + 6 * (2 * len(times)) ** 0.5
        if quantum == 16:
            assert expected.tolist() == [-32, -16, 0, 16]

    def test_a_shift_is_where_the_polygon_is(self):
        named = build_native(f"{POLYGONS}+image_transforms=shift+image_sh_quant=8")
        look, key = named.task.env.params.pictures, jax.random.key(5)
        seen = np.asarray(observed(key, look, jnp.array([1])))[..., 0] > 0  # a square on its corner
        x, y = np.nonzero(seen)
        centre = np.array([x.min() + x.max(), y.min() + y.max()]) / 2 + 0.5
        shift = polygons.draw_pose(polygons.stream(key, "image_transforms"), look).shift
        assert np.array_equal(centre, 50 + np.asarray(shift))

    @pytest.mark.parametrize("low, high", [(0.5, 1.5), (0.5, 2.0), (0.9, 1.1)])
    def test_scales_are_log_uniform_between_the_limits(self, low, high):
        look = look_of(8, "scale", image_scale_range=(low, high))
        radii = np.asarray(look.radii)[poses(look).size]
        assert radii.min() == 20 * low and radii.max() == 20 * high - 1
        edges = np.arange(radii.min(), radii.max() + 2)
        counts = np.histogram(radii, edges)[0]
        shares = np.diff(np.log(edges))
        assert chi_square(counts, shares) < len(counts) + 6 * (2 * len(counts)) ** 0.5

    @pytest.mark.parametrize("quantum", [1, 30, 90, 100])
    def test_turns_are_multiples_of_the_quantum(self, quantum):
        turns = poses(look_of(8, "rotate", image_ro_quant=quantum)).turn
        degrees = np.round(np.degrees(np.arctan2(turns[:, 1], turns[:, 0]))).astype(int) % 360
        values, counts = np.unique(degrees, return_counts=True)
        expected, times = np.unique(np.arange(360) // quantum * quantum, return_counts=True)
        assert values.tolist() == expected.tolist()
        assert chi_square(counts, times) < len(times) + 6 * (2 * len(times)) ** 0.5

    def test_a_quarter_is_flipped_each_way(self):
        flips = poses(look_of(8, "flip")).flip
        counts = [np.all(flips == way, -1).sum() for way in ([-1, 1], [1, -1], [1, 1])]
        assert sum(counts) == DRAWS and chi_square(np.array(counts), np.array([1, 1, 2])) < 14  # one in 1,000

    def test_one_transform_leaves_the_draws_of_the_others(self):
        alone, all_four = poses(look_of(8, "rotate")), poses(look_of(8, ALL))
        assert np.array_equal(alone.turn, all_four.turn)
        assert np.array_equal(poses(look_of(8, "flip")).flip, all_four.flip)


def chi_square(counts, shares):
    expected = counts.sum() * shares / shares.sum()
    return float(((counts - expected) ** 2 / expected).sum())


class TestInATask:
    @pytest.mark.parametrize("env", ["toy/discrete", "toy/continuous", "toy/grid"])
    def test_only_what_is_seen_changes(self, env):
        def played(text):
            named = build_native(text)
            space, world = named.spaces["action"], named.reset(step_key(root_of(7), 0))[1]
            rows = []
            for t in range(5):
                action = jnp.full(space.shape, 1, space.dtype)
                out = named.step(step_key(root_of(7), t + 1), world, action)
                world = out.state
                rows.append((out.state, out.reward, out.terminated, out.truncated))
            return rows, np.asarray(out.observation)

        drawn = f"{env}+image_representations" + f"+image_transforms={ALL}" * (env == "toy/discrete")
        (plain, _), (first, seen), (again, seen_again) = played(env), played(drawn), played(drawn)
        assert jax.tree.all(jax.tree.map(np.array_equal, plain, first))
        assert np.array_equal(seen, seen_again) and jax.tree.all(jax.tree.map(np.array_equal, first, again))

    def test_plain_tasks_carry_nothing_of_pictures(self):
        params = build_native("toy/discrete").task.env.params
        assert params.pictures is None
        assert build_native("toy/grid").task.env.params.boards is None

    def test_states_that_look_alike_share_a_picture(self):
        start = "+terminal_state_density=0+init_state_dist=[0,0,0,1,0,0,0,0]"
        alike = build_native(f"{POLYGONS}{start}+aliased=4").reset(jax.random.key(0))[0]
        first = build_native(f"{POLYGONS}+terminal_state_density=0+init_state_dist=[1,0,0,0,0,0,0,0]")
        assert np.array_equal(alike, first.reset(jax.random.key(0))[0])

    def test_a_batch_is_what_each_lane_is_alone(self):
        task = build_native(f"{POLYGONS}+image_transforms={ALL}").task
        keys = jax.random.split(jax.random.key(0), 8)
        together = jax.jit(jax.vmap(lambda key: loop.reset(task, key)[0]))(keys)
        alone = [native_reset(task, key) for key in keys]
        assert np.array_equal(alone, together)

    @pytest.mark.parametrize(
        "text",
        [f"{POLYGONS}+irrelevant_features+image_transforms={ALL}+transition_noise=0.1+reward_noise=1.0",
         "toy/continuous+image_representations+relevant_indices=[0]", "toy/grid+image_representations"],
    )  # fmt: skip
    def test_gymnasiums_checker_is_content(self, text):
        env = assay.make(text, render_mode="rgb_array")
        check_env(env, skip_render_check=True)
        assert env.observation_space.dtype == np.uint8
        assert env.observation_space.contains(env.observation_space.sample())


class TestMaps:
    def test_a_place_by_hand(self):
        shown = maps.draw_plane(
            jnp.array([5.0, -5.0]), jnp.array([10.0, 10.0]), (100, 60),
            targets=jnp.array([[0.0, 0.0]]), ends=jnp.array([[-5.0, 5.0]]), edge=2.0,
        )  # fmt: skip
        shown = np.asarray(shown)
        assert shown.shape == (100, 60, 3) and shown.dtype == np.uint8
        for (x, y), colour in {
            (75, 15): maps.AGENT, (80, 15): maps.AGENT, (70, 15): maps.AGENT, (81, 15): maps.GROUND,
            (75, 20): maps.AGENT, (75, 21): maps.GROUND, (79, 19): maps.GROUND,
            (50, 30): maps.TARGET, (55, 30): maps.TARGET, (56, 30): maps.GROUND,
            (20, 42): maps.END, (30, 48): maps.END, (31, 48): maps.GROUND, (20, 49): maps.GROUND,
            (0, 0): maps.GROUND, (99, 59): maps.GROUND,
        }.items():  # fmt: skip
            assert tuple(shown[x, y]) == colour, (x, y)

    def test_dots_are_pillows_ellipses(self):
        picture = Image.new("L", (40, 30))
        ImageDraw.Draw(picture).ellipse([15, 5, 25, 15], fill=255)
        assert np.array_equal(np.asarray(picture).T > 0, maps.mask_dots(np.array([[20, 10]]), (40, 30)))

    def test_the_agent_covers_the_target_and_is_cut_at_the_border(self):
        corner = jnp.array([10.0, 10.0])
        shown = np.asarray(maps.draw_plane(corner, corner, (50, 50), targets=corner[None]))
        blue = (shown == maps.AGENT).all(-1)
        assert blue[45, 49] and blue[49, 45] and not (shown == maps.TARGET).all(-1).any()

    def test_irrelevant_dimensions_stand_beside_without_target(self):
        named = build_native("toy/continuous+state_space_dim=3+relevant_indices=[0,2]+image_representations")
        assert named.spaces["observation"].shape == (200, 100, 3)
        seen, world = named.reset(jax.random.key(0))
        beside = np.asarray(seen)[100:]
        assert not (beside == maps.TARGET).all(-1).any()
        x = int((float(world.state.shown[1]) + 10) / 20 * 100)
        assert tuple(beside[x, 50]) == maps.AGENT and tuple(beside[x, 56]) == maps.GROUND

    def test_a_board_by_hand(self):
        named = build_native(
            "toy/grid+image_representations+image_width=80+image_height=40+terminal_states=[[3,2]]"
        )
        state = named.reset(jax.random.key(0))[1].state
        shown = np.asarray(
            native_picture(named, state.__class__(jnp.array([1, 6]), None, state.mode, state.time))
        )
        for (x, y), colour in {
            (15, 32): maps.AGENT, (10, 32): maps.AGENT, (20, 32): maps.AGENT, (21, 32): maps.GROUND,
            (75, 37): maps.TARGET, (30, 10): maps.END, (40, 15): maps.END, (39, 12): maps.END,
            (0, 3): maps.LINE, (50, 3): maps.LINE, (53, 20): maps.LINE, (53, 22): maps.GROUND,
        }.items():  # fmt: skip
            assert tuple(shown[x, y]) == colour, (x, y)

    def test_a_second_board_has_neither_target_nor_ends(self):
        named = build_native("toy/grid+image_representations+irrelevant_features+terminal_states=[[3,3]]")
        seen = np.asarray(named.reset(jax.random.key(0))[0])
        assert seen.shape == (200, 100, 3)
        for colour in (maps.TARGET, maps.END):
            marked = (seen == colour).all(-1)
            assert marked[:100].any() and not marked[100:].any()
        assert (seen[100:] == maps.AGENT).all(-1).sum() >= 60


def native_picture(named, state):
    return named.task.env.observation(jax.random.key(0), named.task.env.params, state)


class TestFolder:
    @pytest.fixture
    def folder(self, tmp_path):
        for i, name in enumerate(["b.png", "a.png", "c.png"]):
            Image.new("RGB", (7, 5), (10 * i, 100, 200)).save(tmp_path / name)
        return tmp_path

    def text(self, folder, more=""):
        small = "toy/discrete+action_space_size=3+reward_density=0.5"
        return f'{small}+image_representations+image_folder="{folder}"{more}'

    def test_states_follow_the_alphabet(self, folder):
        look = build_native(self.text(folder)).task.env.params.pictures
        for state, red in enumerate([10, 0, 20]):
            seen = np.asarray(observed(jax.random.key(0), look, jnp.array([state])))
            assert seen.shape == (100, 100, 3)
            x, y = np.nonzero(seen[..., 2])
            assert (x.min(), x.max(), y.min(), y.max()) == (35, 64, 35, 64)  # 20 * 2**0.5, up to even: 30
            assert tuple(seen[50, 50]) == (red, 100, 200)

    def test_textures_fill_the_polygon(self, folder):
        look = build_native(self.text(folder, "+image_fill=textures")).task.env.params.pictures
        seen = np.asarray(observed(jax.random.key(0), look, jnp.array([1])))
        assert overlap(seen[..., 2] > 0, by_pillow(1)) >= 0.9

    def test_a_picture_is_turned_and_flipped_as_a_whole(self):
        look = look_of(8, "rotate-flip", image_folder="samples")
        plain = np.asarray(
            painted(look, 3, polygons.Pose(0, jnp.zeros(2, int), look.turns[0], np.array([1, 1])))
        )
        pose = polygons.Pose(0, jnp.zeros(2, int), look.turns[90], np.array([-1, 1]))
        theirs = np.asarray(Image.fromarray(plain.swapaxes(0, 1)).rotate(90)).swapaxes(0, 1)[::-1]
        assert np.array_equal(painted(look, 3, pose), theirs)

    def test_what_cannot_be_used_is_named(self, folder):
        with pytest.raises(NotApplicable, match=r"holds 3 files for 8 states"):
            build_native(f'{POLYGONS}+image_folder="{folder}"')
        with pytest.raises(NotApplicable, match=r"'/no/such' is not a folder"):
            build_native(f'{POLYGONS}+image_folder="/no/such"')
        (folder / "b.png").write_text("no picture")
        with pytest.raises(NotApplicable, match=r"b\.png of image_folder cannot be read"):
            build_native(self.text(folder))


class TestRender:
    @pytest.mark.parametrize("env", ["toy/discrete", "toy/continuous", "toy/grid"])
    def test_a_picture_in_colour_whatever_is_observed(self, env):
        played = assay.make(env, render_mode="rgb_array")
        played.reset(seed=3)
        drawn = build_native(f"{env}+image_representations").reset(step_key(episode_key(root_of(3), 0), 0))[0]
        assert played.render().shape == (100, 100, 3) and played.render().dtype == np.uint8
        assert np.array_equal(played.render(), np.broadcast_to(drawn, (100, 100, 3)).swapaxes(0, 1))

    def test_it_follows_the_steps(self):
        env = assay.make("toy/grid+target_point=[0,0]", render_mode="rgb_array")
        cell, _ = env.reset(seed=3)
        cell, *_ = env.step(2)
        x, y = (2 * cell + 1) * 100 // 16
        assert tuple(env.render()[y, x]) == maps.AGENT

    def test_what_cannot_be_drawn_says_so_when_made(self):
        with pytest.raises(NotApplicable, match=r"up to 2 dimensions, and the relevant part has 3"):
            assay.make("toy/continuous+state_space_dim=3", render_mode="rgb_array")
        with pytest.raises(NotApplicable, match=r"rgb_array, not as 'human'"):
            assay.make("toy/discrete", render_mode="human")
        with pytest.raises(AssayError, match="reset"):
            assay.make("toy/grid", render_mode="rgb_array").render()


@pytest.mark.parametrize(
    "text, kind, words",
    [("toy/discrete+image_width=64", NotApplicable, "image_width acts only with image_representations"),
     (f"{POLYGONS}+image_sh_quant=2", NotApplicable, "image_sh_quant acts only with image_transforms"),
     (f"{POLYGONS}+image_transforms=rotate+image_sh_quant=2", NotApplicable, "only with shift among"),
     (f"{POLYGONS}+image_transforms=shift+image_scale_range=[0.5,2.0]", NotApplicable, "only with scale"),
     (f"{POLYGONS}+image_transforms=twist", WrongLevel, "image_transforms takes none, or words.*'twist'"),
     (f"{POLYGONS}+image_transforms=scale+image_scale_range=[2.0,0.5]", WrongLevel, "scale_range takes"),
     (f"{POLYGONS}+image_transforms=shift+image_sh_quant=0", WrongLevel, "image_sh_quant takes"),
     (f"{POLYGONS}+image_transforms=shift+image_sh_quant=51", NotApplicable, "at most half of image_width"),
     (f"{POLYGONS}+image_transforms=scale-shift+image_width=50", NotApplicable, "radius 29 no room to shift"),
     (f"{POLYGONS}+image_width=20", WrongLevel, "image_width takes a whole number from 42 to 1000"),
     (f"{POLYGONS}+action_space_size=600", NotApplicable, "up to 512 states, not 600"),
     (f"{POLYGONS}+image_independent", NotApplicable, "image_independent acts only with"),
     (f"{POLYGONS}+image_fill=textures", NotApplicable, "image_fill acts only with image_folder"),
     ("toy/continuous+image_representations+state_space_dim=3", NotApplicable, "relevant part has 3"),
     ("toy/continuous+image_representations+state_space_dim=4+relevant_indices=[0]", NotApplicable,
      "irrelevant part has 3"),
     ("toy/continuous+image_representations+transition_dynamics_order=2+observe_velocity", NotApplicable,
      "nothing for observe_velocity"),
     ("toy/grid+image_representations+grid_shape=[3,3,3]", NotApplicable, "relevant part has 3")],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(text, kind, words):
    with pytest.raises(kind, match=words):
        build_native(text)


@pytest.mark.parametrize("written", ["shift,scale", "scale shift", "shift+scale", ["shift", "scale"]])
def test_transforms_have_one_text(written):
    written = written.replace(" ", ",") if isinstance(written, str) else written
    found = assay.task(POLYGONS, {"image_transforms": written})
    assert str(found) == f"{POLYGONS}+image_transforms=scale-shift"
