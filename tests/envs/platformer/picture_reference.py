"""A slow painter of the platformer in numpy, written from the specification alone.

It shares no code with the renderer of `assay.envs.platformer`, only palettes and art; the tests hold the two
together. Later coats cover earlier ones, pixel by pixel.
"""

import numpy as np
from PIL import Image

from assay.envs.platformer import art
from assay.envs.platformer.palettes import (
    BACKGROUND_COLORS,
    FOLDERS,
    LAYOUT_COLORS,
    LAYOUT_COLORS_OF_KAGE,
    LIGHT_COLORS,
    POP_FILTERS,
    SHAPE_COLORS,
    SHAPES,
)

f32 = np.float32


class Painter:
    """Paints the states and scenes of one task. `images` and `skins` are given where they are not ours.

    `slack` makes every turned shape larger by that share of itself: with one a little above and one a little
    below nothing, the pixels that rounding decides are known.
    """

    def __init__(self, settings, images=None, skins=None, slack=0.0):
        self.s, self.slack = settings, slack
        self.kage = settings.compat == "kage"
        background, character, npc = settings.background, settings.character, settings.npc
        self.images = images if images is not None else our_images(background, settings.H)
        self.skins = skins or our_skins(character.sprite_dir, character.sprite_paths)
        self.npc_skins = skins or our_skins(npc.sprite_dir, npc.sprite_paths)
        self.sticky_skins = skins or our_skins(npc.sticky_sprite_dir, npc.sticky_sprite_dirs)
        self.half_h = character.height // 2

    def paint(self, state, scene, behind=0):
        """The frame, (H, W, 3) uint8; `behind` stands for the noise of a noisy background."""
        self.camera = round(float(state.camera_x))
        frame = self.backdrop(state, scene, behind)
        if scene.distractors is not None:
            self.distractors(frame, scene.distractors)
        self.level(frame, state, scene)
        if scene.npcs is not None:
            self.npcs(frame, scene.npcs)
        if scene.sticky is not None:
            self.sticky(frame, state, scene.sticky)
        self.agent(frame, state, scene)
        if scene.preset is not None:
            frame = cut(PRESETS[POP_FILTERS[int(scene.preset)]](frame.astype(f32)))
        frame = filtered(frame, self.s.filters)
        return self.lit(frame, scene.lights) if self.s.effects.point_light_enabled else frame

    def backdrop(self, state, scene, behind):
        frame = np.zeros((self.s.H, self.s.W, 3), np.uint8)
        mode = self.s.background.mode
        if mode == "noise":
            frame[:] = behind
        if mode == "color":
            frame[:] = list(BACKGROUND_COLORS.values())[int(scene.background)]
        if mode == "image":
            image = self.images[int(scene.background)]
            offset = int(np.rint(f32(state.camera_x) * f32(self.s.background.parallax_factor)))
            wide = image.shape[1]
            for c in range(self.s.W):
                source = c + offset
                source = source % wide if self.s.background.tile_horizontal else min(source, wide - 1)
                frame[:, c] = image[:, source]
        return frame

    def distractors(self, frame, shapes):
        for k in range(len(shapes.x)):
            angle, size = float(shapes.angle[k]), float(shapes.size[k])
            turned = angle if self.kage else np.radians(angle)
            ends = (-16, 16) if self.kage else (-2 * int(size), 2 * int(size) + 1)
            figure = Figure(SHAPES[int(shapes.shape[k])], turned, size / 2, max(1, size / 8) / 2,
                            (0.5 * size, 0.3 * size), (size / 2, size), self.slack)  # fmt: skip
            color = list(SHAPE_COLORS.values())[int(shapes.color[k])]
            centre = round(float(shapes.x[k])), round(float(shapes.y[k]))
            self.figure(frame, figure, centre, color, ends)

    def figure(self, frame, figure, centre, color, ends):
        offsets = np.arange(*ends, dtype=float)
        for dy, dx in np.argwhere(figure.covers(offsets[None], offsets[:, None])) + ends[0]:
            c, r = centre[0] + dx, centre[1] + dy
            if 0 <= r < self.s.H and 0 <= c < self.s.W:
                frame[r, c] = color

    def level(self, frame, state, scene):
        colors = LAYOUT_COLORS_OF_KAGE if self.kage else LAYOUT_COLORS
        color = list(colors.values())[int(scene.ground_color)]
        layout = self.s.layout
        for c in range(self.s.W):
            column = min(max(c + self.camera, 0), layout.length - 1)
            top = int(state.tops[column // layout.run_width])
            rows = set(range(top, top + layout.ground_thickness))
            if column:
                before = int(state.tops[(column - 1) // layout.run_width])
                rows |= set(range(min(before, top), max(before, top)))
            for r in rows:
                if 0 <= r < min(self.s.H, layout.height_px):
                    frame[r, c] = color

    def npcs(self, frame, npcs):
        lower = 0 if self.kage else 2  # the original leaves two rows of air below their feet
        # The original draws nobody further beyond an edge than the agent is wide, not even wide skins.
        far = self.s.character.width if self.kage else 10_000
        for k in range(len(npcs.x)):
            x = int(npcs.x[k]) - self.camera
            if npcs.x[k] > 0 and -far <= x < self.s.W + far:
                idle = self.npc_skins[int(npcs.skin[k])].idle
                self.sprite(frame, idle[min(int(npcs.frame[k]), len(idle) - 1)], x, int(npcs.y[k]) + lower)

    def sticky(self, frame, state, sticky):
        x = round(float(state.x) - float(state.camera_x))
        for k in range(int(sticky.count)):
            walk = self.sticky_skins[int(sticky.skin[k])].walk
            shown = walk[min(int(sticky.frame[k]), len(walk) - 1)]
            self.sprite(frame, shown, x + int(sticky.offset[k]), round(float(sticky.y[k])))

    def agent(self, frame, state, scene):
        character = self.s.character
        x, y = round(float(state.x) - float(state.camera_x)), round(float(state.y) + 1)
        if character.use_sprites:
            skin = self.skins[int(scene.skin)]
            moves = character.enable_animation and abs(state.vx) > f32(0.1)
            frames = skin.walk if moves else skin.idle
            self.sprite(frame, frames[min(int(scene.frame), len(frames) - 1)], x, y)
            return
        wide, high = character.width, character.height
        r = min(wide, high) / 2
        figure = Figure(SHAPES[int(scene.shape)], np.radians(float(scene.angle)), r, max(1, r / 4) / 2,
                        (wide / 2, high / 2), (r, r), self.slack)  # fmt: skip
        color = list(SHAPE_COLORS.values())[int(scene.shape_color)]
        self.figure(frame, figure, (x, y), color, (-wide - high, wide + high + 1))

    def sprite(self, frame, sprite, x, y):
        high, wide = sprite.shape[:2]
        left, top = x - wide // 2, y + self.half_h - high
        for r in range(max(top, 0), min(top + high, self.s.H)):
            for c in range(max(left, 0), min(left + wide, self.s.W)):
                *color, alpha = (int(v) for v in sprite[r - top, c - left])
                for k in range(3):
                    frame[r, c, k] = (alpha * color[k] + (255 - alpha) * int(frame[r, c, k])) // 255

    def lit(self, frame, places):
        effects = self.s.effects
        names = effects.point_light_color_names
        row, column = np.mgrid[: self.s.H, : self.s.W].astype(f32)
        reach = f32(np.hypot(self.s.H, self.s.W)) * f32(effects.point_light_radius)
        out = frame.astype(f32)
        for i in range(min(effects.point_light_count, 5)):
            x, y = f32(places[i][0]) * self.s.W, f32(places[i][1]) * self.s.H
            far = np.sqrt((column - x) ** 2 + (row - y) ** 2) / reach
            mask = np.clip(1 / (1 + far ** f32(effects.point_light_falloff)), 0, 1)
            color = np.array(LIGHT_COLORS[names[i % len(names)]], f32)
            out += mask[..., None] * color * f32(effects.point_light_intensity)
        return cut(out)


def our_images(background, height):
    """Shipped ones are square; at other heights they are scaled."""
    names = background.image_paths or FOLDERS[background.image_dir]
    found = [art.backgrounds()[int(name.removeprefix("bg-")) - 1] for name in names]
    if height == 128:
        return found
    return [np.asarray(Image.fromarray(one).resize((height, height), Image.LANCZOS)) for one in found]


def our_skins(folder, names):
    shipped = art.skins()
    names = names or FOLDERS.get(folder, ())
    return [shipped[name] for name in names if name in shipped]


class Figure:
    """A shape around a pixel: `r` its radius, `thin` half a line's thickness, and the two pairs of axes."""

    def __init__(self, name, angle, r, thin, ellipse, diamond, slack):
        self.name, self.angle, self.r, self.thin = name, angle, r, thin
        self.ellipse, self.diamond, self.shrink = ellipse, diamond, 1 - slack
        corners = {"triangle": 3, "polygon": 6, "star": 10}.get(name, 0)
        inner = r * np.sin(np.pi / 10) / np.sin(3 * np.pi / 10)
        self.corners = []
        for k in range(corners):
            at = -np.pi / 2 + angle + k * 2 * np.pi / corners
            far = inner if name == "star" and k % 2 else r
            # Rounded, so that what is half of r is just that: a pixel row there is not covered.
            self.corners.append((round(far * np.cos(at), 9), round(far * np.sin(at), 9)))

    def covers(self, dx, dy):
        dx, dy = dx * self.shrink, dy * self.shrink
        x = abs(np.round(dx * np.cos(self.angle) - dy * np.sin(self.angle), 9))
        y = abs(np.round(dx * np.sin(self.angle) + dy * np.cos(self.angle), 9))
        match self.name:
            case "circle":
                return dx**2 + dy**2 <= self.r**2
            case "square":
                return (x <= self.r) & (y <= self.r)
            case "line":
                return (x <= self.r) & (y <= self.thin)
            case "cross":
                return (x <= self.r) & (y <= self.thin) | (y <= self.r) & (x <= self.thin)
            case "ellipse":
                return (x / self.ellipse[0]) ** 2 + (y / self.ellipse[1]) ** 2 <= 1 + 1e-9
            case "diamond":
                return x / self.diamond[0] + y / self.diamond[1] <= 1 + 1e-9
        return self.within_corners(dx, dy)

    def within_corners(self, dx, dy):
        inside = np.zeros(np.broadcast_shapes(dx.shape, dy.shape), bool)
        for (x0, y0), (x1, y1) in zip(self.corners, self.corners[1:] + self.corners[:1]):
            if y0 != y1:
                crossing = x0 + (dy - y0) * (x1 - x0) / (y1 - y0)
                inside ^= ((y0 > dy) != (y1 > dy)) & (dx < crossing - 1e-9)  # on the edge: not left of it
        return inside


# Filters: a float32 frame in, one out; the frame is cut to bytes once, at the end.


def cut(v):
    return np.clip(v, 0, 255).astype(np.uint8)


def clipped(v):
    return np.clip(v, 0, 255).astype(f32)


def brightness(v, b):
    return clipped(v + f32(100) * f32(b))


def contrast(v, c):
    return clipped((v - f32(128)) * f32(c) + f32(128))


def gamma(v, g):
    return f32(255) * (v / f32(255)) ** f32(g)


def saturation_and_hue(v, s, d):
    hue, sat, value = to_hsv(*np.moveaxis(v / f32(255), -1, 0))
    if s != 1:
        sat = np.clip(sat * f32(s), 0, 1)
    if d != 0:
        hue = np.mod(hue + f32(d), f32(360))
    return clipped(f32(255) * to_rgb(hue, sat, value))


def to_hsv(r, g, b):
    most = np.maximum(np.maximum(r, g), b)
    delta = most - np.minimum(np.minimum(r, g), b)
    by = np.where(delta == 0, f32(1), delta)
    hue = 60 * np.mod((g - b) / by, f32(6))
    hue = np.where(most == g, 60 * ((b - r) / by + 2), hue)
    hue = np.where(most == b, 60 * ((r - g) / by + 4), hue)
    return np.where(delta == 0, f32(0), hue), delta / np.where(most == 0, f32(1), most), most


def to_rgb(hue, sat, value):
    c = value * sat
    x = c * (1 - abs(np.mod(hue / f32(60), f32(2)) - 1))
    none = np.zeros_like(c)
    sectors = [(c, x, none), (x, c, none), (none, c, x), (none, x, c), (x, none, c), (c, none, x)]
    sector = np.floor(hue / 60).astype(int) % 6
    out = np.zeros((*hue.shape, 3), f32)
    for number, channels in enumerate(sectors):
        out[sector == number] = np.stack(channels, -1)[sector == number]
    return out + (value - c)[..., None]


def color_temp(v, k):
    warm, cool = max(0, k), max(0, -k)
    change = [30 * warm - 15 * cool, 0, 30 * cool - 15 * warm]
    return clipped(v + np.array(change, f32))


def blurred(v, f):
    padded = np.pad(v, ((1, 1), (1, 1), (0, 0)), mode="edge")
    high, wide = v.shape[:2]
    near = sum(padded[r : r + high, c : c + wide] for r in range(3) for c in range(3))
    mean = near / f32(9)
    return v * f32(1 - f) + mean * f32(f)


def blur(v, sigma):
    return blurred(v, min(max(sigma / 2.5, 0), 1))


def sharpen(v, a):
    return clipped(v + f32(a) * (v - blurred(v, 0.4)))


def pixelate(v, n):
    high, wide = v.shape[:2]
    low, narrow = max(1, high // n), max(1, wide // n)
    small = v[np.ix_(nearest(high, low), nearest(wide, narrow))]
    return small[np.ix_(nearest(low, high), nearest(narrow, wide))]


def nearest(size, wanted):
    return [int(np.floor((i + 0.5) * size / wanted)) for i in range(wanted)]


def distance(v):
    high, wide = v.shape[:2]
    row, column = np.mgrid[:high, :wide].astype(f32)
    far = np.sqrt((row - high / 2) ** 2 + (column - wide / 2) ** 2)
    return (far / np.sqrt((high / 2) ** 2 + (wide / 2) ** 2)).astype(f32)[..., None]


def vignette(v, s):
    return v * np.clip(1 - f32(s) * distance(v) ** 2, 0, 1)


def radial_light(v, s, color):
    return clipped(v + f32(s) * np.clip(1 - distance(v) ** f32(1.5), 0, 1) * np.array(color, f32))


def filtered(frame, f):
    """Every filter that draws nothing at random, in order; the frame itself where all are neutral."""
    v = frame.astype(f32)
    if f.brightness != 0:
        v = brightness(v, f.brightness)
    if f.contrast != 1:
        v = contrast(v, f.contrast)
    if f.gamma != 1:
        v = gamma(v, f.gamma)
    if f.saturation != 1 or f.hue_shift != 0:
        v = saturation_and_hue(v, f.saturation, f.hue_shift)
    if f.color_temp != 0:
        v = color_temp(v, f.color_temp)
    if f.blur_sigma != 0:
        v = blur(v, f.blur_sigma)
    if f.sharpen_amount != 0:
        v = sharpen(v, f.sharpen_amount)
    if f.pixelate_factor != 1:
        v = pixelate(v, f.pixelate_factor)
    if f.vignette_strength != 0:
        v = vignette(v, f.vignette_strength)
    if f.radial_light_strength != 0:
        v = radial_light(v, f.radial_light_strength, f.radial_light_color)
    return cut(v)


PRESETS = {
    "vintage": lambda v: contrast(
        vignette(color_temp(saturation_and_hue(v, 0.7, 0), 0.3), 0.3), 1.1
    ),
    "horror": lambda v: contrast(
        vignette(brightness(color_temp(saturation_and_hue(v, 0.3, 0), -0.4), -0.2), 0.6), 1.4
    ),
    "retro": lambda v: contrast(
        brightness(saturation_and_hue(saturation_and_hue(v, 1.5, 0), 1, 15), 0.1), 0.9
    ),
    "cyberpunk": lambda v: sharpen(
        contrast(color_temp(saturation_and_hue(v, 1.8, 0), -0.2), 1.3), 0.5
    ),
    "noir": lambda v: vignette(contrast(saturation_and_hue(v, 0, 0), 1.6), 0.4),
    "none": lambda v: v,
}  # fmt: skip
