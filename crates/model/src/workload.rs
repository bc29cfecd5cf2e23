//! The database workloads: the one list of them, with their words.
//!
//! Layer, verdicts, rules, plan, command and reports take from here what is asked for, measured, judged and named. A new workload is a
//! variant with its words; the compiler and the length of [`Workload::ALL`] say what is missing.

/// A workload that is measured and judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Workload {
    /// Point lookups from the buffer pool.
    LookupCached,
    /// Point lookups whose blocks come from the drives.
    LookupUncached,
    /// Blocks by the server's bitmap, many at a time.
    Batch,
    /// Durable single-row updates, or a mix of them and lookups.
    Update,
    /// Durable commits of nothing else.
    Commit,
    /// The order-entry mix; an operation is one of its transactions.
    Orders,
    /// A scan by one process.
    ScanOne,
    /// A scan by parallel workers.
    ScanMany,
    /// The transactions of an external server, which is only observed.
    Observed,
}

/// Ids of all measurements of workloads by sessions whose operation is one transaction to the server.
pub const ONE_TRANSACTION: &[&str] =
    &["database.lookup*", "database.batch*", "database.update*", "database.commit*"];
/// Ids of all measurements of workloads by sessions that ask for blocks.
pub const BY_BLOCKS: &[&str] = &["database.lookup*", "database.batch*", "database.update*"];
/// Ids of all measurements of workloads that commit durably.
pub const DURABLE: &[&str] = &["database.update*", "database.commit*", "database.orders*"];

/// What a workload is called.
struct Words {
    /// What is asked for by, and what a verdict is about; both scans have one.
    word: &'static str,
    /// The measurement of its closed loop.
    id: &'static str,
    /// In a table.
    name: &'static str,
    /// In a sentence.
    plural: &'static str,
    /// Its operation, for who may ask for it.
    operation: &'static str,
    /// Whether `narrows run` measures it.
    usual: bool,
}

impl Workload {
    /// Every workload, in the order of the screen.
    pub const ALL: [Workload; Workload::Observed as usize + 1] = [
        Workload::LookupCached,
        Workload::LookupUncached,
        Workload::Batch,
        Workload::Update,
        Workload::Commit,
        Workload::Orders,
        Workload::ScanOne,
        Workload::ScanMany,
        Workload::Observed,
    ];

    const fn words(self) -> Words {
        match self {
            Workload::LookupCached => Words {
                word: "lookup_cached",
                id: "database.lookup_cached",
                name: "lookup, cached",
                plural: "cached lookups",
                operation: "One row by its key, from shared_buffers",
                usual: true,
            },
            Workload::LookupUncached => Words {
                word: "lookup_uncached",
                id: "database.lookup_uncached",
                name: "lookup, uncached",
                plural: "uncached lookups",
                operation: "One row by its key, from the drive",
                usual: true,
            },
            Workload::Batch => Words {
                word: "batch",
                id: "database.batch",
                name: "batch",
                plural: "batches",
                operation: "Many blocks at once by a bitmap",
                usual: false,
            },
            Workload::Update => Words {
                word: "update",
                id: "database.update",
                name: "update, durable",
                plural: "updates",
                operation: "One row, one durable commit",
                usual: true,
            },
            Workload::Commit => Words {
                word: "commit",
                id: "database.commit",
                name: "commit, durable",
                plural: "commits",
                operation: "The smallest durable transaction",
                usual: false,
            },
            Workload::Orders => Words {
                word: "orders",
                id: crate::orders::ID,
                name: "orders",
                plural: "transactions of orders",
                operation: "One transaction of an order-entry mix",
                usual: false,
            },
            Workload::ScanOne => Words {
                word: "scan",
                id: "database.scan_1",
                name: "scan, 1 worker",
                plural: "scans with 1 worker",
                operation: "The whole table, by 1 worker",
                usual: false,
            },
            Workload::ScanMany => Words {
                word: "scan",
                id: "database.scan_n",
                name: "scan, workers",
                plural: "scans",
                operation: "The whole table, by 1 and by n workers",
                usual: true,
            },
            Workload::Observed => Words {
                word: "observed",
                id: "database.observed",
                name: "observed",
                plural: "the observed server",
                operation: "Whatever others ask of the server",
                usual: false,
            },
        }
    }

    /// The workloads of `narrows run`, each word once.
    pub fn usual() -> impl Iterator<Item = Workload> {
        Workload::ALL.into_iter().filter(|workload| workload.words().usual)
    }

    /// The word in a verdict; the two scans differ by their workers.
    pub const fn word(self) -> &'static str {
        self.words().word
    }

    /// The id of its measurement.
    pub const fn measurement_id(self) -> &'static str {
        self.words().id
    }

    /// Its name in a table.
    pub const fn name(self) -> &'static str {
        self.words().name
    }

    /// Its name in a sentence.
    pub const fn plural(self) -> &'static str {
        self.words().plural
    }

    /// What one operation is.
    pub const fn operation(self) -> &'static str {
        self.words().operation
    }

    /// The last part of the id of its measurement: its word, but for scans.
    pub fn id_word(self) -> &'static str {
        let id = self.measurement_id();
        id.split_once('.').map_or(id, |(_, word)| word)
    }

    /// Whether an operation is a scan of the whole table.
    pub const fn is_scan(self) -> bool {
        matches!(self, Workload::ScanOne | Workload::ScanMany)
    }

    /// The workload measured under that id.
    pub fn from_measurement_id(id: &str) -> Option<Workload> {
        Workload::ALL.into_iter().find(|workload| workload.measurement_id() == id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_is_listed_once_and_found_by_its_id() {
        let ids: BTreeSet<&str> = Workload::ALL.iter().map(|w| w.measurement_id()).collect();
        assert_eq!(ids.len(), Workload::ALL.len());
        for workload in Workload::ALL {
            assert_eq!(Workload::from_measurement_id(workload.measurement_id()), Some(workload));
            assert!(workload.is_scan() || workload.id_word() == workload.word(), "{workload:?}");
        }
        assert_eq!(Workload::from_measurement_id("database.update.open"), None);
    }

    #[test]
    fn a_word_asks_for_one_workload() {
        let words: BTreeSet<&str> = Workload::usual().map(Workload::word).collect();
        assert_eq!(words.len(), Workload::usual().count());
    }

    #[test]
    fn groups_hold_what_the_list_holds() {
        let listed = |pattern: &&str| {
            let begin = pattern.trim_end_matches('*');
            Workload::ALL.iter().any(|workload| workload.measurement_id().starts_with(begin))
        };
        assert!([ONE_TRANSACTION, BY_BLOCKS, DURABLE].concat().iter().all(listed));
    }
}
