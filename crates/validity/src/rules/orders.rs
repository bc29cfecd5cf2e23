//! The order-entry mix: what has to hold in its tables after a run, and what client and server counted.

use narrows_model::{Severity, condition, metric, orders};

use crate::Quantity::Metric;
use crate::{About, Group, Need, Over, Rule, Select, Test, When};

const ALL: &[&str] = &["database.orders*"];
const RECOVERY: &[&str] = &["database.orders.recovery"];
const CONDITIONS: &str = "the specification's consistency conditions 1 to 10 and 12 (clause 3.3.2)";
const NONE: Test = Test::Above(0.0);

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "orders-inconsistent",
        group: Group::Database,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(ALL)),
        when: When::Value { of: Metric(orders::VIOLATED), over: Over::Worst, test: NONE },
        figures: &[],
        summary: "The database is inconsistent after the run: a condition that every transaction keeps fails",
        advice: "conditions_violated in the run file lists the rows. Keep the database, and check the server's log, its memory and its drives; load again before the next run",
        reason: "A server that loses a part of a transaction has not done the work that was counted",
        reference: CONDITIONS,
    },
    Rule {
        id: "orders-unchecked",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(ALL)),
        when: When::Present(orders::NOT_CHECKED.any()),
        figures: &[Metric(orders::MISCOUNTED)],
        summary: "The consistency conditions were not checked after the windows",
        advice: "See the reason; with --keep the tables stay, and the same command checks them again",
        reason: "The windows were measured, but whether the server did the work that was counted is unknown",
        reference: CONDITIONS,
    },
    Rule {
        id: "orders-miscounted",
        group: Group::Database,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(ALL)),
        when: When::Value { of: Metric(orders::MISCOUNTED), over: Over::Worst, test: NONE },
        figures: &[Metric(orders::NEW_ORDERS_PER_MIN)],
        summary: "New orders in the database and acknowledged new orders differ in number",
        advice: "Look for other users of the tables, and in the server's log for a restart",
        reason: "Commits that were acknowledged and are missing are lost; those that appear twice were applied twice. What was sent and never answered is allowed for",
        reference: "the districts' next order numbers against the client's acknowledged commits",
    },
    Rule {
        id: "orders-lost",
        group: Group::Durability,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(RECOVERY)),
        when: When::Value { of: Metric(orders::LOST), over: Over::Worst, test: NONE },
        figures: &[Metric(orders::ACKNOWLEDGED)],
        summary: "Orders that the server acknowledged were missing after it was killed and had recovered",
        advice: "Check fsync, synchronous_commit and full_page_writes of the server, and its log",
        reason: "An acknowledged commit is a promise. That all are there says nothing about the drives, which kept their power",
        reference: "PostgreSQL documentation, Reliability and the Write-Ahead Log",
    },
    Rule {
        id: "orders-faster-than-paced",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::ids(ALL)
                .needs(&[Need::Says(condition::PACING.any(), &["keying and thinking times"])]),
        ),
        when: When::Excess {
            of: Metric(orders::PER_WAREHOUSE),
            most: 12.86,
            per_min: Metric(orders::NEW_ORDERS_PER_MIN),
            window: Metric(metric::WINDOW),
        },
        figures: &[Metric(metric::SESSIONS)],
        summary: "More new orders than ten terminals with keying and thinking times can enter per warehouse",
        advice: "Use ten sessions per warehouse, which is what --paced does unless --sessions says otherwise",
        reason: "With answers in no time the most would be 12.86; more is another workload, and a rate without pauses must be called that",
        reference: "arithmetic on the specification's least shares and times (clauses 5.2.3 and 5.2.5)",
    },
    Rule {
        id: "orders-counts-differ",
        group: Group::Database,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(ALL)),
        when: When::Ratio {
            of: Metric(metric::SERVER_TRANSACTIONS),
            to: Metric(metric::SPAN_OPERATIONS),
            over: Over::Total,
            test: Test::Outside(0.99, 1.01),
        },
        figures: &[Metric(orders::RETRIES)],
        summary: "Client and server counted different numbers of transactions",
        advice: "Look for other users of the database",
        reason: "Every figure per transaction divides the server's counters by the client's count. Transactions that ended in conflicts are excluded on both sides",
        reference: "PostgreSQL documentation, The Cumulative Statistics System",
    },
];
