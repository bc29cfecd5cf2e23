//! Jobs that read the same blocks one after the other, at the same time: what one has read a cache may have for the next.
//!
//! Clones of one job are told as such by the layer. Of several jobs only whoever runs them together knows that they go over the same
//! part of a file.

use narrows_io::Op;
use narrows_layer_block::{AccessPattern, StreamOutcome};

use super::job_stream::JobStream;

/// Distinct bytes that all of them read, where some read in step; absent where none do, and where one of them doesn't know what it read.
pub fn unique_read_bytes(streams: &[JobStream], outcomes: &[&StreamOutcome]) -> Option<f64> {
    let read: Option<Vec<f64>> = outcomes
        .iter()
        .map(|outcome| match outcome.of(Op::Read).asked_bytes {
            0 => Some(0.0),
            _ => outcome.unique_read_bytes,
        })
        .collect();
    together(streams, &read?)
}

fn together(streams: &[JobStream], read: &[f64]) -> Option<f64> {
    let mut groups: Vec<(&JobStream, f64)> = Vec::new();
    let (mut sum, mut shared) = (0.0, false);
    for (stream, bytes) in streams.iter().zip(read).filter(|(_, bytes)| **bytes > 0.0) {
        let before = groups.iter_mut().find(|(other, _)| are_in_step(other, stream));
        match before {
            Some((_, most)) => {
                // The one that came furthest has read what the others have.
                sum += (bytes - *most).max(0.0);
                *most = most.max(*bytes);
                shared = true;
            }
            None => {
                groups.push((stream, *bytes));
                sum += bytes;
            }
        }
    }
    shared.then_some(sum)
}

fn are_in_step(one: &JobStream, other: &JobStream) -> bool {
    let in_order = |stream: &JobStream| {
        matches!(stream.place, AccessPattern::Sequential | AccessPattern::SameOffsets)
    };
    in_order(one)
        && in_order(other)
        && one.file == other.file
        && one.offset_bytes == other.offset_bytes
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use narrows_io::{Access, Durable};
    use narrows_layer_block::{Distribution, Load, Mix, Route, Sizes};

    use super::*;

    fn stream(file: &str, offset_bytes: u64, place: AccessPattern) -> JobStream {
        JobStream {
            job: 0,
            name: String::new(),
            clone: None,
            file: PathBuf::from(file),
            offset_bytes,
            bytes: 1 << 30,
            mix: Mix::only(Op::Read),
            sizes: Sizes::all(8192),
            place,
            load: Load::Closed { depth: 1 },
            access: Access::null(),
            route: Route::Direct,
            threads: 1,
            cpus: Vec::new(),
            io_priority: None,
            buffer_nodes: None,
            sync_after: None,
            limit: None,
            ends_after: None,
            think: None,
            durable: Durable::Later,
            order_seed: None,
            invalidate: false,
            set: None,
            sync_at_end: false,
            verify: None,
            verify_seed: 0,
            saves: None,
            flow: None,
            priorities: None,
            serialize: None,
            time_submissions: false,
            begin: None,
            ended: None,
            judged: Vec::new(),
            depth_search: None,
        }
    }

    #[test]
    fn three_jobs_over_the_same_blocks_have_read_what_the_furthest_has() {
        let one = || stream("a", 0, AccessPattern::Sequential);
        assert_eq!(together(&[one(), one(), one()], &[300.0, 320.0, 310.0]), Some(320.0));
        let apart = [one(), stream("a", 1 << 29, AccessPattern::Sequential)];
        assert_eq!(together(&apart, &[300.0, 320.0]), None, "each its own part");
        let files = [one(), stream("b", 0, AccessPattern::Sequential)];
        assert_eq!(together(&files, &[300.0, 320.0]), None, "a file each");
        let random = AccessPattern::Random(Distribution::OnceEach);
        let mixed = [one(), stream("a", 0, random)];
        assert_eq!(together(&mixed, &[300.0, 320.0]), None, "another order");
        // Another job beside them has its own bytes; one that wrote has none.
        let beside = [one(), one(), stream("b", 0, AccessPattern::Sequential), one()];
        assert_eq!(together(&beside, &[300.0, 320.0, 50.0, 0.0]), Some(370.0));
    }
}
