//! What the drives do while a wall's one window runs: their counters, read every few seconds by a thread that sleeps in between.
//!
//! The window's own figures are counted by its streams, which nobody asks before it has ended.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use narrows_engine::{LiveValue, Phase, Progress};
use narrows_fio::json::Device;
use narrows_model::Layer;

use super::disks::Disks;

/// Between two looks.
const EVERY: Duration = Duration::from_secs(5);
/// The unit of the kernel's counters, bytes.
const SECTOR_BYTES: f64 = 512.0;

/// Runs the window, and tells what those drives did so far in it.
pub fn told<T: Send>(
    progress: &dyn Progress,
    what: &str,
    drives: &[String],
    window: impl FnOnce() -> T,
) -> T {
    let (ended, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (began, before) = (Instant::now(), Disks::look(drives));
            while wait.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let seen = Disks::look(drives).since(&before);
                if let Some(value) = so_far(&seen, began.elapsed()) {
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
fn so_far(seen: &[Device], elapsed: Duration) -> Option<LiveValue> {
    let seconds = elapsed.as_secs_f64();
    let requests: u64 = seen.iter().map(|device| device.read_ios + device.write_ios).sum();
    let sectors: u64 = seen.iter().map(|device| device.read_sectors + device.write_sectors).sum();
    let per_s = |count: u64| count as f64 / seconds;
    (requests > 0 && seconds > 0.0)
        .then(|| LiveValue::of_requests(per_s(requests), per_s(sectors) * SECTOR_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_count_by_their_number_and_large_ones_by_their_bytes() {
        let device =
            |read_ios, read_sectors| Device { read_ios, read_sectors, ..Device::default() };
        let said = |devices: &[Device]| {
            so_far(devices, Duration::from_secs(5)).map(|value| value.to_string())
        };
        assert_eq!(said(&[device(50_000, 800_000)]).as_deref(), Some("10.0k IOPS"));
        let large = [device(500, 1_024_000), device(500, 1_024_000)];
        assert_eq!(said(&large).as_deref(), Some("210 MB/s"));
        assert_eq!(said(&[device(0, 0)]), None);
        assert_eq!(said(&[]), None, "no drive is known");
    }

    #[test]
    fn a_window_that_ends_ends_the_looks() {
        let began = Instant::now();
        let told = told(&narrows_engine::Silent, "run a", &["none".to_string()], || 7);
        assert_eq!(told, 7);
        assert!(began.elapsed() < EVERY, "nobody waits for the next look");
    }
}
