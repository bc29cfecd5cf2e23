//! The recorder beside a sorted list of everything that was recorded.

use narrows_stats::Recorder;
use proptest::collection::vec;
use proptest::prelude::*;

/// Values of every size: a uniform u64 alone would nearly always lie beyond the buckets.
fn value() -> impl Strategy<Value = u64> {
    (0u32..64, any::<u64>()).prop_map(|(shift, bits)| bits >> shift)
}

fn recorder_of(values: &[u64]) -> Recorder {
    let mut recorder = Recorder::new();
    values.iter().for_each(|value| recorder.record(*value));
    recorder
}

fn shape(recorder: &Recorder) -> Vec<(u64, u64, u64)> {
    recorder.buckets().collect()
}

const LAST_BUCKET_ENDS: u64 = (1 << 41) - 1;

proptest! {
    #[test]
    fn quantiles_are_those_of_the_sorted_list(values in vec(value(), 1..400), q in 0.0f64..=1.0) {
        let recorder = recorder_of(&values);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
        let (truth, largest) = (sorted[rank - 1], sorted[values.len() - 1]);
        let answer = recorder.quantile(q).unwrap();
        prop_assert!((sorted[0]..=largest).contains(&answer));
        if truth > LAST_BUCKET_ENDS {
            prop_assert!(answer > LAST_BUCKET_ENDS && answer <= largest);
        } else {
            let error = (answer as f64 - truth as f64).abs();
            prop_assert!(error <= truth as f64 / 128.0, "{truth} answered as {answer}");
        }
    }

    #[test]
    fn a_higher_quantile_is_never_lower(values in vec(value(), 1..200)) {
        let recorder = recorder_of(&values);
        let answers: Vec<_> = (0..=100).map(|p| recorder.quantile(f64::from(p) / 100.0)).collect();
        prop_assert!(answers.is_sorted());
    }

    #[test]
    fn count_extremes_and_mean_are_exact(values in vec(value(), 1..200)) {
        let recorder = recorder_of(&values);
        prop_assert_eq!(recorder.count(), values.len() as u64);
        prop_assert_eq!(recorder.min(), values.iter().min().copied());
        prop_assert_eq!(recorder.max(), values.iter().max().copied());
        let sum: u128 = values.iter().map(|v| u128::from(*v)).sum();
        prop_assert_eq!(recorder.mean(), Some(sum as f64 / values.len() as f64));
    }

    #[test]
    fn each_bucket_counts_what_lies_between_its_edges(values in vec(value(), 0..200)) {
        let recorder = recorder_of(&values);
        for (low, high, count) in recorder.buckets() {
            let inside = values.iter().filter(|v| (low..=high).contains(v)).count();
            prop_assert_eq!(count, inside as u64);
        }
        prop_assert_eq!(recorder.buckets().map(|b| b.2).sum::<u64>(), values.len() as u64);
        let beyond = values.iter().filter(|v| **v > LAST_BUCKET_ENDS).count();
        prop_assert_eq!(recorder.overflow(), beyond as u64);
    }

    #[test]
    fn merging_is_recording_everything_in_one(
        left in vec(value(), 0..200), right in vec(value(), 0..200),
    ) {
        let mut merged = recorder_of(&left);
        merged.merge(&recorder_of(&right));
        let together = recorder_of(&[left, right].concat());
        prop_assert_eq!(shape(&merged), shape(&together));
        prop_assert_eq!(
            (merged.count(), merged.min(), merged.max(), merged.mean()),
            (together.count(), together.min(), together.max(), together.mean())
        );
    }

    #[test]
    fn a_stored_histogram_comes_back(values in vec(value(), 0..300)) {
        let recorder = recorder_of(&values);
        let text = recorder.to_hdr_v2();
        let back = Recorder::from_hdr_v2(&text).unwrap();
        prop_assert_eq!(shape(&back), shape(&recorder));
        prop_assert_eq!(back.count(), recorder.count());
        let near = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => {
                // Signed 64 bits are what other readers of the format hold.
                let b = b.min(i64::MAX as u64) as f64;
                (a as f64 - b).abs() <= b / 1000.0
            }
            (a, b) => a == b,
        };
        prop_assert!(near(back.min(), recorder.min()) && near(back.max(), recorder.max()));
        prop_assert!(back.max() <= recorder.max(), "nothing beyond the largest appears");
        if recorder.overflow() == 0 && recorder.count() > 0 {
            let (mean, exact) = (back.mean().unwrap(), recorder.mean().unwrap());
            prop_assert!((mean - exact).abs() <= exact / 100.0, "{} for {}", mean, exact);
        }
        prop_assert_eq!(back.to_hdr_v2(), text, "what was stored once is stored the same again");
    }

    #[test]
    fn damage_to_a_stored_histogram_is_an_error_or_another_histogram_never_a_panic(
        values in vec(value(), 1..50), at in any::<prop::sample::Index>(), with in any::<u8>(),
        cut in any::<prop::sample::Index>(), also_cut in any::<bool>(),
    ) {
        use base64::Engine as _;
        let codec = base64::engine::general_purpose::STANDARD;
        let mut bytes = codec.decode(recorder_of(&values).to_hdr_v2()).unwrap();
        let place = at.index(bytes.len());
        bytes[place] ^= with;
        if also_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(read) = Recorder::from_hdr_v2(&codec.encode(bytes)) {
            let _ = (read.quantile(0.5), read.mean(), read.to_hdr_v2());
        }
    }
}

#[test]
fn cleared_is_as_new() {
    let mut recorder = recorder_of(&[1, 2, u64::MAX]);
    recorder.clear();
    recorder.record(9);
    assert_eq!(shape(&recorder), shape(&recorder_of(&[9])));
    assert_eq!((recorder.min(), recorder.max(), recorder.mean()), (Some(9), Some(9), Some(9.0)));
}
