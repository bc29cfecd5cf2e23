//! Places that a rule names one by one: zones of a region in turn, and blocks of a list.

/// A region as zones with something left out between them: so much of one, then the next. As fio's `zonemode=strided`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StridedZones {
    /// Length of a zone, bytes. Operations that reach its end go on at its beginning.
    pub range_bytes: u64,
    /// All kinds of operation together move so many bytes in a zone before they go on to the next one.
    pub size_bytes: u64,
    /// Left out between two zones, bytes.
    pub skip_bytes: u64,
    /// After so many bytes each thread goes back to the first zone; [`u64::MAX`]: only at the end of the region.
    pub pass_bytes: u64,
    /// Where in a zone.
    pub order: ZoneOrder,
}

/// Where in a zone the next operation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneOrder {
    /// One after the other, each kind of operation for itself.
    InOrder,
    /// Each block once before any comes again, over all kinds of operation; for operations of one length.
    OnceEach,
    /// At any multiple of so many bytes, by kind: reads, writes, trims.
    Uniform {
        /// Bytes.
        align_bytes: [u32; 3],
    },
}

/// Blocks by number, over and over, each kind of operation and each thread of a stream together for itself. As fio's
/// `random_distribution=sequence`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBlocks {
    /// Their numbers in the order of use.
    pub blocks: Vec<u64>,
    /// Whether each turn through the list begins so many blocks further as the list is long.
    pub moves_on: bool,
    /// Length of a block by kind, bytes: reads, writes, trims.
    pub align_bytes: [u32; 3],
}

impl StridedZones {
    pub(super) fn word(&self) -> &'static str {
        if self.order == ZoneOrder::InOrder { "sequential" } else { "random" }
    }

    pub(super) fn detail(&self) -> String {
        let StridedZones { range_bytes, size_bytes, skip_bytes, .. } = self;
        let order = match self.order {
            ZoneOrder::InOrder => "in order",
            ZoneOrder::OnceEach => "once_each",
            ZoneOrder::Uniform { .. } => "uniform",
        };
        format!(
            "zones of {range_bytes} bytes, {size_bytes} moved in each, {skip_bytes} left out between, {order} inside"
        )
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        (self.range_bytes == 0 || self.size_bytes == 0).then_some("its zones have no length")
    }
}

impl ListedBlocks {
    pub(super) fn detail(&self) -> String {
        let numbers: Vec<String> = self.blocks.iter().map(u64::to_string).collect();
        let then = if self.moves_on { ", then as many blocks further" } else { "" };
        format!("blocks {}{then}", numbers.join(" "))
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        self.blocks.is_empty().then_some("its list of blocks is empty")
    }
}
