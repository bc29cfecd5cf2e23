//! The workloads as a table: what each reads or writes, in which order, by which way, how deep.

use narrows_io::Op;

/// Where the next operation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Every block once, in an order that looks random.
    Random,
    /// One block after the other; several threads have disjoint parts of the file.
    Sequential,
}

impl Order {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Order::Random => "random",
            Order::Sequential => "sequential",
        }
    }
}

/// By which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IoPath {
    /// The best there is: io_uring past the page cache; one blocking call per thread where io_uring is refused.
    Best,
    /// Blocking calls through the page cache, as a server without direct I/O.
    Buffered,
    /// Blocking calls past the page cache.
    Direct,
}

/// How many requests are kept in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// One.
    One,
    /// As many as it takes until throughput stops growing.
    Knee,
    /// One per session of the server.
    Sessions,
}

/// One workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockWorkload {
    pub id: String,
    pub op: Op,
    pub order: Order,
    pub block_bytes: u32,
    pub way: IoPath,
    pub depth: Depth,
}

fn direction(op: Op) -> &'static str {
    match op {
        Op::Read => "read",
        Op::Write => "write",
        Op::Trim => "trim",
        Op::Sync => "sync",
    }
}

const SMALL: (u32, &str) = (8 << 10, "8k");
const LARGE: (u32, &str) = (1 << 20, "1m");

/// All workloads, in the order of the report. A sketch leaves out what a database does least: single large reads at
/// random places and single small ones in order.
pub(crate) fn catalogue(sessions: u32, quick: bool) -> Vec<BlockWorkload> {
    let mut cells = Vec::new();
    for op in [Op::Read, Op::Write] {
        for order in [Order::Random, Order::Sequential] {
            for (block_bytes, size) in [SMALL, LARGE] {
                let usual = (order == Order::Random) == (block_bytes == SMALL.0);
                if quick && !usual {
                    continue;
                }
                for (depth, name) in [(Depth::One, "d1"), (Depth::Knee, "knee")] {
                    let id = format!("block.{}.{}.{size}.{name}", direction(op), order.word());
                    cells.push(BlockWorkload {
                        id,
                        op,
                        order,
                        block_bytes,
                        way: IoPath::Best,
                        depth,
                    });
                }
            }
        }
    }
    let server = [
        (IoPath::Buffered, Depth::One, "server_d1".to_string()),
        (IoPath::Buffered, Depth::Sessions, "server_knee".to_string()),
        (IoPath::Direct, Depth::One, "direct_d1".to_string()),
        (IoPath::Direct, Depth::Sessions, format!("direct_d{sessions}")),
    ];
    for (way, depth, name) in server {
        let id = format!("block.read.random.8k.{name}");
        // With one session the two direct ones are the same.
        if cells.iter().all(|cell| cell.id != id) {
            let (op, order) = (Op::Read, Order::Random);
            cells.push(BlockWorkload { id, op, order, block_bytes: SMALL.0, way, depth });
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_cover_the_square() {
        let cells = catalogue(8, false);
        let ids: HashSet<&str> = cells.iter().map(|cell| cell.id.as_str()).collect();
        assert_eq!((cells.len(), ids.len()), (20, 20));
        for id in [
            "block.read.random.8k.d1",
            "block.write.sequential.1m.knee",
            "block.read.random.8k.server_knee",
            "block.read.random.8k.direct_d8",
        ] {
            assert!(ids.contains(id), "{id}");
        }
        assert_eq!(catalogue(8, true).len(), 12);
        assert_eq!(catalogue(1, false).len(), 19);
    }
}
