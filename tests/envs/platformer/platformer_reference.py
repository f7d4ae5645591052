"""A slow platformer in numpy with a mask of solid pixels, written from the specification alone.

It shares no code with `assay.envs.platformer`; the tests hold the two equal, bit for bit.
"""

import numpy as np

f32 = np.float32

DEFAULTS = {
    "layout.length": 2048, "layout.height_px": 128, "layout.base_ground_y": 96, "layout.pix_per_unit": 2,
    "layout.ground_thickness": 2, "layout.run_width": 25, "character.width": 16, "character.height": 24,
    "physics.gravity": 0.75, "physics.move_speed": 1, "physics.jump_force": -7.5,
    "physics.ground_friction": 0.8, "physics.air_resistance": 0.95, "physics.max_fall_speed": 8.0,
    "physics.coyote_time": 3, "physics.ground_accel": 1.0, "physics.air_accel": 0.4,
    "physics.ground_snap_dist": 2, "camera.left_margin": 40, "camera.right_margin": 40, "W": 128,
    "forward_reward_scale": 0.2, "jump_penalty": 10.0, "timestep_penalty": 0.1, "idle_penalty": 5.0,
    "dist_to_success": 490.0,
}  # fmt: skip


class Reference:
    """One episode on given heights; `step(action)` returns the reward."""

    def __init__(self, heights, **settings):
        self.p = DEFAULTS | settings
        length, rows, run = (self.p[f"layout.{n}"] for n in ("length", "height_px", "run_width"))
        self.top = np.empty(length, int)
        for c in range(length):
            self.top[c] = self.p["layout.base_ground_y"] - self.p["layout.pix_per_unit"] * heights[c // run]
        self.solid = np.zeros((rows, length), bool)
        for c in range(length):
            self.fill(c, self.top[c], self.top[c] + self.p["layout.ground_thickness"])
            if c and self.top[c] != self.top[c - 1]:
                self.fill(c, min(self.top[c], self.top[c - 1]), max(self.top[c], self.top[c - 1]))
        self.half_w, self.half_h = self.p["character.width"] // 2, self.p["character.height"] // 2
        self.x, self.y = map(f32, self.spawn())
        self.begin()

    def fill(self, column, first, end):
        for row in range(max(first, 0), min(end, self.solid.shape[0])):
            self.solid[row, column] = True

    def begin(self):
        self.vx = self.vy = self.vx_sum = self.vy_sum = f32(0)
        self.grounded, self.coyote, self.t, self.jump_count = False, 0, 0, 0
        self.initial_x = self.x_max = self.x
        self.success = self.success_once = False
        world, screen = self.p["layout.length"], self.p["W"]
        self.camera_x = f32(min(max(self.x - screen // 2, 0), world - screen))

    def any_solid(self, left, right, upper, lower):
        rows, columns = self.solid.shape
        for row in range(upper, lower + 1):
            for column in range(left, right + 1):
                if self.solid[min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)]:
                    return True
        return False

    def hits(self, cx, cy):
        return self.any_solid(cx - self.half_w, cx + self.half_w, cy - self.half_h, cy + self.half_h)

    def spawn(self):
        for i in range(20):
            cx = 64 + i * (self.p["character.width"] + 4)
            cx = min(max(cx, self.half_w), self.p["layout.length"] - self.half_w - 1)
            cy = int(self.top[cx]) - self.half_h - 2
            if not self.hits(cx, cy):
                return cx, cy
        return 64, 64

    def physics(self, name):
        value = self.p[f"physics.{name}"]
        return value if name in ("coyote_time", "ground_snap_dist") else f32(value)

    def step(self, action):
        left, right, jump = bool(action & 1), bool(action & 2), bool(action & 4)
        dx = f32(int(right) - int(left))
        cx0, cy0 = int(np.rint(self.x)), int(np.rint(self.y))
        feet = cy0 + self.half_h
        touching = self.any_solid(
            cx0 - self.half_w, cx0 + self.half_w, feet + 1, feet + self.physics("ground_snap_dist")
        )
        grounded = touching and self.vy >= 0
        late = self.physics("coyote_time")
        coyote = 0 if grounded else min(self.coyote + 1, late + 1)
        vy = self.vy
        if jump and coyote <= late:
            vy, grounded, coyote = self.physics("jump_force"), False, late + 1
        friction = self.physics("ground_friction" if grounded else "air_resistance")
        accel = self.physics("ground_accel" if grounded else "air_accel")
        fastest = self.physics("move_speed")
        vx = np.clip(f32(self.vx * friction) + f32(accel * dx), -fastest, fastest)
        vy = np.clip(vy + self.physics("gravity"), f32(-100), self.physics("max_fall_speed"))
        x1 = np.clip(self.x + vx, f32(self.half_w), f32(self.p["layout.length"] - 1 - self.half_w))
        y1 = np.clip(self.y + vy, f32(self.half_h), f32(self.p["layout.height_px"] - 1 - self.half_h))
        cx1, cy1 = int(np.rint(x1)), int(np.rint(y1))
        cx = cx1
        while cx != cx0 and self.hits(cx, cy0):
            cx += 1 if cx < cx0 else -1
        cy = cy1
        while cy != cy0 and self.hits(cx, cy):
            cy += 1 if cy < cy0 else -1
        vx, vy = f32(0) if cx != cx1 else vx, f32(0) if cy != cy1 else vy
        return self.settle(f32(cx), f32(cy), vx, vy, grounded, coyote, jump)

    def settle(self, x, y, vx, vy, grounded, coyote, jump):
        p = self.p
        reward = f32(f32(p["forward_reward_scale"]) * max(f32(0), f32(x - self.x_max)))
        reward = f32(reward - (f32(p["jump_penalty"]) if jump else f32(0)))
        reward = f32(reward - f32(p["timestep_penalty"]))
        reward = f32(reward - (f32(p["idle_penalty"]) if x == self.x else f32(0)))
        self.x, self.y, self.vx, self.vy, self.grounded, self.coyote = x, y, vx, vy, grounded, coyote
        self.x_max = max(self.x_max, x)
        self.t += 1
        self.jump_count += jump
        on_screen = x - self.camera_x
        if on_screen < p["camera.left_margin"]:
            self.camera_x -= p["camera.left_margin"] - on_screen
        elif on_screen > p["W"] - p["camera.right_margin"]:
            self.camera_x += on_screen - (p["W"] - p["camera.right_margin"])
        self.camera_x = f32(min(max(self.camera_x, 0), p["layout.length"] - p["W"]))
        distance, goal = f32(x - self.initial_x), f32(p["dist_to_success"])
        self.success = bool(distance >= goal)
        self.success_once = self.success_once or self.success
        self.vx_sum, self.vy_sum = f32(self.vx_sum + vx), f32(self.vy_sum + vy)
        return reward
