//! One session that reads two places by chance.

use std::time::Duration;

use narrows_engine::Stop;
use narrows_io::{Access, Effect, Fault, TestFile, When};
use narrows_layer_block::{BlockError, ReadPlace, Region, TwoPlaces, read_two_places};

use crate::common::{MIB, context, folder, made};

const BLOCK: u32 = 8192;

/// A file's first mebibyte and its last two, and ways to them that fail wherever else they are asked.
fn both(file: &TestFile) -> [(Region, Access); 2] {
    let of = |from: u64, to: u64| {
        let outside = [0..from, to..u64::MAX]
            .map(|range| Fault::any(When::At(range), Effect::Errno(libc::EIO)));
        let region = Region::of(file).part(from, to - from).unwrap();
        (region, Access::null().with_faults(outside.to_vec()))
    };
    [of(0, MIB), of(2 * MIB, 4 * MIB)]
}

fn places(both: &[(Region, Access); 2], fast_share: f64) -> TwoPlaces<'_> {
    let [fast, slow] = both.each_ref().map(|(region, access)| ReadPlace { region, access });
    TwoPlaces { fast, slow, fast_share, block_bytes: BLOCK }
}

const LENGTHS: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(50));

#[test]
fn each_place_is_read_inside_its_region_by_its_share() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 50);
    let Some(file) = made(&ctx, dir.path(), 4) else { return };
    let both = both(&file);
    for share in [0.0, 0.75, 1.0] {
        let window = read_two_places(&ctx, &places(&both, share), LENGTHS, 7).unwrap();
        let [fast, slow] = [&window.fast, &window.slow].map(|latency| latency.count() as f64);
        assert!(fast + slow >= 1000.0, "{share}: {fast} and {slow}");
        assert!((fast / (fast + slow) - share).abs() < 0.06, "{share}: {fast} and {slow}");
        assert!(window.window_ns >= 50_000_000, "{}", window.window_ns);
    }
}

#[test]
fn what_one_place_takes_longer_is_not_in_the_others_latency() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 50);
    let Some(file) = made(&ctx, dir.path(), 4) else { return };
    let mut both = both(&file);
    let late = Fault::any(When::From(0), Effect::DelayNs(2_000_000));
    both[1].1 = Access::null().with_faults(vec![late]);
    let window = read_two_places(&ctx, &places(&both, 0.5), LENGTHS, 7).unwrap();
    assert!(window.slow.min().unwrap() >= 2_000_000, "{window:?}");
    assert!(window.fast.quantile(0.5).unwrap() < 1_000_000, "{window:?}");
}

#[test]
fn a_read_that_fails_or_is_short_ends_it_with_its_place() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 50);
    let Some(file) = made(&ctx, dir.path(), 4) else { return };
    for (effect, kind) in [(Effect::Errno(libc::EIO), Some(libc::EIO)), (Effect::Short(4096), None)]
    {
        let mut both = both(&file);
        both[1].1 = Access::null().with_faults(vec![Fault::any(When::Nth(3), effect)]);
        match read_two_places(&ctx, &places(&both, 0.5), LENGTHS, 7).unwrap_err() {
            BlockError::Failing { failed: 1, offset, first, .. } => {
                assert!(offset >= 2 * MIB && first.raw_os_error() == kind, "{offset}: {first}");
            }
            other => panic!("{other:?}"),
        }
    }
    stop.set();
    let both = both(&file);
    let error = read_two_places(&ctx, &places(&both, 0.5), LENGTHS, 7).unwrap_err();
    assert!(matches!(error, BlockError::Stopped(_)), "{error:?}");
}
