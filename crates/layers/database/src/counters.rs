//! What a server counted over a load.

/// One reading; absent is what the version doesn't have.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counters {
    /// Transactions ended in this database.
    pub transactions: f64,
    /// Blocks not found in the buffer pool.
    pub blocks_read: f64,
    /// The same of the load's own tables and indexes; absent where nobody asked.
    pub table_reads: Option<f64>,
    /// Blocks found in the buffer pool.
    pub blocks_hit: f64,
    /// Time in reads, ns; zero where the server doesn't time them.
    pub read_time_ns: Option<f64>,
    /// Time that sessions of this database spent in statements, ns: from the first message of one to the answer, its commit among it.
    pub active_time_ns: Option<f64>,
    /// Log position, bytes.
    pub wal_bytes: f64,
    /// Log flushes.
    pub flushes: Option<f64>,
    /// Time in log flushes, ns; zero where the server doesn't time them.
    pub flush_time_ns: Option<f64>,
    /// Time in writes of the log, ns; likewise.
    pub write_time_ns: Option<f64>,
    /// Full pages in the log, the first change of each page after a checkpoint.
    pub full_pages: Option<f64>,
    /// Checkpoints begun (timed and requested), as far as the server has reported them: mostly when they end.
    pub checkpoints: Option<f64>,
    /// Pages that checkpoints have written, likewise; a spread one reports while it writes.
    pub checkpoint_pages: Option<f64>,
    /// One where the checkpointer is at work at this moment, zero where it waits for something to do. `None` where it can't be
    /// seen.
    pub checkpointing: Option<f64>,
    /// Transactions of the connection that reads, where it is in the same database and they are among the others.
    pub own: f64,
}

impl Counters {
    /// What changed since `earlier`.
    pub fn since(&self, earlier: &Counters) -> Counters {
        let both = |a: Option<f64>, b: Option<f64>| Some(a? - b?);
        Counters {
            transactions: self.transactions - earlier.transactions - (self.own - earlier.own),
            own: self.own - earlier.own,
            blocks_read: self.blocks_read - earlier.blocks_read,
            table_reads: both(self.table_reads, earlier.table_reads),
            blocks_hit: self.blocks_hit - earlier.blocks_hit,
            read_time_ns: both(self.read_time_ns, earlier.read_time_ns),
            active_time_ns: both(self.active_time_ns, earlier.active_time_ns),
            wal_bytes: self.wal_bytes - earlier.wal_bytes,
            flushes: both(self.flushes, earlier.flushes),
            flush_time_ns: both(self.flush_time_ns, earlier.flush_time_ns),
            write_time_ns: both(self.write_time_ns, earlier.write_time_ns),
            checkpoints: both(self.checkpoints, earlier.checkpoints),
            checkpoint_pages: both(self.checkpoint_pages, earlier.checkpoint_pages),
            full_pages: both(self.full_pages, earlier.full_pages),
            // A state, and no count: whether it was at work at either end.
            checkpointing: self.checkpointing.zip(earlier.checkpointing).map(|(a, b)| a.max(b)),
        }
    }
}
