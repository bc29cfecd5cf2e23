//! Whether the figure had settled and how well it repeats.

use narrows_model::{Layer, RuleId, Severity, Workload, condition, metric};

use crate::Quantity::{Constant, Metric, MetricOr, Number, Product, Repeats};
use crate::{About, Group, Need, Over, Rule, Select, Test, When};

const OBSERVED: &str = Workload::Observed.measurement_id();

/// Others kept none of the load's threads waiting, so that a lower rate is not theirs; what they do is another rule's.
const UNDISTURBED: &[Need] = &[Need::Less(MetricOr(metric::GENERATOR_WAIT, 0.0), Constant(0.05))];

/// In every window a fifth below the least that the same load gave before.
const LOWER_THAN_BEFORE: When = When::Ratio {
    of: Metric(metric::THROUGHPUT),
    to: Number(condition::EARLIER_LEAST_PER_S),
    over: Over::All,
    test: Test::Below(0.8),
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: RuleId::NOT_STEADY.as_str(),
        group: Group::Steadiness,
        severity: Severity::Suspect,
        // Clients choose the load of a server that is only observed.
        // A test and its baseline take turns, so a drift meets both; the interval of their ratio carries the rest.
        about: About::Measurement(Select::ALL.except(&["*.test.*", OBSERVED])),
        // Of 720 orders of six values 12 reach p < 0.05 and 2 p < 0.01: a ladder has two dozen such figures, and by the first a third of all
        // ladders would have one that drifts by chance.
        when: When::Drift { p_within: 0.01, p_between: 0.01, share: 0.10 },
        figures: &[],
        summary: "The figure was still changing while it was measured",
        advice: "Warm up longer, or measure longer; for writes the drive's cache may be filling up",
        reason: "The mean of a changing figure belongs to no state of the system; but the operations took place, and a longer window may show the same",
        reference: "Mann 1945, Kendall 1975; SNIA SSS PTS 2.0.2, 2.1.24 for the 10 %",
    },
    Rule {
        id: "settled-lower",
        group: Group::Steadiness,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Block, Layer::Log, Layer::Fabric])),
        when: When::Step { p: 0.001, share: 0.2, level: 0.1 },
        figures: &[],
        summary: "The figure dropped and stayed low: a limit, or a cache or burst credits used up",
        advice: "Measure until it is level from the start; the level after the drop is the sustainable one",
        reason: "The mean of two levels belongs to neither. The operations took place, and both levels are in the series",
        reference: "Pettitt 1979; SNIA SSS PTS 2.0.2, 2.1.24",
    },
    Rule {
        id: "ceiling-fell",
        group: Group::Steadiness,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["block.calibrate.*.again"]).needs(UNDISTURBED)),
        when: LOWER_THAN_BEFORE,
        figures: &[
            Number(condition::OPERATIONS_BEFORE_FALL),
            Number(condition::OPERATIONS_UNTIL_FALL_SEEN),
            Number(condition::BEFORE_FALL_BYTES),
            Number(condition::UNTIL_FALL_SEEN_BYTES),
        ],
        summary: "Less at the calibration's end than at its beginning: burst credits, a cache or heat",
        advice: "Measure again now, and for longer (--minutes 45): the rate that is found from the start is the one that lasts. On a volume of a provider, compare it with the volume's baseline; narrows block steady shows it for writes",
        reason: "The same closed loop at the same queue depth, minutes apart, in all its windows a fifth below the least of before: the answer is of one of two states. The operations and bytes are of all windows; the fall lies between the two counts",
        reference: "methods: calibrate, the closed loop once more",
    },
    Rule {
        id: "slower-after-idle",
        group: Group::Steadiness,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["block.calibrate.*.idle"]).needs(UNDISTURBED)),
        when: LOWER_THAN_BEFORE,
        figures: &[Number(condition::IDLE_BEFORE_S)],
        summary: "Slower after a pause: a cache had answered for what was just written",
        advice: "Take the rate after the pause for data that is older than minutes; narrows block --device DEVICE reads what was written long before",
        reason: "Drives move what was written from SLC to TLC or QLC while nothing happens, and arrays and hosts drop it from memory. The windows before the pause are true for data that was just written",
        reference: "SNIA SSS PTS 2.0.2, workload-dependent preconditioning; methods: calibrate, the closed loop once more",
    },
    Rule {
        id: "gaps",
        group: Group::Steadiness,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::layers(&[Layer::Block, Layer::Log, Layer::Fabric]).except(&[
                "*.beyond.*",
                "log.live",
                "log.streams.*",
            ]),
        ),
        when: When::Gaps { missing: 0.05 },
        figures: &[Metric(metric::LATENCY_MAX)],
        summary: "The figure fell far below its level and came back: something stood still for a while",
        advice: "Measure again; where it comes back, the series has when, and the drive's and the hypervisor's logs have why",
        reason: "The mean is that of two states. Five percent of the work is the agreement that a sum must show; the operations took place, and without the gaps the figure would be higher by that share",
        reference: "introduction, rule 5",
    },
    Rule {
        id: "one-long-operation",
        group: Group::Steadiness,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Block]).needs(&[
            Need::SaysNot(condition::LOOP.any(), &["open"]),
            Need::Less(
                Product(&[Metric(metric::LATENCY_MEAN), Constant(10.0)]),
                Metric(metric::LATENCY_MAX),
            ),
        ])),
        when: When::Ratio {
            of: Metric(metric::LATENCY_MAX),
            to: Metric(metric::WINDOW),
            over: Over::Third,
            test: Test::Above(0.25),
        },
        figures: &[Metric(metric::LATENCY_MEAN), Metric(metric::OPERATIONS)],
        summary: "One operation took as long as a large part of the window",
        advice: "Measure longer; look for what stopped the drive or this program",
        reason: "Rate and mean are decided by how many such operations a window happens to hold. Of a deep queue that is slow all the time each operation takes long, so it has to be ten times the mean",
        reference: "introduction, rule 5",
    },
    Rule {
        id: RuleId::WIDE_SPREAD.as_str(),
        group: Group::Steadiness,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ALL.except(&["*.test.*", OBSERVED])),
        when: When::Any(&[
            When::Wide { half_width: 0.25 },
            When::Where(
                Need::SaysNot(condition::LOOP.any(), &["open"]),
                &When::WideInParts { half_width: 0.25 },
            ),
        ]),
        figures: &[],
        summary: "Unreliable: the repeats differ too much",
        advice: "Look for other load, turbo or placement changes; measure with more repeats on an idle machine",
        reason: "With ± 25 % two machines that differ by half cannot be told apart, and a sum that must agree within \
                 5 % agrees by accident. Each repeat alone may still be true",
        reference: "introduction, rule 5",
    },
    Rule {
        id: "few-repeats",
        group: Group::Steadiness,
        severity: Severity::Note,
        // Tests take turns with their baselines, jobs and searches have as many windows as they ask for, and a machine's state is
        // observed once.
        about: About::Run(
            Select::ALL
                .except(&[
                    "*.test.*",
                    "*.alone",
                    "block.job.*",
                    "block.together.*",
                    "block.calibrate.*",
                    "log.calibrate.*",
                    "database.*.p99.*",
                    "database.*.recovery",
                    "memory.baseline.*",
                ])
                .needs(&[Need::Planned(3)]),
        ),
        when: When::Value { of: Repeats, over: Over::Median, test: Test::Below(3.0) },
        figures: &[],
        summary: "Fewer than three of the planned repeats took place: no interval can be given",
        advice: "Measure again, and let the run finish",
        reason: "The figures are valid; only their uncertainty is unknown",
        reference: "methods: statistics",
    },
];
