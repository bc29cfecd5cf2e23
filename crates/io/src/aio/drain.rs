//! The end of a context: what is in flight comes back before its buffers go, or they stay for ever.

use std::mem::ManuallyDrop;
use std::time::Instant;

use super::path::{AioPath, HEARTBEAT};

impl AioPath {
    /// Waits for all that is in flight; whether everything came back. What was not handed over yet never will be.
    /// There is `io_cancel(2)`, but no block device or file system supports it.
    fn drain(&mut self) -> bool {
        for iocb in self.queued.drain(..) {
            // SAFETY: a control block of ours that the kernel does not use.
            self.flights.land(unsafe { (*iocb).data } as u32);
        }
        let mut out = Vec::with_capacity(self.flights.count() as usize);
        self.collect_ended(&mut out);
        let deadline = Instant::now() + self.patience;
        while self.in_kernel > 0 {
            match self.context.wait(1, &mut self.events, HEARTBEAT) {
                Ok(events) => self.take(events, &mut out),
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
                Err(_) => return false,
            }
            if Instant::now() > deadline {
                return self.in_kernel == 0;
            }
        }
        true
    }
}

impl Drop for AioPath {
    fn drop(&mut self) {
        if self.drain() {
            self.context.destroy();
            // SAFETY: dropped once, and nothing in flight refers to it.
            unsafe { ManuallyDrop::drop(&mut self.arena) };
        }
        // Else the memory is left to the kernel, which may still write to it, and the context to the end of the
        // process: destroying it now would wait for what has not come back in all this time.
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::sync::Arc;
    use std::time::Duration;

    use super::super::available;
    use super::super::calls::Iocb;
    use super::*;
    use crate::{Arena, DevicePath, Op};

    /// `IOCB_CMD_POLL`: the only operation that can be made to never end.
    const POLL: u16 = 5;

    fn skipped() -> bool {
        available().inspect_err(|reason| eprintln!("SKIPPED: no Linux AIO: {reason}")).is_err()
    }

    fn zeros(slots: u32, depth: u32) -> AioPath {
        let file = Arc::new(File::open("/dev/zero").unwrap());
        let arena = Arena::new(slots, 4096, 4096).unwrap();
        AioPath::new(file, "/dev/zero".into(), arena, depth).unwrap()
    }

    /// Puts an operation into the kernel that waits for a pipe nobody writes to; returns the pipe's ends.
    fn hang(path: &mut AioPath, slot: u32) -> [File; 2] {
        let (reader, writer) = std::io::pipe().unwrap();
        let ends = [OwnedFd::from(reader), OwnedFd::from(writer)].map(File::from);
        path.flights.take_off(slot);
        path.queue(Iocb {
            data: u64::from(slot),
            opcode: POLL,
            fd: ends[0].as_raw_fd() as u32,
            buffer: libc::POLLIN as u64,
            ..Iocb::default()
        });
        path.flush().unwrap();
        assert_eq!(path.in_kernel, 1);
        ends
    }

    #[test]
    fn a_wait_without_completions_returns_for_the_stop_token() {
        if skipped() {
            return;
        }
        let mut path = zeros(2, 2);
        let ends = hang(&mut path, 0);
        let mut out = Vec::new();
        for _ in 0..3 {
            path.reap(1, &mut out).unwrap();
            assert!(out.is_empty());
        }
        assert_eq!(path.in_flight(), 1);
        // The other end gone, the operation ends, and so does the path.
        let [_reader, writer] = ends;
        drop(writer);
        assert!(path.drain());
    }

    #[test]
    fn buffers_of_what_never_comes_back_are_left_to_the_kernel() {
        if skipped() {
            return;
        }
        let mut path = zeros(2, 2);
        path.patience = Duration::from_millis(50);
        let memory = path.arena.pointer(0) as usize;
        let _ends = hang(&mut path, 0);
        assert!(!path.drain());
        drop(path);
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mapped = maps.lines().any(|line| {
            let (from, to) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
            let parse = |hex| usize::from_str_radix(hex, 16).unwrap();
            (parse(from)..parse(to)).contains(&memory)
        });
        assert!(mapped, "still there");
    }

    #[test]
    fn more_than_the_context_holds_can_be_submitted() {
        if skipped() {
            return;
        }
        let mut path = zeros(100, 4);
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
        assert!(path.submit_ns().unwrap() > 0);
    }

    #[test]
    #[should_panic(expected = "slot 0 is in flight")]
    fn a_buffer_in_flight_cannot_be_reached() {
        if skipped() {
            panic!("slot 0 is in flight (skipped)");
        }
        let mut path = zeros(1, 1);
        path.submit(Op::Read, 0, 0, 4096);
        path.buffer(0);
    }
}
