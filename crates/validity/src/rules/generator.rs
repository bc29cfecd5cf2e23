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
    // A job's rate is the most that it may do, as fio has it: one that does less has a finding of its own.
    "block.job.*",
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
/// A 99th percentile over what it is without the generator's lateness: more makes it partly the generator's.
const LATE: f64 = 1.1;
/// The client against a server that does nothing: there it is meant to be what limits.
const CLIENT_ALONE: &[&str] = &["database.client", "database.client.open"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "generator-bound",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::layers(&[Layer::Block, Layer::Log, Layer::Fabric]).needs(&[
                Need::SaysNot(condition::METHOD.any(), &["buffered", "direct", "file calls"]),
                // Until the next operation is due the thread spins; its lateness says if it was in the way.
                Need::SaysNot(condition::LOOP.any(), &["open"]),
            ]),
        ),
        when: When::Any(&[
            When::Value {
                of: Metric(metric::GENERATOR_BUSY),
                over: Over::Median,
                test: Test::Above(0.9),
            },
            When::Value {
                of: Metric(metric::GENERATOR_CPU_BUSY),
                over: Over::Median,
                test: Test::Above(0.95),
            },
        ]),
        figures: &[Metric(metric::CPU_PER_OP), Number(condition::THREADS)],
        summary: "The load generator's busiest thread, or its CPU, was at 100 %: this is the generator's limit",
        advice: "Read the figure as a lower bound of the device; more generator threads would show more",
        reason: "The device can do at least that much, so the figure is not wrong, but it is not the device's. Kernels that account interrupts precisely (IRQ_TIME_ACCOUNTING) take the time of completions out of the thread's, and so does steal: therefore the idle time of its CPU counts, too, where the thread uses 40 % of it or more. The server's own path (buffered or direct reads by threads) and calls on files are not judged: there the CPU is part of what is measured",
        reference: "introduction, rule 4",
    },
    Rule {
        id: "depth-cap-reached",
        group: Group::Generator,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Block])),
        when: When::Present(condition::DEPTH_CAP.any()),
        figures: &[Metric(metric::LATENCY_MEAN)],
        summary: "Throughput still grew at the deepest queue that was tried: the device does at least this",
        advice: "Allow a deeper queue with --max-depth; an array behind one device needs as many requests as its drives together",
        reason: "The figure is true for the depth that is printed, and a lower bound of the device. The search tries 256 requests for each drive that the kernel shows, within 64 MiB of buffers for each",
        reference: "Little 1961, L = λW; methods: block",
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
        summary: "The load generator was near its own limit: the server may do more than this",
        advice: "Run narrows on a second host with --database and the server's address: then all CPUs here belong to the server",
        reason: "The rate was reached, but the bottleneck may be the load generator: with its threads 70 % busy an answer waits for them, and 1.4 times the rate is all that they reached against a server that does nothing. That server is used without TLS, so it says nothing of a load with TLS",
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
        summary: "The load generator did not keep the requested rate against a server that does nothing",
        advice: "Stop other users of its CPUs, or give it more CPUs; doubt the open-loop figures of this run",
        reason: "At half of its own limit and with nothing to wait for, every operation missing or too many is the generator's; the variation of the schedule itself is allowed for",
        reference: "introduction, rules 3 and 8",
    },
    Rule {
        id: "cpus-shared",
        group: Group::Generator,
        severity: Severity::Note,
        about: About::Run(Select::layers(&[Layer::Database]).except(&["*.test.*"])),
        when: When::Says { key: condition::CPUS_SHARED.any(), any_of: &["true"] },
        figures: &[],
        summary: "Load generator and server shared CPUs",
        advice: "With more CPUs, or with the load generator on another machine, the server has more CPU time",
        reason: "The load generator's CPU time is counted separately and is a line of the sum; the figure is valid",
        reference: "verdicts: load generator and server on one machine",
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
        advice: "Offer a lower rate; the rate of the closed loop was not sustainable",
        reason: "Where arrivals are faster than completions the queue grows for as long as one measures: the percentile then depends on the length of the window",
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
        summary: "The queue grew from start to end of the window: the rate is above the capacity",
        advice: "Offer a lower rate, or search for the highest sustainable one (narrows block calibrate)",
        reason: "With more time the percentile would have been worse. The variation of a bounded queue is far below one percent of a thousand operations",
        reference: "Schroeder, Wierman, Harchol-Balter 2006, Open versus closed",
    },
    Rule {
        id: "rate-above-capacity",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["block.job.*"]).needs(OPEN)),
        when: When::Shortfall {
            done: Metric(metric::THROUGHPUT),
            due: Metric(metric::OFFERED),
            window: Metric(metric::WINDOW),
            share: 0.01,
        },
        figures: &[Metric(metric::LATENCY_P99), Metric(metric::IO_LIMIT_SHARE)],
        summary: "The job's rate is above what is possible: latency grows with the window",
        advice: "Take the throughput as what is possible; for latency write a lower rate, or none",
        reason: "A rate of a job is the most that it may do, and fio prints what it did. Latency counts from when an operation was due here, and of a queue that grows it depends on the length of the window",
        reference: "fio, rate_iops; Schroeder, Wierman, Harchol-Balter 2006, Open versus closed",
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
        summary: "The load generator sent fewer operations than requested",
        advice: "Use more generator threads, or a machine with idle CPUs",
        reason: "The requested rate never reached the device: nothing is known of the device at the rate that is printed",
        reference: "introduction, rule 8: requested is not obtained",
    },
    Rule {
        id: "generator-slightly-late",
        group: Group::Generator,
        severity: Severity::Note,
        about: About::Measurement(Select::ALL.needs(OPEN).except(BEYOND_OR_KEPT)),
        when: When::Ratio {
            of: Metric(metric::LATENCY_P99),
            to: Metric(metric::ON_TIME_LATENCY_P99),
            over: Over::Median,
            test: Test::Between(1.05, LATE),
        },
        figures: &[Metric(metric::LATENESS_P99)],
        summary: "Up to a tenth of the 99th percentile is the load generator's lateness",
        advice: "Take the percentile as that much too long; give the load generator more CPUs where this matters",
        reason: "While one operation is handed to the kernel the next may fall due: in a guest a submission takes tens of microseconds, and a few percent of a short latency are its wait. Such a percentile differs more than that from one window to the next (by 9 to 44 %, a standard deviation, on the virtual drive where it was tried), and it is too long by it, never too short",
        reference: "introduction, rule 3",
    },
    Rule {
        id: "generator-late",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ALL.needs(OPEN).except(BEYOND_OR_KEPT)),
        when: When::Any(&[
            When::Ratio {
                of: Metric(metric::LATENCY_P99),
                to: Metric(metric::ON_TIME_LATENCY_P99),
                over: Over::Median,
                test: Test::Above(LATE),
            },
            // Runs of before that was recorded. It says too much: the latest operations are seldom the slowest.
            When::Where(
                Need::Lacks(metric::ON_TIME_LATENCY_P99),
                &When::Ratio {
                    of: Metric(metric::LATENESS_P99),
                    to: Metric(metric::LATENCY_P99),
                    over: Over::Median,
                    test: Test::Above(0.05),
                },
            ),
        ]),
        figures: &[Metric(metric::LATENESS_P99)],
        summary: "The load generator was late by a large part of the latency that it reports",
        advice: "Give the load generator more CPUs or fewer sessions",
        reason: "Latency counts from the scheduled start, so the generator's lateness is part of it. Taken out of each operation it has to leave the 99th percentile where it was, within ten percent; otherwise that percentile is partly the generator's. Where a run file has no such percentile, that of lateness itself stands for it",
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
        summary: "Scheduled operations were never sent",
        advice: "Use more sessions, or a lower rate",
        reason: "Those left out would have waited longest, so the percentile is too low. The end of a window cuts off what is in the queue then, and no more; where they are many, the rule on overload makes the figure invalid",
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
        summary: "Linux AIO on a file without direct I/O: each thread ran at QD1",
        advice: "Open the file with direct I/O, or use io_uring or threads",
        reason: "The kernel then does the whole operation inside io_submit, so the figure belongs to another queue depth than the one printed",
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
        summary: "Submitting I/O blocked the load generator: queue depth was below the requested one",
        advice: "Check nr_requests, file-system locks, and I/O that is not direct",
        reason: "A call that only submits needs CPU time; any time beyond that is waiting, in which nothing else is sent. Suspect, because other load on the same CPU makes a thread wait as well",
        reference: "io_submit(2); fio's submission latency against its completion latency",
    },
    Rule {
        id: "io-uring-refused",
        group: Group::Generator,
        severity: Severity::Note,
        about: About::Run(Select::layers(&[Layer::Block])),
        when: When::Present(condition::IO_URING_REFUSED.any()),
        figures: &[],
        summary: "io_uring was not available; Linux AIO or threads were used in its place",
        advice: "Check kernel.io_uring_disabled and the container's seccomp profile",
        reason: "The drive's figures are valid, with more CPU time per operation than io_uring needs",
        reference: "Linux Documentation/admin-guide/sysctl/kernel.rst, io_uring_disabled",
    },
    Rule {
        id: "least-load",
        group: Group::Generator,
        severity: Severity::Suspect,
        about: About::Run(Select::ALL),
        when: When::Present(condition::LEAST_LOAD.any()),
        figures: &[],
        summary: "Files and windows as small as tests need them: no figure stands for this machine",
        advice: "Unset NARROWS_LEAST_LOAD and measure again",
        reason: "The variable is for tests of what surrounds a measurement. It changes no option of the command, so nothing else in the run would show it",
        reference: "introduction, rule 8: requested is not obtained",
    },
];
