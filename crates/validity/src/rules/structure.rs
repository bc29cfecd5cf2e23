//! What the machine's structure says before anything is measured.

use narrows_model::{Layer, Severity};

use crate::{About, Group, Rule, Select, Structure, When};

/// A note about a machine as it stands.
pub(super) const fn note(id: &'static str, structure: Structure) -> Rule {
    Rule {
        id,
        group: Group::Structure,
        severity: Severity::Note,
        about: About::Machine,
        when: When::Structure(structure),
        figures: &[],
        summary: "",
        advice: "",
        reason: "",
        reference: "",
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        summary: "A PCIe link runs below what both of its ends support",
        advice: "Check it under load, as `narrows run` and `narrows block` do; if it stays, reseat the device, check riser, cable and the slot's setting",
        reason: "An idle link may be slow to save power; one that lost lanes stays without them",
        reference: "PCI Express Base Specification, Link Status against Link Capabilities, at both ends",
        ..note("pcie-link-below-its-ends", Structure::LinkBelowItsEnds)
    },
    Rule {
        about: About::Measurement(Select::layers(&[Layer::Block])),
        when: When::LinkBelowUnderLoad,
        summary: "A PCIe link ran below what both of its ends support during the test",
        advice: "Reseat the device, check riser, cable, bifurcation and the slot's setting",
        reason: "Power saving does not explain it: the figure is true for the machine as it is, and the link explains a low one",
        reference: "PCI Express Base Specification, Link Status against Link Capabilities, at both ends",
        ..note("pcie-link-below-under-load", Structure::LinkBelowItsEnds)
    },
    Rule {
        about: About::Run(Select::layers(&[Layer::Block])),
        when: When::LinkCameUp,
        summary: "A PCIe link that was slow at idle came up to full speed under load",
        advice: "No action: it saves power while idle",
        reason: "The test used the link at its full speed",
        reference: "PCI Express Base Specification, Link Status against Link Capabilities, at both ends",
        ..note("pcie-link-came-up", Structure::LinkBelowItsEnds)
    },
    Rule {
        summary: "A device supports more than the slot it is in",
        advice: "Move it to a slot of its own generation and width, if one is free",
        reason: "The slot is the limit, and no setting changes that; it may well be enough for the workload",
        reference: "PCI Express Base Specification, Link Capabilities of device and port",
        ..note("slot-below-device", Structure::SlotBelowDevice)
    },
    Rule {
        summary: "The devices behind a PCIe link can together move more than it carries",
        advice: "Spread ports or drives over slots, or plan with the link's rate in place of theirs",
        reason: "Each of them reaches its rate alone, but not together; counted before headers, so it is never overstated",
        reference: "PCI Express Base Specification, encoding of each generation; IEEE 802.3, InfiniBand rates",
        ..note("pcie-link-overbooked", Structure::LinkOverbooked)
    },
    Rule {
        summary: "Memory channels without a module",
        advice: "Fill one slot of each channel, with modules of one size",
        reason: "Bandwidth grows with the number of filled channels; whether the workload needs it is another question",
        reference: "SMBIOS 3.7, 7.18 memory device, device locator; the maker's population rules",
        ..note("memory-channels-empty", Structure::ChannelEmpty)
    },
    Rule {
        summary: "Memory is spread unevenly over channels or sockets",
        advice: "Populate channels and sockets alike",
        reason: "Where channels differ, a part of the memory is interleaved over fewer of them; a loss of a third to two thirds of the bandwidth was reported",
        reference: "SMBIOS 3.7, 7.18; the maker's population rules",
        ..note("memory-uneven", Structure::ModulesUneven)
    },
    Rule {
        summary: "A drive or network port has fewer queues than there are CPUs",
        advice: "Configure more queues in the hypervisor or driver; few are enough for a slow device",
        reason: "CPUs share a queue, its lock and the CPU that serves its interrupts",
        reference: "Linux Documentation/block/blk-mq.rst, Documentation/networking/scaling.rst",
        ..note("queues-fewer-than-cpus", Structure::QueuesFew)
    },
    Rule {
        summary: "One CPU serves all interrupts of a device",
        advice: "Spread them: irqbalance, more queues, or /proc/irq/*/smp_affinity_list",
        reason: "That CPU is a limit of its own, and programs on it are slower; a device with little load needs no more",
        reference: "Linux Documentation/core-api/irq/irq-affinity.rst",
        ..note("one-cpu-serves-interrupts", Structure::OneCpuServes(100_000))
    },
    Rule {
        summary: "A drive or network port is on another NUMA node than the CPUs that may be used",
        advice: "Give the server CPUs of that node, or move the device to a slot of the server's node",
        reason: "Each operation crosses the link between the nodes",
        reference: "Linux Documentation/ABI/testing/sysfs-bus-pci, numa_node",
        ..note("device-far-from-cpus", Structure::FarFromCpus)
    },
    Rule {
        summary: "The firmware's NUMA distances contradict each other",
        advice: "Look for a newer firmware, and do not bind by these nodes before you have measured the paths between them",
        reason: "The kernel and every program place memory by them",
        reference: "ACPI 6.5, 5.2.17 SLIT: 10 is the distance to oneself, and others are farther",
        ..note("numa-nodes-contradict", Structure::NodesLie)
    },
    Rule {
        summary: "The frequency governor may lower the clock",
        advice: "Set `performance` for measuring: cpupower frequency-set -g performance",
        reason: "At low load CPUs run below their maximum; with some drivers' `powersave` hardly",
        reference: "Linux Documentation/admin-guide/pm/cpufreq.rst",
        ..note("governor-not-performance", Structure::Governor)
    },
    Rule {
        summary: "The clock source is slow",
        advice: "Use tsc or the hypervisor's own clock, if the kernel considers them stable: see the kernel log",
        reason: "Every time stamp is a system call and an access to a chip or the hypervisor; EXPLAIN ANALYZE pays it per row, track_io_timing per read",
        reference: "vdso(7); Linux Documentation/virt/kvm/x86/timekeeping.rst",
        ..note("clock-source-slow", Structure::ClockSlow)
    },
    Rule {
        summary: "CPU vulnerability mitigations slow down system calls and context switches",
        advice: "No action on a shared machine; compare only machines with the same mitigations, or say that they differ",
        reason: "Small operations pay most, and every figure here includes it, as those of a server on this machine do",
        reference: "Linux Documentation/admin-guide/hw-vuln/, /sys/devices/system/cpu/vulnerabilities",
        ..note("mitigations-costly", Structure::Mitigations)
    },
    Rule {
        severity: Severity::Suspect,
        summary: "An array is degraded or being rebuilt",
        advice: "Measure when it is whole: cat /proc/mdstat",
        reason: "Missing data is computed from the other drives, and the drives work for the rebuild",
        reference: "Linux Documentation/admin-guide/md.rst, degraded, sync_action",
        ..note("array-degraded", Structure::ArrayDegraded)
    },
    Rule {
        severity: Severity::Suspect,
        summary: "A path to a drive is down",
        advice: "Check the paths: nvme list-subsys, multipath -ll",
        reason: "The figure is that of the remaining paths",
        reference: "NVM Express Base Specification 2.0, 8.1 asymmetric namespace access; SPC-4, 5.15 asymmetric logical unit access",
        ..note("path-down", Structure::PathDown)
    },
];
