//! Asking the kernel what may have no answer: a file system whose server, of the network or of FUSE, is gone.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The answer, where it comes within that time. Who does not answer is waited for by a thread of its own, which goes with the process; where
/// there is no thread to be had, nobody is asked.
pub fn answer_within<T: Send + 'static>(
    limit: Duration,
    ask: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (tell, told) = mpsc::sync_channel(1);
    let asks = move || {
        // Nobody listens any more where it came too late.
        let _ = tell.send(ask());
    };
    thread::Builder::new().name("narrows-asks".to_string()).spawn(asks).ok()?;
    told.recv_timeout(limit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_answer_is_not_waited_for() {
        let (go_on, waits) = mpsc::channel::<()>();
        let silent = answer_within(Duration::from_millis(1), move || waits.recv().is_ok());
        assert_eq!(silent, None);
        drop(go_on);
        assert_eq!(answer_within(Duration::from_secs(3600), || 7), Some(7));
    }
}
