//! Normal deviates for the tests of this crate.

/// Normal enough: the sum of twelve uniform numbers less six.
pub(crate) struct Noise(pub u64);

impl Noise {
    pub(crate) fn draw(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}
