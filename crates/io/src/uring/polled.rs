//! Whether polled completion can be had for a file, found out before it is relied on.
//!
//! The kernel has answered differently over time where a device has no poll queues: an error per operation, or
//! interrupts without a word (a polled ring over a queue without `io_poll`). So both are asked: the queue's
//! setting, and one read.

use std::fs::File;

use super::ring::Ring;
use super::setup;
use super::submission_encoder::{Dialect, Wish};

/// Why polled completion cannot be had for what `wish`, a read, is done on.
pub(super) fn try_out<D: Dialect>(dialect: &D, wish: &Wish, file: &File) -> Result<(), String> {
    if let Some(why) = dialect.cannot_poll(file) {
        return Err(why);
    }
    let (ring, _) = setup::build::<D::Submission, D::Completion>(1, true)
        .map_err(|error| format!("no polled ring: {error}"))?;
    let mut ring = Ring::new(ring);
    let entry = dialect.data(wish);
    // SAFETY: the wish's buffer outlives the operation, whose completion is awaited below.
    let queued = entry.is_ok_and(|entry| unsafe { ring.push(&entry) });
    if !queued {
        return Err("the kernel took no operation".to_string());
    }
    let mut ended = None;
    while ended.is_none() {
        match ring.enter(1) {
            Ok(()) => {}
            Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN)) => {}
            Err(error) => return Err(format!("no polled read: {error}")),
        }
        ring.completions(|_, result| ended = Some(result));
    }
    let outcome = dialect.outcome(ended.unwrap_or(-libc::EIO), wish.bytes);
    if outcome < 0 {
        let error = std::io::Error::from_raw_os_error(-outcome);
        return Err(format!("the first polled read failed: {error}"));
    }
    Ok(())
}
