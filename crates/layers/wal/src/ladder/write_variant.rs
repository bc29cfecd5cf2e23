//! The ways in which one write to a log becomes durable.

/// Which calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// A write, then `fdatasync`: PostgreSQL's default on Linux.
    Fdatasync,
    /// A write, then `fsync`.
    Fsync,
    /// One write to a file opened with `O_DSYNC`: PostgreSQL's `open_datasync`, InnoDB's `O_DSYNC`.
    Dsync,
    /// The same with `O_DIRECT`: Oracle's way, and PostgreSQL's with `debug_io_direct=wal`.
    DsyncDirect,
    /// One `pwritev2` with `RWF_DSYNC`.
    RwfDsync,
    /// A write and an `fdatasync` linked behind it, submitted to io_uring together.
    Uring,
}

impl Method {
    /// All of them, the common ones first.
    pub const ALL: [Method; 6] = [
        Method::Fdatasync,
        Method::Fsync,
        Method::Dsync,
        Method::DsyncDirect,
        Method::RwfDsync,
        Method::Uring,
    ];

    /// The word in ids, conditions and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Method::Fdatasync => "fdatasync",
            Method::Fsync => "fsync",
            Method::Dsync => "dsync",
            Method::DsyncDirect => "dsync_direct",
            Method::RwfDsync => "rwf_dsync",
            Method::Uring => "uring",
        }
    }

    /// Whether it goes past the page cache.
    pub fn direct(self) -> bool {
        self == Method::DsyncDirect
    }
}

/// What the file is when it is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layout {
    /// Its blocks were written before, as in a recycled segment.
    Overwrite,
    /// Each write extends it: its size and its blocks are the file system's business, too.
    Extend,
    /// Its blocks are allocated and were never written: each write turns some of them into written ones.
    Fallocated,
}

impl Layout {
    /// All of them.
    pub const ALL: [Layout; 3] = [Layout::Overwrite, Layout::Extend, Layout::Fallocated];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Layout::Overwrite => "overwrite",
            Layout::Extend => "extend",
            Layout::Fallocated => "fallocated",
        }
    }
}

/// One of them at one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteVariant {
    /// Which calls.
    pub method: Method,
    /// On what.
    pub layout: Layout,
    /// Bytes of a write, a multiple of 512.
    pub bytes: u64,
}

impl WriteVariant {
    /// What PostgreSQL does by default: an 8 KiB page over an old one, then `fdatasync`.
    pub const POSTGRES: WriteVariant =
        WriteVariant { method: Method::Fdatasync, layout: Layout::Overwrite, bytes: 8192 };

    /// `write.fdatasync.overwrite.8k`.
    pub fn name(&self) -> String {
        let size = match self.bytes {
            bytes if bytes.is_multiple_of(1024) => format!("{}k", bytes / 1024),
            bytes => format!("{bytes}b"),
        };
        format!("write.{}.{}.{size}", self.method.word(), self.layout.word())
    }

    /// Every combination, in the order of size, layout, method; each once.
    pub fn all(methods: &[Method], layouts: &[Layout], sizes: &[u64]) -> Vec<WriteVariant> {
        let mut cells = Vec::new();
        for &bytes in sizes {
            for &layout in layouts {
                for &method in methods {
                    cells.push(WriteVariant { method, layout, bytes });
                }
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        cells.retain(|cell| seen.insert(*cell));
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_done_and_no_cell_comes_twice() {
        assert_eq!(WriteVariant::POSTGRES.name(), "write.fdatasync.overwrite.8k");
        let small = WriteVariant { method: Method::Uring, layout: Layout::Extend, bytes: 512 };
        assert_eq!(small.name(), "write.uring.extend.512b");
        let twice = WriteVariant::all(&[Method::Fsync, Method::Fsync], &Layout::ALL, &[8192, 512]);
        assert_eq!(twice.len(), 6);
        let names: std::collections::BTreeSet<String> =
            WriteVariant::all(&Method::ALL, &Layout::ALL, &[512, 8192])
                .iter()
                .map(WriteVariant::name)
                .collect();
        assert_eq!(names.len(), 36);
    }
}
