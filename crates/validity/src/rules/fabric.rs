//! Latencies over a storage fabric: where both ends are, whether packets were lost, and whether the parts add up.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::Metric;
use crate::{About, Group, Over, Rule, Select, Test, When};

const FABRIC: Select = Select::layers(&[Layer::Fabric]);
const SPLIT: Select = Select::ids(&["fabric.split.*"]);
const METHOD: &str = "methods: fabric";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "fabric-parts-miss-whole",
        group: Group::Fabric,
        severity: Severity::Suspect,
        about: About::Measurement(SPLIT),
        when: When::Value {
            of: Metric(metric::SPLIT_UNEXPLAINED_SHARE),
            over: Over::Median,
            test: Test::Outside(-0.05, 0.05),
        },
        figures: &[Metric(metric::SPLIT_UNEXPLAINED), Metric(metric::SPLIT_LATENCY)],
        summary: "The parts of the latency miss the whole by more than 5 %",
        advice: "Measure again on a quieter machine and network; with --echo the echo has to run on the target's machine, on CPUs as idle as the target's",
        reason: "Each part is measured, and none is what is left over: where their sum is wrong one of them is, and it is not known which",
        reference: METHOD,
    },
    Rule {
        id: "fabric-segments-sent-again",
        group: Group::Fabric,
        severity: Severity::Suspect,
        about: About::Measurement(SPLIT),
        when: When::Value {
            of: Metric(metric::RETRANSMITS),
            over: Over::Total,
            test: Test::Above(0.0),
        },
        figures: &[Metric(metric::OPERATIONS), Metric(metric::MIN_RTT)],
        summary: "TCP segments were sent again within the windows: packets are lost on the way",
        advice: "Look for drops and pauses: ethtool -S INTERFACE on both ends, the switch's counters, and the same MTU everywhere (ping -M do -s 8972 HOST for 9000)",
        reason: "With one operation in flight there is no congestion to lose packets by; each loss costs 200 ms or more, in the tail that commits see",
        reference: "tcp(7); RFC 6298",
    },
    Rule {
        id: "fabric-both-ends-here",
        group: Group::Fabric,
        severity: Severity::Note,
        about: About::Run(FABRIC),
        when: When::Says { key: condition::SAME_MACHINE.any(), any_of: &["true"] },
        figures: &[],
        summary: "Host and target are one machine: there is no network in the figures, and both share its CPUs",
        advice: "Run narrows on the host that is to use the storage",
        reason: "What the network stacks and wake-ups cost on this machine is true; what a network costs is not in it",
        reference: METHOD,
    },
    Rule {
        id: "fabric-memory-behind",
        group: Group::Fabric,
        severity: Severity::Note,
        about: About::Run(SPLIT),
        when: When::Value {
            of: Metric(metric::SPLIT_STORAGE),
            over: Over::Median,
            test: Test::Below(1000.0),
        },
        figures: &[],
        summary: "The storage behind the target is memory: no drive answers within a microsecond",
        advice: "Serve the drive that is to be used; a namespace of memory shows what the fabric alone takes",
        reason: "The fabric's part is right; the latency is no drive's",
        reference: METHOD,
    },
];
