//! Shares over a limit and slopes, by seeded simulation with known truth.

use narrows_stats::{Slice, exceedance, slope};

/// `SplitMix64` (Steele, Lea & Flood 2014).
struct Draw(u64);

impl Draw {
    /// In (0, 1].
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Slices of a process that is slow or fast for stretches: 2 % slow on average, stretches of `stretch` operations.
fn slices(draw: &mut Draw, stretch: f64) -> Vec<Slice> {
    let (share, operations) = (0.02, 400);
    let mut slow = draw.unit() <= share;
    (0..100)
        .map(|_| {
            let mut over = 0;
            for _ in 0..operations {
                if draw.unit() <= 1.0 / stretch {
                    slow = draw.unit() <= share;
                }
                over += u64::from(slow);
            }
            Slice { operations, over }
        })
        .collect()
}

#[test]
fn the_share_is_covered_however_slow_operations_clump() {
    // Short of 95 % where a window holds only a score of clumps: their number itself is uncertain.
    for (stretch, least) in [(1.0, 0.94), (20.0, 0.92), (100.0, 0.85)] {
        let mut draw = Draw(17);
        let (mut covered, mut clumping) = (0, 0.0);
        for _ in 0..400 {
            let found = exceedance(&slices(&mut draw, stretch)).expect("many slices");
            covered += u32::from(found.interval_95.0 <= 0.02 && 0.02 <= found.interval_95.1);
            clumping += found.clumping / 400.0;
        }
        println!("stretches of {stretch}: {covered} of 400 covered, clumping {clumping:.1}");
        assert!(f64::from(covered) >= least * 400.0, "stretch {stretch}: {covered} of 400");
        // Renewal of stretches with chance 1/s: variance ratio (2 − 1/s)·s, about 2s − 1.
        let truth = 2.0 * stretch - 1.0;
        assert!((0.6..1.5).contains(&(clumping / truth)), "{clumping} beside {truth}");
    }
}

#[test]
fn the_slope_is_covered_also_among_like_neighbours() {
    for (rho, least) in [(0.0, 0.93), (0.5, 0.90)] {
        let mut draw = Draw(23);
        let mut covered = 0;
        for _ in 0..400 {
            let mut level = 0.0;
            let series: Vec<f64> = (0..120)
                .map(|i| {
                    level = rho * level + draw.normal();
                    level + 0.03 * f64::from(i)
                })
                .collect();
            let (low, high) = slope(&series).expect("long enough").interval_95;
            covered += u32::from(low <= 0.03 && 0.03 <= high);
        }
        println!("correlation {rho}: {covered} of 400 slopes covered");
        assert!(f64::from(covered) >= least * 400.0, "correlation {rho}: {covered} of 400");
    }
}
