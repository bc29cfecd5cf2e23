//! A live server's log, looked at: what bears on its figures.

use narrows_model::{Severity, condition, metric};

use crate::Quantity::Metric;
use crate::{About, Group, Need, Over, Rule, Select, Test, When};

const LIVE: About = About::Measurement(Select::ids(&["log.live"]));
const SETTINGS: &str = "PostgreSQL documentation: Write Ahead Log, Settings";
const STATISTICS: &str = "PostgreSQL documentation: The Cumulative Statistics System";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "live-fsync-off",
        group: Group::Log,
        severity: Severity::Suspect,
        about: LIVE,
        when: When::Says { key: condition::FSYNC.any(), any_of: &["off"] },
        figures: &[],
        summary: "fsync is off: nothing is flushed, and commits are not durable",
        advice: "Switch fsync on and look again; a crash of the machine can destroy the whole database as it is",
        reason: "The rates are true, and say nothing about what a durable commit costs",
        reference: SETTINGS,
    },
    Rule {
        id: "live-commits-do-not-wait",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Says { key: condition::SYNCHRONOUS_COMMIT.any(), any_of: &["off"] },
        figures: &[Metric(metric::FLUSH_RATE)],
        summary: "synchronous_commit is off: commits return before they are durable",
        advice: "Look whether losing the last commits in a crash is bearable for all who use the server",
        reason: "It is a choice that an administrator may make; the wait of a commit is then no measure of the log",
        reference: SETTINGS,
    },
    Rule {
        id: "live-no-full-pages",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Says { key: condition::FULL_PAGE_WRITES.any(), any_of: &["off"] },
        figures: &[],
        summary: "full_page_writes is off: a page torn by a crash can't be repaired from the log",
        advice: "Make sure that the storage writes whole database pages or none of one",
        reason: "The log is smaller than it would be, and on storage that tears pages the database is not safe",
        reference: SETTINGS,
    },
    Rule {
        id: "live-no-times",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Says { key: condition::TRACK_WAL_IO_TIMING.any(), any_of: &["off"] },
        figures: &[Metric(metric::FLUSH_RATE)],
        summary: "track_wal_io_timing is off: the times of flushes are estimated by how often one was met",
        advice: "Switch it on for the interval if pg_test_timing shows a cheap clock",
        reason: "Counts are there without it, and times are not zero but unknown",
        reference: STATISTICS,
    },
    Rule {
        id: "live-full-pages-dominate",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Value {
            of: Metric(metric::FULL_PAGE_SHARE),
            over: Over::Median,
            test: Test::Above(0.5),
        },
        figures: &[Metric(metric::WAL_BYTES_PER_OP), Metric(metric::LOG_RATE)],
        summary: "Most of the log may be whole pages: a checkpoint was not long ago, or they come too often",
        advice: "Look again later; if it stays, lengthen checkpoint_timeout and max_wal_size, or try wal_compression",
        reason: "After a checkpoint the first change of a page logs all of it, so that bytes per commit fall with time. \
                 Pages are counted, not their bytes: with compression or much free space in them it is less",
        reference: "PostgreSQL documentation: full_page_writes, WAL Configuration",
    },
    Rule {
        id: "live-buffers-full",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Value {
            of: Metric(metric::BUFFERS_FULL_PER_WRITE),
            over: Over::Median,
            test: Test::Above(0.1),
        },
        figures: &[Metric(metric::LOG_RATE)],
        summary: "Sessions write the log because its buffers are full, before they commit",
        advice: "Raise wal_buffers (16 MB is the most that is chosen by itself), or log less",
        reason: "Such a write holds up statements, which no figure of commits shows",
        reference: STATISTICS,
    },
    Rule {
        id: "live-states-disagree",
        group: Group::Log,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::ids(&["log.live"]).needs(&[Need::AtLeast(Metric(metric::FLUSH_BUSY), 0.1)]),
        ),
        when: When::Ratio {
            of: Metric(metric::FLUSH_SEEN),
            to: Metric(metric::FLUSH_BUSY),
            over: Over::Median,
            test: Test::Outside(0.5, 2.0),
        },
        figures: &[Metric(metric::LOOKING_SHARE)],
        summary: "Sessions were found at the log far more or less often than the server's own times say",
        advice: "Look for longer; on a machine with few processors who asks gets in the way of who is asked about",
        reason: "One process at a time writes or flushes the log, so that how many are found at it on average is the \
                 share of time that the server counted",
        reference: "Little 1961; methods: log",
    },
    Rule {
        id: "live-looking-costs",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Value {
            of: Metric(metric::LOOKING_SHARE),
            over: Over::Median,
            test: Test::Above(0.02),
        },
        figures: &[],
        summary: "Looking took more than 2 % of one of the server's processors",
        advice: "Look for a shorter time; many sessions make each question dear",
        reason: "Who looks should not be seen; the figures stand",
        reference: "introduction, do no harm",
    },
];
