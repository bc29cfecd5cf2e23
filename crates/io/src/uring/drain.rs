//! The end of a ring: what is in flight comes back before its buffers go, or they stay for ever.

use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use io_uring::opcode;
use io_uring::types::CancelBuilder;

use super::path::{CANCEL, RingPath};
use super::submission_encoder::Dialect;
use crate::DevicePath;

/// How long the end waits for operations to come back before their buffers are given up.
const PATIENCE: Duration = Duration::from_secs(10);

impl<D: Dialect> RingPath<D> {
    /// Cancels what can be cancelled and waits for the rest; whether everything came back.
    fn drain(&mut self) -> bool {
        if self.flights.count() == 0 {
            return true;
        }
        // Kernels before 5.19 refuse to cancel everything at once, polled rings to cancel; waiting alone also ends.
        let cancel = opcode::AsyncCancel2::new(CancelBuilder::any()).build().user_data(CANCEL);
        // SAFETY: the entry points to nothing.
        let _ = unsafe { self.ring.push(&cancel.into()) };
        let deadline = Instant::now() + PATIENCE;
        let mut out = Vec::with_capacity(self.flights.count() as usize);
        while self.flights.count() > 0 {
            if Instant::now() > deadline || self.reap(1, &mut out).is_err() {
                return false;
            }
        }
        true
    }
}

impl<D: Dialect> Drop for RingPath<D> {
    fn drop(&mut self) {
        let drained = self.drain();
        if drained {
            // Closing a ring lets go of its file and its locked memory some time later, on another thread of the
            // kernel; whoever unmounts or registers next should not meet them.
            if self.granted.fixed_buffers {
                let _ = self.ring.submitter.unregister_buffers();
            }
            if self.granted.fixed_file {
                let _ = self.ring.submitter.unregister_files();
            }
        }
        // SAFETY: dropped once, here.
        unsafe { ManuallyDrop::drop(&mut self.ring) };
        if drained {
            // SAFETY: each dropped once, and nothing in flight refers to them.
            unsafe {
                ManuallyDrop::drop(&mut self.arena);
                ManuallyDrop::drop(&mut self.dialect);
            }
        }
        // Else the memory is left to the kernel, which may still read it or write to it.
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::sync::Arc;

    use super::*;
    use crate::uring::{UringPath, available};
    use crate::{Arena, Completion, Op, Options};

    /// A path whose reads never complete: the reading end of a pipe nobody writes to.
    fn silent(writer_kept: &mut Vec<File>) -> Option<UringPath> {
        if let Err(reason) = available() {
            eprintln!("SKIPPED: no io_uring: {reason}");
            return None;
        }
        let (reader, writer) = std::io::pipe().unwrap();
        writer_kept.push(File::from(OwnedFd::from(writer)));
        let reader = File::from(OwnedFd::from(reader));
        let arena = Arena::new(4, 4096, 4096).unwrap();
        Some(UringPath::new(Arc::new(reader), "pipe".into(), arena, 4, Options::default()).unwrap())
    }

    #[test]
    fn a_wait_without_completions_returns_for_the_stop_token() {
        let mut keep = Vec::new();
        let Some(mut path) = silent(&mut keep) else { return };
        let mut out = Vec::new();
        for slot in 0..3 {
            path.submit(Op::Read, slot, u64::MAX, 4096);
        }
        for _ in 0..3 {
            let began = Instant::now();
            path.reap(3, &mut out).unwrap();
            assert!(out.is_empty());
            assert!(began.elapsed() < Duration::from_secs(5), "woken by the heartbeat");
        }
        assert_eq!(path.in_flight(), 3);
    }

    #[test]
    fn a_limited_wait_ends_by_its_limit_or_by_a_completion() {
        let mut keep = Vec::new();
        let Some(mut path) = silent(&mut keep) else { return };
        let mut out = Vec::new();
        path.submit(Op::Read, 0, u64::MAX, 1);
        path.reap_within(1, Duration::ZERO, &mut out).unwrap();
        assert_eq!((out.len(), path.in_flight()), (0, 1));
        if path.granted().timed_waits {
            let began = Instant::now();
            path.reap_within(1, Duration::from_millis(3), &mut out).unwrap();
            assert!(out.is_empty() && began.elapsed() >= Duration::from_millis(3));
        }
        std::io::Write::write_all(&mut &keep[0], b"x").unwrap();
        while out.is_empty() {
            path.reap_within(1, Duration::from_secs(60), &mut out).unwrap();
        }
        assert_eq!(out, [Completion { slot: 0, result: 1 }]);
        // Without waiting at all it is seen too, sooner or later.
        path.submit(Op::Read, 1, u64::MAX, 1);
        std::io::Write::write_all(&mut &keep[0], b"y").unwrap();
        while out.len() < 2 {
            path.reap_within(1, Duration::ZERO, &mut out).unwrap();
        }
    }

    #[test]
    fn dropping_cancels_what_is_in_flight() {
        let mut keep = Vec::new();
        let Some(mut path) = silent(&mut keep) else { return };
        path.submit(Op::Read, 0, u64::MAX, 4096);
        path.submit(Op::Read, 1, u64::MAX, 4096);
        path.reap(1, &mut Vec::new()).unwrap();
        let began = Instant::now();
        assert!(path.drain(), "cancelled reads come back");
        assert!(began.elapsed() < PATIENCE);
        drop(path);
    }

    #[test]
    fn more_than_the_queue_holds_can_be_submitted() {
        if available().is_err() {
            eprintln!("SKIPPED: no io_uring");
            return;
        }
        let zeros = Arc::new(File::open("/dev/zero").unwrap());
        let arena = Arena::new(100, 4096, 4096).unwrap();
        let mut path =
            UringPath::new(zeros, "/dev/zero".into(), arena, 4, Options::default()).unwrap();
        for slot in 0..100 {
            path.submit(Op::Read, slot, 0, 4096);
        }
        let mut out = Vec::new();
        while path.in_flight() > 0 {
            path.reap(path.in_flight(), &mut out).unwrap();
        }
        let mut slots: Vec<_> = out.iter().map(|completion| completion.slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, (0..100).collect::<Vec<_>>());
        assert!(out.iter().all(|completion| completion.result == 4096));
    }

    #[test]
    #[should_panic(expected = "slot 0 is in flight")]
    fn a_buffer_in_flight_cannot_be_reached() {
        let mut keep = Vec::new();
        let Some(mut path) = silent(&mut keep) else { panic!("slot 0 is in flight (skipped)") };
        path.submit(Op::Read, 0, u64::MAX, 4096);
        path.buffer(0);
    }
}
