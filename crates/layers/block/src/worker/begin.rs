//! A thread's own time: when its first operation may come, and its window.

use narrows_engine::{Stopped, Window};

use super::clock::{Clock, Monotonic};
use super::{Job, Shared};
use crate::BlockError;
use crate::scenario::Begin;

/// The first operation not before, ns, and the window from its own beginning on; waits for those it waits for. `None` where the
/// scenario's window ended meanwhile.
pub(super) fn own_time(
    job: &Job<'_>,
    window: Window,
    shared: &Shared<'_>,
) -> Result<Option<(u64, Window)>, BlockError> {
    let first_ns = window.start_ns.saturating_sub(job.warm_up.as_nanos() as u64);
    let Some(begin) = &job.stream.begin else { return Ok(Some((first_ns, window))) };
    let Some(ended) = &begin.waits_for else { return Ok(Some(of(begin, first_ns, 0, window))) };
    loop {
        if let Some(at_ns) = ended.wait() {
            return Ok(Some(of(begin, first_ns, at_ns, window)));
        }
        if shared.stop.is_set() {
            return Err(Stopped.into());
        }
        if Monotonic.now_ns() >= shared.end_ns().min(window.end_ns) {
            return Ok(None);
        }
    }
}

/// From the scenario's first operation and the end of the others.
fn of(begin: &Begin, first_ns: u64, ended_ns: u64, window: Window) -> (u64, Window) {
    let epoch_ns = first_ns.saturating_add(begin.after.as_nanos() as u64).max(ended_ns);
    let start_ns = epoch_ns.saturating_add(begin.warm_up.as_nanos() as u64);
    (epoch_ns, Window { start_ns, ..window })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use narrows_engine::{Context, Silent, Stop};
    use narrows_io::{Access, Target};
    use narrows_observe::Watch;

    use super::*;
    use crate::scenario::{Ended, Limit, Region, Scenario, Stream, Then};
    use crate::{StreamOutcome, run_scenario};

    #[test]
    fn the_later_of_time_and_others_end_is_the_beginning() {
        let window = Window { start_ns: 2_000, end_ns: 90_000 };
        let begin = Begin {
            after: Duration::from_nanos(500),
            warm_up: Duration::from_nanos(70),
            waits_for: None,
        };
        let own = |ended_ns| of(&begin, 1_000, ended_ns, window);
        assert_eq!(own(0), (1_500, Window { start_ns: 1_570, end_ns: 90_000 }));
        assert_eq!(own(4_000), (4_000, Window { start_ns: 4_070, end_ns: 90_000 }));
    }

    #[test]
    fn figures_of_those_that_begin_later_are_of_their_own_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        File::create(&path).unwrap().set_len(1 << 20).unwrap();
        let region = Region::from(Target::open_read(&path, false).unwrap());
        let (stop, ms) = (Stop::new(), Duration::from_millis);
        let ctx = Context {
            stop: &stop,
            progress: &Silent,
            seed: 1,
            repeats: 1,
            quick: true,
            window: ms(300),
        };
        let one = |name| Stream::reads(name, region.clone(), 4096, 1, Access::null());
        let begin = |after, waits_for| Some(Begin { after, warm_up: ms(10), waits_for });
        let limit = |operations| Some(Limit { operations, then: Then::EndStream });
        let ended = Ended::of(1);
        let first = Stream { limit: limit(5_000), ended: Some(ended.clone()), ..one("first") };
        let late = Stream { begin: begin(ms(60), None), ends_after: Some(ms(50)), ..one("late") };
        let waits = Stream {
            begin: begin(ms(20), Some(ended)),
            limit: limit(2_000_000),
            ends_after: Some(ms(30)),
            ..one("waits")
        };
        let mut scenario = Scenario::of(first, Duration::ZERO, ms(30_000), 3);
        scenario.streams.extend([late, waits]);
        scenario.slice = ms(10);
        let outcomes = run_scenario(&ctx, &scenario, &Watch::none()).unwrap();
        let [first, late, waits] = &outcomes[..] else { panic!("three") };
        assert_eq!((first.begins_ns, first.operations()), (0, 5_000));
        // The coordinator gives threads a moment of lead before the first operation.
        assert!((70_000_000..72_000_000).contains(&late.begins_ns), "{}", late.begins_ns);
        assert!(late.window_ns >= 50_000_000 && late.window_ns < 30_000_000_000);
        assert!(waits.begins_ns >= 30_000_000.max(first.window_ns + 10_000_000));
        for one in [late, waits] {
            assert!(one.did_more, "its lead-in lies in the window");
            assert!(one.slices.len() as u64 <= one.window_ns / one.slice_ns);
            let series: u64 = one.slices.iter().map(|slice| slice.operations).sum();
            assert!(series > 0 && series <= one.operations());
        }
        let all = StreamOutcome::combined("all", &outcomes, true, false).unwrap();
        let last_ns = outcomes.iter().map(|one| one.begins_ns + one.window_ns).max().unwrap();
        assert_eq!((all.begins_ns, all.window_ns), (0, last_ns));
        let of = |slices: &[crate::Slice]| slices.iter().map(|s| s.operations).sum::<u64>();
        let sum: u64 = outcomes.iter().map(|one| of(&one.slices)).sum();
        assert!(of(&all.slices) <= sum && of(&all.slices) > 0);
    }
}
