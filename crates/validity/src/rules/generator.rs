//! The load generator: whether it measured the system or itself, and whether it kept the times it promised.

use narrows_model::{Layer, Severity, condition, metric};

use super::SECONDS_PER_NS;
use crate::Quantity::{Constant, Metric, Number, Of, Product};
use crate::{About, Group, Need, Over, Quantity, Rule, Select, Test, When};

/// So many operations that a random queue's growth is no accident.
const MANY: f64 = 1000.0;
/// Seconds per second that threads spend in calls that only submit, and those that they spend on a processor.
const SUBMITTING: Quantity =
    Product(&[Metric(metric::SUBMIT_PER_OP), Metric(metric::THROUGHPUT), Constant(SECONDS_PER_NS)]);
const RUNNING: Quantity = Product(&[Number(condition::THREADS), Metric(metric::GENERATOR_BUSY)]);
const HALF: Quantity = Product(&[Number(condition::THREADS), Constant(0.5)]);
const OPEN: &[Need] = &[Need::Says(condition::LOOP.any(), &["open"])];
/// Windows of a search and its curve above the rate that was kept, and cells of a grid whose queue grew: they show that more is too much, and are meant to.
const BEYOND: &[&str] = &[
    "block.calibrate.*.beyond.*",
    "block.interference.*.beyond.*",
    "log.calibrate.*.beyond.*",
    "log.streams.*",
    "database.client.open",
];
/// And those whose latency only has to be below a limit: that it is, with the generator's lateness inside of it, holds
/// without that lateness all the more. Against a server that does nothing all latency is the generator's.
const BEYOND_OR_KEPT: &[&str] = &[
    "block.calibrate.*.beyond.*",
    "block.interference.*.beyond.*",
    "block.calibrate.*.confirm.kept",
    "log.calibrate.*.beyond.*",
    "log.calibrate.*.confirm.kept",
    "log.streams.*",
    "database.client.open",
];
/// The client against a server that does nothing: there it is meant to be what limits.
const CLIENT_ALONE: &[&str] = &["database.client", "database.client.open"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "generator-bound",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::layers(&[Layer::Block, Layer::Log, Layer::Fabric]).needs(&[
                Need::SaysNot(condition::METHOD.any(), &["buffered", "direct"]),
                // Until the next operation is due the thread spins; its lateness says if it was in the way.
                Need::SaysNot(condition::LOOP.any(), &["open"]),
            ]),
        ),
        when: When::Value {
            of: Metric(metric::GENERATOR_BUSY),
            over: Over::Median,
            test: Test::Above(0.9),
        },
        figures: &[Metric(metric::CPU_PER_OP), Number(condition::THREADS)],
        summary: "The load generator's busiest thread had no time left: this measures the generator",
        advice: "Take the figure as a lower bound of the device; more generator threads would show more",
        reason: "The device could do at least that much, so the figure is not wrong, but it is not the device's. \
                 The server's own path (buffered or direct reads by threads) is not judged: there the CPU is \
                 part of what is measured",
        reference: "introduction, rule 4",
    },
    Rule {
        id: "client-bound",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Database]).except(CLIENT_ALONE)),
        when: When::Any(&[
            When::Value {
                of: Metric(metric::CLIENT_BUSY),
                over: Over::Median,
                test: Test::Above(0.7),
            },
            When::Where(
                // Alone it was asked without TLS, and could do more than that.
                Need::Says(condition::ENCRYPTION.any(), &["none"]),
                &When::Ratio {
                    of: Of("database.client", metric::THROUGHPUT),
                    to: Metric(metric::THROUGHPUT),
                    over: Over::Median,
                    test: Test::Below(1.4),
                },
            ),
        ]),
        figures: &[Metric(metric::CLIENT_CPU_PER_OP), Number(condition::CLIENT_CPUS_COUNT)],
        summary: "The client was near its own limit: the server may give more than this",
        advice: "Run narrows on a second host with --database and the server's address: then all CPUs here are the server's",
        reason: "The rate was obtained, but the narrow place may be the client: with threads 0.7 busy an answer waits for \
                 them, and 1.4 times the rate is all that they gave against a server that does nothing. That one is asked without \
                 TLS, so that it says nothing of a load with TLS",
        reference: "introduction, rule 4; methods: database, the client alone",
    },
    Rule {
        id: "client-misses-rate",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.client.open"])),
        when: When::Any(&[
            When::Shortfall {
                done: Metric(metric::THROUGHPUT),
                due: Metric(metric::ASKED_RATE),
                window: Metric(metric::WINDOW),
                share: 0.005,
            },
            When::Ratio {
                of: Metric(metric::THROUGHPUT),
                to: Metric(metric::OFFERED),
                over: Over::Total,
                test: Test::Outside(0.995, 1.005),
            },
        ]),
        figures: &[Metric(metric::ASKED_RATE), Metric(metric::LATENESS_P99)],
        summary: "The client did not keep the rate it was asked for against a server that does nothing",
        advice: "Stop what else uses the client's CPUs, or give it more of them; doubt this run's open loops",
        reason: "At half of its own limit and with nothing to wait for, whatever is missing or too much is the generator's; the \
                 schedule's own scatter is allowed for",
        reference: "introduction, rules 3 and 8",
    },
    Rule {
        id: "cpus-shared",
        group: Group::Generator,
        severity: Severity::Note,
        about: About::Run(Select::layers(&[Layer::Database]).except(&["*.test.*"])),
        when: When::Says { key: condition::CPUS_SHARED.any(), any_of: &["true"] },
        figures: &[],
        summary: "Client and server shared CPUs",
        advice: "On a machine with more cores, or from another machine, the server has more to itself",
        reason: "The client's CPU time is counted apart and is a line of the sum; the figure stands",
        reference: "verdicts: client and server on one machine",
    },
    Rule {
        id: "overload",
        group: Group::Generator,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ALL.needs(OPEN).except(BEYOND)),
        when: When::Shortfall {
            done: Metric(metric::THROUGHPUT),
            due: Metric(metric::OFFERED),
            window: Metric(metric::WINDOW),
            share: 0.01,
        },
        figures: &[Metric(metric::LATENCY_P99)],
        summary: "The system could not keep the offered rate, so its latency has no bound",
        advice: "Offer less; the rate it kept in a closed loop was not sustainable",
        reason: "With arrivals faster than departures the queue grows for as long as one measures: the percentile is \
                 a property of the window's length",
        reference: "Schroeder, Wierman, Harchol-Balter 2006, Open versus closed",
    },
    Rule {
        id: "backlog-grows",
        group: Group::Generator,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Block]).except(BEYOND).needs(&[
            Need::Says(condition::LOOP.any(), &["open"]),
            Need::AtLeast(Metric(metric::OPERATIONS), MANY),
        ])),
        when: When::Ratio {
            of: Metric(metric::BACKLOG_GROWTH),
            to: Metric(metric::OPERATIONS),
            over: Over::Median,
            test: Test::Above(0.01),
        },
        figures: &[Metric(metric::OFFERED), Metric(metric::THROUGHPUT)],
        summary: "The queue grew from the beginning of the window to its end: the rate is above the capacity",
        advice: "Offer less, or search for the highest rate that lasts (narrows block calibrate)",
        reason: "Whatever the percentile says, it was only not given the time to be worse. A bounded queue's own noise is \
                 far below one per cent of a thousand operations",
        reference: "Schroeder, Wierman, Harchol-Balter 2006, Open versus closed",
    },
    Rule {
        id: "rate-not-offered",
        group: Group::Generator,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Block]).needs(&[
            Need::Says(condition::LOOP.any(), &["open"]),
            // What waits because enough is in flight is the device's doing.
            Need::Less(Metric(metric::HELD), Constant(1.0)),
        ])),
        when: When::Shortfall {
            done: Metric(metric::SENT_RATE),
            due: Metric(metric::ASKED_RATE),
            window: Metric(metric::WINDOW),
            share: 0.01,
        },
        figures: &[Metric(metric::GENERATOR_BUSY), Metric(metric::LATENESS_P99)],
        summary: "The generator did not send as many operations as it was asked to",
        advice: "Use more generator threads, or a machine whose CPUs are free",
        reason: "The figure would stand for a rate that never reached the device: nothing is known of the device at the \
                 rate that is printed",
        reference: "introduction, rule 8: requested is not obtained",
    },
    Rule {
        id: "generator-late",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ALL.needs(OPEN).except(BEYOND_OR_KEPT)),
        when: When::Ratio {
            of: Metric(metric::LATENESS_P99),
            to: Metric(metric::LATENCY_P99),
            over: Over::Median,
            test: Test::Above(0.05),
        },
        figures: &[],
        summary: "The generator itself was late by a good part of the latency it reports",
        advice: "Give the client more CPUs or fewer sessions",
        reason: "Latency counts from when an operation was due, so lateness is inside of it; above five per cent the \
                 percentile is partly the generator's",
        reference: "introduction, rule 3",
    },
    Rule {
        id: "operations-skipped",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ALL.needs(OPEN).except(BEYOND)),
        when: When::LeftOver {
            left: Metric(metric::SKIPPED),
            rate: Metric(metric::THROUGHPUT),
            latency: Metric(metric::LATENCY_MEAN),
        },
        figures: &[Metric(metric::OPERATIONS)],
        summary: "Operations that were due were never sent",
        advice: "Use more sessions, or a lower rate",
        reason: "The ones left out are those that would have waited longest, so the percentile is too good. The end of a \
                 window cuts off what stands there at any moment, and no more; where they are many, the rule on overload \
                 makes it invalid",
        reference: "introduction, rule 3; coordinated omission; Little 1961, L = λW",
    },
    Rule {
        id: "asynchronous-in-name",
        group: Group::Generator,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Block]).needs(&[
            Need::Says(condition::METHOD.any(), &["aio"]),
            Need::Says(condition::LOOP.any(), &["closed"]),
            Need::AtLeast(Metric(metric::DEPTH), 2.0),
        ])),
        when: When::Says { key: condition::DIRECT.any(), any_of: &["false"] },
        figures: &[
            Metric(metric::DEPTH),
            Number(condition::THREADS),
            Metric(metric::SUBMIT_PER_OP),
        ],
        summary: "Linux AIO on a file that is not open for direct I/O: each thread had one operation in flight",
        advice: "Open the file for direct I/O, or use io_uring or threads",
        reason: "The kernel then does the whole operation inside io_submit, so the figure belongs to another depth than \
                 the one it is printed for",
        reference: "io_submit(2), Linux fs/aio.c: only direct I/O is queued",
    },
    Rule {
        id: "submission-blocks",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::layers(&[Layer::Block])
                .needs(&[Need::Less(HALF, SUBMITTING), Need::AtLeast(Metric(metric::DEPTH), 2.0)]),
        ),
        when: When::Ratio {
            of: SUBMITTING,
            to: RUNNING,
            over: Over::Median,
            test: Test::Above(1.5),
        },
        figures: &[Metric(metric::IN_FLIGHT), Metric(metric::DEPTH)],
        summary: "Submitting an operation put the generator to sleep: fewer were in flight than asked",
        advice: "Look at the queue's length (nr_requests), at file-system locks, and at I/O that is not direct",
        reason: "A call that only submits takes CPU time; time beyond that is waiting, in which nothing else is \
                 sent. Suspect, because others on the same CPU make a thread wait as well",
        reference: "io_submit(2); fio's submission latency against its completion latency",
    },
    Rule {
        id: "io-uring-refused",
        group: Group::Generator,
        severity: Severity::Note,
        about: About::Run(Select::layers(&[Layer::Block])),
        when: When::Present(condition::IO_URING_REFUSED.any()),
        figures: &[],
        summary: "io_uring could not be used; Linux AIO or threads stood in for the best path",
        advice: "See kernel.io_uring_disabled and the container's seccomp profile",
        reason: "The drive's figures stand, with more CPU time per operation than io_uring needs",
        reference: "Linux Documentation/admin-guide/sysctl/kernel.rst, io_uring_disabled",
    },
    Rule {
        id: "least-load",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Run(Select::ALL),
        when: When::Present(condition::LEAST_LOAD.any()),
        figures: &[],
        summary: "Files and windows were made as small as tests want them; no figure is this machine's",
        advice: "Unset NARROWS_LEAST_LOAD and measure again",
        reason: "The variable is there for tests of what surrounds a measurement. It changes no option of the command, so that \
                 nothing else in the run would say it",
        reference: "introduction, rule 8: requested is not obtained",
    },
];
