//! Waiting with operations in flight on a polled ring and on the ordinary one beside it.

use std::time::{Duration, Instant};

use super::path::RingPath;
use super::submission_encoder::Dialect;
use crate::{Completion, Error, HEARTBEAT_MS};

impl<D: Dialect> RingPath<D> {
    #[inline]
    pub(super) fn aside_in_flight(&self) -> u32 {
        self.aside.as_ref().map_or(0, |aside| aside.in_flight())
    }

    /// Takes what has ended beside the ring; waits at most `wait` for one.
    pub(super) fn collect_aside(
        &mut self,
        wait: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let Some(aside) = &mut self.aside else { return Ok(()) };
        let (flights, dialect, file) = (&mut self.flights, &mut self.dialect, &self.file);
        let taken = aside.take(wait, |user_data, result| {
            let slot = user_data as u32;
            flights.land(slot);
            out.push(Completion { slot, result: dialect.ended(slot, result, file) });
        });
        self.interrupted(taken).map(drop)
    }

    /// As [`reap`](crate::DevicePath::reap) with operations on both rings: no wait may be for one of them alone, so
    /// both are looked at in turn.
    #[cold]
    #[inline(never)]
    pub(super) fn reap_both(
        &mut self,
        enough: usize,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let began = Instant::now();
        let heartbeat = Duration::from_millis(HEARTBEAT_MS);
        loop {
            let entered = self.ring.enter(0);
            self.interrupted(entered)?;
            self.collect(out);
            let missing = out.len() < enough;
            // With nothing to poll for, the processor need not be burnt.
            let alone = missing && self.flights.count() == self.aside_in_flight();
            let left = heartbeat.saturating_sub(began.elapsed());
            self.collect_aside(if alone { left } else { Duration::ZERO }, out)?;
            if (out.len() >= enough && self.ring.all_submitted()) || left.is_zero() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::sync::Arc;

    use super::*;
    use crate::uring::secondary_ring::Aside;
    use crate::uring::{UringPath, available};
    use crate::{Arena, DevicePath, Op, Options};

    /// A path that takes its ring for a polled one. The ring itself is not, so that any file will do.
    fn as_if_polled(file: File) -> Option<UringPath> {
        if let Err(reason) = available() {
            eprintln!("SKIPPED: no io_uring: {reason}");
            return None;
        }
        let arena = Arena::new(4, 4096, 4096).unwrap();
        let options = Options::default();
        let mut path = UringPath::new(Arc::new(file), "file".into(), arena, 4, options).unwrap();
        path.granted.polled = true;
        path.aside = Some(Aside::new(4).unwrap());
        Some(path)
    }

    #[test]
    fn syncs_and_trims_go_beside_a_polled_ring_and_come_back_with_its_reads() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 16_384]).unwrap();
        let Some(mut path) = as_if_polled(file) else { return };
        let mut out = Vec::new();
        for round in 0..20 {
            path.submit(Op::Trim, 0, 4096, 4096);
            path.submit(Op::Sync, 1, 0, 0);
            assert!(path.ended.is_empty(), "not executed while being submitted");
            assert_eq!((path.aside_in_flight(), path.in_flight()), (2, 2));
            path.submit(Op::Read, 2, 0, 4096);
            path.submit(Op::Read, 3, 8192, 4096);
            out.clear();
            while path.in_flight() > 0 {
                if round % 2 == 0 {
                    path.reap(path.in_flight(), &mut out).unwrap();
                } else {
                    path.reap_within(1, Duration::from_millis(1), &mut out).unwrap();
                }
            }
            assert_eq!(path.aside_in_flight(), 0);
            out.sort_by_key(|completion| completion.slot);
            let results: Vec<_> = out.iter().map(|c| (c.slot, c.result)).collect();
            if results[0].1 == -libc::EOPNOTSUPP {
                eprintln!("SKIPPED: the file system of the temporary folder makes no holes");
                return;
            }
            assert_eq!(results, [(0, 0), (1, 0), (2, 4096), (3, 4096)]);
        }
        path.submit(Op::Read, 0, 4096, 4096);
        path.reap(1, &mut out).unwrap();
        assert_eq!(path.buffer(0), [0; 4096], "trimmed");
        assert_eq!(path.buffer(2), [7; 4096], "beside the hole");
    }

    #[test]
    fn neither_ring_waits_for_the_other() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let Some(mut path) = as_if_polled(File::from(OwnedFd::from(reader))) else { return };
        let mut out = Vec::new();
        // A read that never ends; pipes can't be synced.
        path.submit(Op::Read, 0, u64::MAX, 4096);
        path.submit(Op::Sync, 1, 0, 0);
        while out.is_empty() {
            path.reap(2, &mut out).unwrap();
        }
        assert_eq!(out, [Completion { slot: 1, result: -libc::EINVAL }]);
        assert_eq!((path.in_flight(), path.aside_in_flight()), (1, 0));
    }

    #[test]
    fn what_is_in_flight_beside_the_ring_is_waited_for_at_the_end() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 4096]).unwrap();
        let Some(mut path) = as_if_polled(file) else { return };
        for slot in 0..3 {
            path.submit(Op::Sync, slot, 0, 0);
        }
        path.submit(Op::Read, 3, 0, 4096);
        drop(path);
    }
}
