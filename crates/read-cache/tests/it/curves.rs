//! Curves from samples beside the exact ones.

use narrows_read_cache::{MissCurve, Page, ReuseSampler, ReuseSettings};

use crate::oracle::Oracle;
use crate::traces::{cycle, two_pools, zipf};

fn curve(references: &[u64], pages: u32, samples: u32) -> MissCurve {
    let mut sampler = ReuseSampler::new(ReuseSettings { pages, samples });
    references.iter().for_each(|page| sampler.reference(Page(*page)));
    sampler.curve().expect("there are references")
}

/// 100 sizes up to `most`.
fn sizes(most: u64) -> impl Iterator<Item = u64> {
    (1..=100).map(move |step| most * step / 100)
}

/// A scan, then a loop over a part of it, then skew: different work one after another.
fn mixed() -> Vec<u64> {
    let mut all: Vec<u64> = (50_000..58_000).collect();
    all.extend(cycle(3_000, 12_000).iter().map(|page| page + 50_000));
    all.extend(zipf(20_000, 0.9, 30_000, 4));
    all
}

fn traces() -> [(&'static str, Vec<u64>, u64); 5] {
    [
        ("zipf 0.9", zipf(20_000, 0.9, 50_000, 1), 10_000),
        ("zipf 1.2", zipf(20_000, 1.2, 50_000, 2), 4_000),
        ("loop", cycle(3_000, 30_000), 6_000),
        ("two pools", two_pools(50_000, 3), 10_000),
        ("mixed", mixed(), 10_000),
    ]
}

#[test]
fn a_sample_of_everything_is_exact() {
    for (name, trace, most) in traces() {
        let (curve, exact) = (curve(&trace, 32 << 10, 5), Oracle::of(&trace));
        assert_eq!(curve.sampled_share(), 1.0, "{name}");
        for size in sizes(most).chain(1..500) {
            let ratio = curve.at(size);
            assert_eq!((ratio.low, ratio.high), (ratio.median, ratio.median), "{name}");
            // Beyond 512 depths are counted in steps of less than a 256th, never in favour of the cache.
            let (above, below) = (exact.miss_ratio(size - size / 256), exact.miss_ratio(size));
            let fits = ratio.median <= above + 1e-9 && ratio.median >= below - 1e-9;
            assert!(fits, "{name}, {size}: {} within {below}..{above}", ratio.median);
        }
    }
}

#[test]
fn a_small_sample_is_close_to_the_exact_curve_and_its_band_holds_it() {
    for (name, trace, most) in traces() {
        let (curve, exact) = (curve(&trace, 1024, 7), Oracle::of(&trace));
        assert!(curve.sampled_share() < 0.6, "{name}: {}", curve.sampled_share());
        let (mut error, mut within) = (0.0, 0);
        for size in sizes(most) {
            let (ratio, truth) = (curve.at(size), exact.miss_ratio(size));
            error += (ratio.median - truth).abs() / 100.0;
            // A step of depths on each side.
            let (low, high) = (curve.at(size + size / 50).low, curve.at(size - size / 50).high);
            within += usize::from(truth >= low - 0.005 && truth <= high + 0.005);
        }
        println!("{name}: mean error {error:.4}, {within} of 100 sizes within the band");
        assert!(error < 0.03, "{name}: mean error {error}");
        assert!(within >= 90, "{name}: {within} of 100");
    }
}

#[test]
fn the_cliff_of_a_loop_is_where_it_is_though_the_adjustment_would_hide_it() {
    let trace = cycle(3_000, 60_000);
    let curve = curve(&trace, 1024, 7);
    // All that come again miss up to there and hit from there on.
    assert!(curve.at(2_500).median > 0.99 && curve.at(3_600).median < 0.06);
    let (cold, all) = (curve.first_references(), curve.at(u64::MAX));
    assert!((cold.median - all.median).abs() < 1e-9, "{cold:?} {all:?}");
    assert!((cold.median - 0.05).abs() < 0.01, "{cold:?}");
    assert!(curve.at(2_500).low <= curve.at(2_500).median);
}

#[test]
fn few_pages_or_none_are_no_trouble() {
    assert!(ReuseSampler::new(ReuseSettings::default()).curve().is_none());
    // One page, and a sample of one of many.
    let one = curve(&[5; 100], 1, 3);
    assert_eq!((one.at(1).median, one.at(0).median), (0.01, 1.0));
    let few = curve(&cycle(1_011, 20_000), 1, 3);
    let ratio = few.at(500);
    assert!((0.0..=1.0).contains(&ratio.low) && (0.0..=1.0).contains(&ratio.high), "{ratio:?}");
    assert!(few.sampled_share() < 0.01);
    let none = curve(&cycle(10, 100), 0, 0);
    assert!(none.at(10).median <= 1.0);
}

#[test]
fn sizes_are_where_a_curve_falls() {
    let curve = curve(&[1, 2, 1, 2, 3, 3], 16, 1);
    assert_eq!((curve.sizes(), curve.references()), (vec![1, 2], 6));
    assert_eq!([0, 1, 2, 3].map(|size| (curve.at(size).median * 6.0).round() as u32), [6, 5, 3, 3]);
}
