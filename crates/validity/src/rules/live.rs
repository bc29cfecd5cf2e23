//! A live server's WAL, observed: what limits its figures.

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
        advice: "Turn fsync on and observe again; without it a crash of the machine can destroy the whole database",
        reason: "The rates are true, and say nothing about the cost of a durable commit",
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
        advice: "Check whether all users of the server can afford to lose the last commits in a crash",
        reason: "An administrator may choose it; the wait of a commit then says nothing about WAL",
        reference: SETTINGS,
    },
    Rule {
        id: "live-no-full-pages",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Says { key: condition::FULL_PAGE_WRITES.any(), any_of: &["off"] },
        figures: &[],
        summary: "full_page_writes is off: WAL cannot repair a page torn by a crash",
        advice: "Make sure that the storage writes database pages whole or not at all",
        reason: "The server writes less WAL, and on storage that tears pages the database is not safe",
        reference: SETTINGS,
    },
    Rule {
        id: "live-no-times",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Says { key: condition::TRACK_WAL_IO_TIMING.any(), any_of: &["off"] },
        figures: &[Metric(metric::FLUSH_RATE)],
        summary: "track_wal_io_timing is off: flush times are estimated from how often one was seen",
        advice: "Turn it on for the interval if pg_test_timing shows a fast clock",
        reason: "Counts are there without it; times are unknown, not zero",
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
        summary: "WAL is mostly full-page images: the last checkpoint is recent, or they are too frequent",
        advice: "Observe again later; if it repeats, raise checkpoint_timeout and max_wal_size, or try wal_compression",
        reason: "After a checkpoint the first change of a page logs all of it, so WAL bytes per commit fall with time. Pages are counted, not their bytes: with compression or much free space in them it is less",
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
        summary: "Sessions write WAL before they commit because wal_buffers is full",
        advice: "Raise wal_buffers (the automatic setting ends at 16 MB), or write less WAL",
        reason: "Such a write delays statements, which no figure about commits shows",
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
        summary: "Samples and the server's own times disagree about waits for WAL",
        advice: "Observe longer; on a machine with few CPUs the sampling itself disturbs",
        reason: "One process at a time writes or flushes WAL, so the average number of sessions seen there is the share of time that the server counted",
        reference: "Little 1961; methods: log",
    },
    Rule {
        id: "live-sampling-costs",
        group: Group::Log,
        severity: Severity::Note,
        about: LIVE,
        when: When::Value {
            of: Metric(metric::LOOKING_SHARE),
            over: Over::Median,
            test: Test::Above(0.02),
        },
        figures: &[],
        summary: "Sampling used more than 2 % of one of the server's CPUs",
        advice: "Observe for a shorter time; with many sessions each sample costs more",
        reason: "Observing should not disturb; the figures are valid",
        reference: "introduction, do no harm",
    },
];
