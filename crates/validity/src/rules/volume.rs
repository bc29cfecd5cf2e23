//! Volumes of a provider: limits, credits and caches that nothing on this machine shows.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::Metric;
use crate::{About, Group, Need, Over, PathFact, Rule, Select, Test, When};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "rate-of-a-volume-limit",
        group: Group::Steadiness,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Block]).needs(&[
            Need::Path(PathFact::Lent),
            Need::Says(condition::LOOP.any(), &["closed"]),
            Need::AtLeast(Metric(metric::DEPTH), 4.0),
        ])),
        when: When::AtVolumeLimit,
        figures: &[Metric(metric::LATENCY_MEAN)],
        summary: "The rate is a limit that providers give to volumes, not what the device can do",
        advice: "Check the volume's type and size in the provider's console; a larger limit is a setting there. What burst credits give (EBS gp2 at 3,000, Azure Premium SSD at 3,500) lasts half an hour when the credits are full, less when not; Azure's on-demand bursting (30,000) has no end and is charged",
        reason: "The figure is true: the volume gives no more. Latency at this depth is the queue before the limit and says nothing of the device",
        reference: "providers' documentation of volumes; token bucket: ITU-T I.371",
    },
    Rule {
        id: "volume-windows-short",
        group: Group::Steadiness,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::ids(&["block.calibrate.*.confirm.kept", "log.calibrate.*.confirm.kept"])
                .needs(&[Need::Path(PathFact::CloudVolume)]),
        ),
        when: When::Value {
            of: Metric(metric::WINDOW),
            over: Over::Median,
            test: Test::Below(50e9),
        },
        figures: &[],
        summary: "The answer rests on windows of seconds, on a volume with credits and limits per minute",
        advice: "Give it three quarters of an hour: --minutes 45. Then each window that decides lasts a minute",
        reason: "A provider's volume is throttled and slowed down for seconds now and then, and gives more as long as credits last. Windows of seconds lie between two of these, so the rate may hold for them and not for a server. Each window is true for itself",
        reference: "methods: calibrate, cloud volumes",
    },
];
