#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests speed_picture.py on a record made by hand, and compares the committed picture with its drawing of
docs/performance.md."""
import math
import unittest
import xml.etree.ElementTree

import speed_picture

PICTURE = speed_picture.RECORD.parent / "figures/speed_cusparse.svg"
PAGE = """# Performance
One run on one NVIDIA X1 (driver 1.2, CUDA 13.0), on 2026-01-02,
commit abc.

| matrix | best of ours us | cuSPARSE us | cuSPARSE / ours |
| --- | --- | --- | --- |
| a<b | 50 levelset | 100 | 2.00 |
| c | 8.0 tiled | 64 | 8.00 |
| d | 10 fused | 5 | 0.500 |

| matrix | levelset | sptrsv | cusparse |
| --- | --- | --- | --- |
| a<b | 50 | 125\\* | 100 |
| c | - | 16 | 64\\* |
| d | 11 | 10 | 5 |
"""


class SpeedPicture(unittest.TestCase):
    def setUp(self):
        self.speeds, self.device, self.date = speed_picture.read(PAGE)
        self.svg = xml.etree.ElementTree.fromstring(speed_picture.picture(self.speeds, self.device, self.date))

    def test_the_record_is_read_fastest_first(self):
        self.assertEqual([tuple(s) for s in self.speeds],
                         [("c", "tiled", 8, 4), ("a<b", "levelset", 2, 0.8), ("d", "fused", 0.5, 0.5)])
        self.assertEqual((self.device, self.date), ("NVIDIA X1", "2026-01-02"))

    def test_device_date_and_means_are_named(self):
        texts = " ".join(t.text for t in self.svg.findall("{*}text"))
        chosen = f"{math.pow(4 * 0.8 * 0.5, 1 / 3):.2f} (sptrsv)"
        for part in ("NVIDIA X1, 2026-01-02", "3 lower triangles", "2.00 (fastest type)", chosen, "a<b"):
            self.assertIn(part, texts)

    def test_lengths_are_logarithmic_and_losses_have_a_color_of_their_own(self):
        bars = [r for r in self.svg.findall("{*}rect") if float(r.get("y", 0)) >= speed_picture.TOP]
        gain, less, loss = [float(b.get("width")) for b in bars]
        self.assertAlmostEqual(gain, 3 * less, delta=0.3)
        self.assertAlmostEqual(loss, less, delta=0.3)
        self.assertEqual([b.get("fill") for b in bars], [speed_picture.OURS] * 2 + [speed_picture.LOSS])
        self.assertAlmostEqual(float(bars[2].get("x")) + loss, float(bars[0].get("x")), delta=0.3)

    def test_a_record_that_lacks_something_is_refused(self):
        for missing in ("NVIDIA X1", "cuSPARSE / ours", "sptrsv"):
            with self.assertRaises(ValueError):
                speed_picture.read(PAGE.replace(missing, "something"))

    def test_the_committed_picture_is_of_the_record(self):
        drawn = speed_picture.picture(*speed_picture.read(speed_picture.RECORD.read_text(encoding="utf-8")))
        self.assertTrue(PICTURE.read_text(encoding="utf-8") == drawn,
                        f"draw it anew: tools/speed_picture.py > docs/figures/{PICTURE.name}")

    def test_the_mean_is_the_one_that_the_page_states(self):
        text = speed_picture.RECORD.read_text(encoding="utf-8")
        mean = speed_picture.geometric_mean([s.ratio for s in speed_picture.read(text)[0]])
        self.assertIn(f"Compared with cuSPARSE: {mean:.2f} times as fast in geometric mean", text)


if __name__ == "__main__":
    unittest.main()
