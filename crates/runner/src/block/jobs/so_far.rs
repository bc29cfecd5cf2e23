//! What the drives do while a stage's one window runs: their counters, read every few seconds by a thread that sleeps in between.
//!
//! The window's own figures are counted by its streams, which nobody asks before it has ended.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use narrows_engine::{LiveValue, Phase, Progress};
use narrows_model::Layer;
use narrows_observe::{DriveSeen, Watch};

/// Between two looks.
const EVERY: Duration = Duration::from_secs(5);

/// Runs the window, and tells what the watched drives did so far in it, from the end of its warm-up on.
pub fn with_drive_rate<T>(
    progress: &dyn Progress,
    what: &str,
    watch: &Watch,
    warm_up: Duration,
    window: impl FnOnce() -> T,
) -> T {
    let (ended, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let passed =
                |pause: Duration| wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout);
            if !passed(warm_up) {
                return;
            }
            let before = watch.snapshot();
            while passed(EVERY) {
                let seen = watch.snapshot().since(&before);
                let seconds = seen.window.0 as f64 / 1e9;
                if let Some(value) = seen.drives.as_ref().and_then(|d| so_far(d, seconds)) {
                    let detail = format!("{what}, {value} on the drives so far");
                    progress.phase(Layer::Block, Phase::Measure, &detail);
                }
            }
        });
        let outcome = window();
        drop(ended);
        outcome
    })
}

/// What they did per second; `None` where they did nothing, as with files in the page cache.
fn so_far(seen: &DriveSeen, seconds: f64) -> Option<LiveValue> {
    let requests = seen.reads + seen.writes;
    let bytes = seen.read_bytes + seen.write_bytes;
    (requests > 0 && seconds > 0.0)
        .then(|| LiveValue::of_requests(requests as f64 / seconds, bytes as f64 / seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_count_by_their_number_and_large_ones_by_their_bytes() {
        let drives = |reads, read_bytes| DriveSeen { reads, read_bytes, ..DriveSeen::default() };
        let said = |seen: &DriveSeen| so_far(seen, 5.0).map(|value| value.to_string());
        assert_eq!(said(&drives(50_000, 409_600_000)).as_deref(), Some("10.0k IOPS"));
        assert_eq!(said(&drives(1000, 1_048_576_000)).as_deref(), Some("210 MB/s"));
        assert_eq!(said(&drives(0, 0)), None);
    }

    #[test]
    fn a_window_that_ends_ends_the_looks() {
        let hour = Duration::from_secs(3600);
        let told = with_drive_rate(&narrows_engine::Silent, "run a", &Watch::none(), hour, || 7);
        assert_eq!(told, 7, "and nobody waits for the warm-up's end");
    }
}
