//! Latencies over a storage fabric: where both ends are, whether packets were lost, and whether the parts add up.

use narrows_model::{Layer, Severity, condition, fabric, metric};

use super::structure::note;
use crate::Quantity::{self, Metric};
use crate::{About, Group, Over, Rule, Select, Structure, Test, When};

const FABRIC: Select = Select::layers(&[Layer::Fabric]);
const SPLIT: Select = Select::ids(&["fabric.split.*"]);
/// Layers whose paths may lead over a network.
const PATHS: Select = Select::layers(&[Layer::Block, Layer::Log, Layer::Database]);
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
            test: Test::Outside(-fabric::EXPLAINED_SHARE, fabric::EXPLAINED_SHARE),
        },
        figures: &[Metric(metric::SPLIT_UNEXPLAINED), Metric(metric::SPLIT_LATENCY)],
        summary: "More than 5 % of the latency is not explained by its parts",
        advice: "Measure again on a quieter machine and network; with --echo the echo has to run on the target's machine, on CPUs as idle as the target's",
        reason: "Each part is measured, and none is what is left over: where their sum is wrong one of them is, and it is unknown which",
        reference: METHOD,
    },
    Rule {
        id: "fabric-cut-short",
        group: Group::Fabric,
        severity: Severity::Note,
        about: About::Measurement(SPLIT),
        when: When::Value {
            of: Metric(metric::SPLIT_ROUNDS_DONE),
            over: Over::Median,
            test: Test::Below(1.0),
        },
        figures: &[],
        summary: "The test ended early: the figures are of fewer rounds than planned, and their intervals are wider",
        advice: "Run it to the end; where the connection was lost, the target's log and the kernel's say why",
        reason: "Six rounds are the fewest of which the median has an interval; with fewer nothing is kept. Rounds that ended before a stop or an outage are true, and the one that was cut is not among them",
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
        summary: "TCP segments to the target were sent again: packets were lost, or acknowledged late",
        advice: "Look for drops and pauses: ethtool -S INTERFACE on both ends, the switch's counters, and the same MTU everywhere (ping -M do -s 8972 HOST for 9000)",
        reason: "With one operation in flight this host makes no congestion of its own. A loss costs some round trips where later packets show it, and 200 ms or more where it has to be waited for; what the target sent again isn't counted here",
        reference: "RFC 6298, RFC 8985; Linux Documentation/networking/snmp_counter.rst",
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
            test: Test::Below(fabric::MEMORY_NS),
        },
        figures: &[],
        summary: "The storage behind the target is memory: no drive answers within a microsecond",
        advice: "Serve the drive that is to be used; a namespace of memory shows what the fabric alone takes",
        reason: "The fabric's part is right; the latency is no drive's",
        reference: METHOD,
    },
    Rule {
        id: "fabric-cache-behind",
        group: Group::Fabric,
        severity: Severity::Note,
        about: About::Run(SPLIT),
        when: When::Says {
            key: condition::TARGET_STORAGE.any(),
            // The last is the word of run files of before.
            any_of: &["page cache", "cache in front", "cache in memory"],
        },
        figures: &[Metric(metric::SPLIT_STORAGE)],
        summary: "The target may answer reads from its page cache, or from a cache in front of what it serves",
        advice: "To see the drive, serve a device, or a file on a file system that takes direct I/O (narrows-target says `access=direct` when it starts), without cache=ram or cache=FILE",
        reason: "The fabric's part is right. The storage's is the drive's only for reads that the cache does not have, and which those are is not told",
        reference: "Linux open(2), O_DIRECT; guide: a storage target, memory in front, a drive in front",
    },
    Rule {
        id: "fabric-digests-on",
        group: Group::Fabric,
        severity: Severity::Note,
        about: About::Run(SPLIT),
        when: When::Says { key: condition::DIGESTS.any(), any_of: &["header", "data", "both"] },
        figures: &[],
        summary: "Digests are on: both ends compute a CRC32C of what they send and of what they receive",
        advice: "Measure without `&digest=` as well: the difference is what they cost. Keep them where packets pass equipment that may damage them",
        reason: "With instructions for it a CRC32C of 4 KiB takes 0.4 µs, by a table 9 µs (one AMD Zen 4 CPU), at each end and in the latency; which of the two the target has it doesn't tell",
        reference: "NVM Express NVMe/TCP Transport Specification, header and data digests",
    },
    Rule {
        id: "fabric-encrypted",
        group: Group::Fabric,
        severity: Severity::Note,
        about: About::Run(SPLIT),
        when: When::Says {
            key: condition::ENCRYPTION.any(),
            any_of: &[
                "TLS 1.3 AES_128_GCM_SHA256, pre-shared key",
                "TLS 1.3 AES_256_GCM_SHA384, pre-shared key",
                "TLS 1.3 CHACHA20_POLY1305_SHA256, pre-shared key",
            ],
        },
        figures: &[],
        summary: "The connections are encrypted: both ends spend CPU time on every byte, within the latency",
        advice: "Measure without `&tls-key-file=` as well, on a network where that is allowed: the difference is what encryption costs",
        reason: "What is encrypted is copied at both ends, and received past no memory of its own; the time of both is in the latency, and the echo's messages are not encrypted",
        reference: "NVM Express NVMe/TCP Transport Specification, Transport Layer Security",
    },
    Rule {
        group: Group::Fabric,
        summary: "An NVMe controller has many more I/O queues than the network port has receive queues",
        advice: "Connect with as many as the port has (nvme connect --nr-io-queues N), or give the port more (ethtool -L PORT combined N)",
        reason: "All connections share the port's queues and the CPUs that serve them: with 32 queues over 2, reads of 4 KiB went from 263 to 986 MB/s by matching them",
        reference: "linux-nvme mailing list, February 2026, figures for LSF/MM",
        ..note("nvme-queues-outnumber-port", Structure::QueuesOverPort(2))
    },
    Rule {
        group: Group::Fabric,
        summary: "After a lost connection to the target, I/O stands still for the reconnect delay at least",
        advice: "Connect with a shorter delay (nvme connect --reconnect-delay 1), or write it to /sys/class/nvme/NAME/reconnect_delay; have a second path, or set fast_io_fail_tmo where the database is to fail over",
        reason: "A target that restarted within 2 s stopped writes for 10.1 s with the default of 10 s, and for 3.1 s with 1 s (Linux 6.12, measured in a laboratory); every commit waits meanwhile",
        reference: "nvme-connect(1); Linux drivers/nvme/host/fabrics.h, NVMF_DEF_RECONNECT_DELAY",
        ..note("nvme-reconnects-late", Structure::ReconnectsLate(5))
    },
    Rule {
        group: Group::Fabric,
        summary: "Of several paths to an NVMe subsystem one is used: its I/O policy is numa",
        advice: "Use both ports: write `queue-depth` (Linux 6.11) or `round-robin` to /sys/class/nvme-subsystem/NAME/iopolicy",
        reason: "`numa` takes the path nearest to the node; with two equal ports the second only waits for the first to fail",
        reference: "Linux Documentation/admin-guide/nvme-multipath.rst",
        ..note("nvme-one-path-used", Structure::OnePathUsed)
    },
    Rule {
        group: Group::Fabric,
        summary: "RDMA is done by the kernel on its CPUs, not by a card: the figures are not those of an RDMA network",
        advice: "Use a card that does RDMA; without one connect over TCP (nvme connect --transport tcp), which is faster than `rxe`",
        reason: "Each packet costs this machine's CPUs as it does with TCP, and more: in a laboratory a read of 4 KiB took 391 µs by `rxe` and 257 µs over TCP (Linux 6.12 under emulation, both on one machine)",
        reference: "Linux drivers/infiniband/sw; rdma-link(8), type rxe and siw",
        ..note("nvme-rdma-in-software", Structure::RdmaInSoftware)
    },
    Rule {
        id: "nvme-connected-again",
        group: Group::Fabric,
        severity: Severity::Suspect,
        about: About::Measurement(PATHS),
        when: When::Any(&[
            When::Value {
                of: Metric(metric::RECONNECTS),
                over: Over::Total,
                test: Test::Above(0.0),
            },
            When::Value {
                of: Metric(metric::DISCONNECTED),
                over: Over::Total,
                test: Test::Above(0.0),
            },
        ]),
        figures: &[Quantity::Total(metric::DISCONNECTED), Quantity::Largest(metric::LONGEST_STALL)],
        summary: "The connection to the storage was lost during the test, and made again",
        advice: "Find why before you measure again: the kernel log of host and target, and the network's",
        reason: "Operations stood still or were sent twice: the figure is of the outage as much as of the storage",
        reference: "NVM Express Base Specification, CNTLID: an association has a controller of its own, and its number. Linux's target mostly gives the number of before, so that for the kernel's host silence of this rule proves nothing; narrows' own host (nvme-tcp://) counts its connections itself",
    },
    Rule {
        id: "network-drops",
        group: Group::Fabric,
        severity: Severity::Note,
        about: About::Run(PATHS),
        when: When::Any(&[
            When::Value {
                of: Metric(metric::RETRANSMITS),
                over: Over::Total,
                test: Test::Above(0.0),
            },
            When::Value {
                of: Metric(metric::PORT_DROPS),
                over: Over::Total,
                test: Test::Above(0.0),
            },
        ]),
        figures: &[],
        summary: "Packets were lost during the test: TCP segments sent again, or packets that a port dropped",
        advice: "Look which: ethtool -S PORT, nstat TcpRetransSegs, the switch's counters; the same MTU everywhere, flow control for RDMA",
        reason: "The counters are of the whole machine, so they may be of other traffic, and of segments only what this machine sent. A loss costs some round trips where later packets show it, and 200 ms or more where it has to be waited for",
        reference: "Linux Documentation/networking/statistics.rst, snmp_counter.rst",
    },
];
