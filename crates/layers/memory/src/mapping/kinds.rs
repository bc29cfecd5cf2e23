//! Kinds of pages, where they come from, and why they can't be had.

use std::io;

use narrows_engine::Stopped;

use crate::sizing::TooLittle;
use crate::smaps::Mapped;

/// 2 MiB: the huge page measured, and the alignment of every mapping.
pub const HUGE: u64 = 2 << 20;
/// 1 GiB: the largest page measured.
pub const GIB: u64 = 1 << 30;
/// 4 KiB: the base page measured.
pub const BASE: u64 = 4096;
/// What pages are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// 4 KiB and nothing larger.
    Base,
    /// 2 MiB, explicit or transparent.
    Huge,
    /// As large as can be had without insisting.
    Any,
    /// 1 GiB, from the pool of such pages.
    Gib,
}

impl Pages {
    /// The end of an id.
    pub fn word(self) -> &'static str {
        match self {
            Pages::Base | Pages::Any => "4k",
            Pages::Huge => "2m",
            Pages::Gib => "1g",
        }
    }

    /// What a mapping's length has to be a multiple of, bytes.
    pub fn granule(self) -> u64 {
        if self == Pages::Gib { GIB } else { HUGE }
    }
}

/// Where the pages came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backing {
    /// Ordinary pages, with whatever transparent huge ones the kernel gave.
    Ordinary,
    /// The pool of explicit huge pages.
    Pool,
    /// Transparent huge pages, asked for by `MADV_HUGEPAGE`.
    Transparent,
}

impl Backing {
    /// The word in the conditions.
    pub fn word(self) -> &'static str {
        match self {
            Backing::Ordinary => "ordinary",
            Backing::Pool => "hugetlb",
            Backing::Transparent => "transparent",
        }
    }
}

/// Why a mapping can't be had as wanted.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The system gave no memory.
    #[error("mapping {bytes} bytes failed: {reason}")]
    Map {
        /// How much was asked for.
        bytes: usize,
        /// What the system said.
        reason: io::Error,
    },
    /// This kernel's smallest page is another.
    #[error("the kernel's base page is {page_bytes} bytes")]
    OtherBase {
        /// Its size.
        page_bytes: u64,
    },
    /// Neither kind of huge page.
    #[error("2 MiB pages: from the pool: {pool}; transparent: {transparent}")]
    NotHuge {
        /// Why not from the pool.
        pool: String,
        /// Why not transparent ones.
        transparent: String,
    },
    /// No pool of such pages with room.
    #[error("1 GiB pages: from the pool: {pool}")]
    NotGib {
        /// Why not.
        pool: String,
    },
    /// Other pages than wanted.
    #[error("wanted 4 KiB pages, obtained {mapped:?}")]
    NotBase {
        /// What the kernel reports.
        mapped: Mapped,
    },
    /// The node could not be asked for.
    #[error("binding to node {node} failed: {reason}")]
    Bind {
        /// The node.
        node: u32,
        /// What the system said.
        reason: io::Error,
    },
    /// So many threads can't have their least without taking more than may be taken.
    #[error("{threads} threads need at least {bytes} bytes, more than the {room_bytes} available")]
    TooMany {
        /// How many.
        threads: usize,
        /// What they need.
        bytes: u64,
        /// What there is.
        room_bytes: u64,
    },
    /// There is less memory than it takes at least.
    #[error(
        "{} leaves {} MiB, and at least {} MiB are needed",
        .0.limited_by, .0.free_bytes >> 20, .0.least_bytes >> 20
    )]
    TooLittle(TooLittle),
    /// The kernel doesn't say where pages are.
    #[error("the node of the pages cannot be verified here")]
    Unverified,
    /// The pages are not spread as they should be.
    #[error("the pages are on other nodes than requested: {shares}")]
    NotSpread {
        /// Share by node.
        shares: String,
    },
    /// The pages are elsewhere.
    #[error("only {share:.3} of the pages are on node {node}")]
    WrongNode {
        /// The node wanted.
        node: u32,
        /// The share that is there.
        share: f64,
    },
}
