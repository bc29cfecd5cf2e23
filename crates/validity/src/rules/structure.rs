//! What the machine's structure says before anything is measured.

use narrows_model::{Layer, Severity};

use crate::{About, Group, Rule, Select, Structure, When};

const fn note(id: &'static str, structure: Structure) -> Rule {
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
        summary: "A PCIe link runs below what both of its ends could do",
        advice: "Read it again under load, as `narrows run` and `narrows block` do; if it stays, reseat the device, look at \
                 riser, cable and the slot's setting",
        reason: "An idle link may be slow on purpose; one that lost lanes has lost them for good",
        reference: "PCI Express Base Specification, Link Status against Link Capabilities, at both ends",
        ..note("pcie-link-below-its-ends", Structure::LinkBelowItsEnds)
    },
    Rule {
        about: About::Measurement(Select::layers(&[Layer::Block])),
        when: When::LinkBelowUnderLoad,
        summary: "A PCIe link ran below what both of its ends could do while this was measured",
        advice: "Reseat the device, look at riser, cable, bifurcation and the slot's setting",
        reason: "No power saving explains it: the figure is true of the machine as it is, and the link explains a low one",
        reference: "PCI Express Base Specification, Link Status against Link Capabilities, at both ends",
        ..note("pcie-link-below-under-load", Structure::LinkBelowItsEnds)
    },
    Rule {
        about: About::Run(Select::layers(&[Layer::Block])),
        when: When::LinkCameUp,
        summary: "A PCIe link that was slow at idle came up under load",
        advice: "Nothing to do: it saves power while nothing is asked of it",
        reason: "What was measured went through the link at its best",
        reference: "PCI Express Base Specification, Link Status against Link Capabilities, at both ends",
        ..note("pcie-link-came-up", Structure::LinkBelowItsEnds)
    },
    Rule {
        summary: "A device could do more than the slot it is in",
        advice: "Move it to a slot of its own generation and width, if one is free",
        reason: "The slot is the limit, and no setting changes that; it may well be enough for the work",
        reference: "PCI Express Base Specification, Link Capabilities of device and port",
        ..note("slot-below-device", Structure::SlotBelowDevice)
    },
    Rule {
        summary: "What hangs on a PCIe link could together move more than it carries",
        advice: "Spread ports or drives over slots, or count with the link's rate instead of theirs",
        reason: "Each of them reaches its rate alone, and not together; before headers are counted, so it is never \
                 overstated",
        reference: "PCI Express Base Specification, encoding of each generation; IEEE 802.3, InfiniBand rates",
        ..note("pcie-link-overbooked", Structure::LinkOverbooked)
    },
    Rule {
        summary: "Memory channels without a module",
        advice: "Fill one slot of each channel, with modules of one size",
        reason: "Bandwidth grows with filled channels; whether the work needs it is another question",
        reference: "SMBIOS 3.7, 7.18 memory device, device locator; the maker's population rules",
        ..note("memory-channels-empty", Structure::ChannelEmpty)
    },
    Rule {
        summary: "Memory is spread unevenly over channels or sockets",
        advice: "Populate channels and sockets alike",
        reason: "Where channels differ, a part of the memory is interleaved over fewer of them; a third to two thirds of \
                 the bandwidth were reported lost",
        reference: "SMBIOS 3.7, 7.18; the maker's population rules",
        ..note("memory-uneven", Structure::ModulesUneven)
    },
    Rule {
        summary: "A drive or port has fewer queues than there are CPUs",
        advice: "Ask the hypervisor or the driver for more queues; few are enough for a slow device",
        reason: "CPUs share a queue, its lock and the CPU that its interrupts go to",
        reference: "Linux Documentation/block/blk-mq.rst, Documentation/networking/scaling.rst",
        ..note("queues-fewer-than-cpus", Structure::QueuesFew)
    },
    Rule {
        summary: "One CPU serves all interrupts of a device",
        advice: "Spread them: irqbalance, more queues, or /proc/irq/*/smp_affinity_list",
        reason: "That CPU is a limit of its own, and what runs on it is slower; a device with little to do needs no more",
        reference: "Linux Documentation/core-api/irq/irq-affinity.rst",
        ..note("one-cpu-serves-interrupts", Structure::OneCpuServes(100_000))
    },
    Rule {
        summary: "A drive or port is on another NUMA node than the CPUs that may be used",
        advice: "Give the server CPUs of that node, or move the device to a slot of the server's node",
        reason: "Each operation crosses the link between the nodes",
        reference: "Linux Documentation/ABI/testing/sysfs-bus-pci, numa_node",
        ..note("device-far-from-cpus", Structure::FarFromCpus)
    },
    Rule {
        summary: "The firmware's NUMA nodes contradict themselves",
        advice: "Look for a newer firmware, and don't bind by these nodes before you have measured the ways between them",
        reason: "The kernel and every program place memory by them",
        reference: "ACPI 6.5, 5.2.17 SLIT: 10 is the distance to oneself, and others are farther",
        ..note("numa-nodes-contradict", Structure::NodesLie)
    },
    Rule {
        summary: "The frequency governor may lower the clock",
        advice: "Set `performance` for measuring: cpupower frequency-set -g performance",
        reason: "With little load cores run below what they could; some drivers' `powersave` hardly does that",
        reference: "Linux Documentation/admin-guide/pm/cpufreq.rst",
        ..note("governor-not-performance", Structure::Governor)
    },
    Rule {
        summary: "The clock source is slow",
        advice: "Use tsc or the hypervisor's own page, if the kernel holds them for stable: see its log",
        reason: "Every reading of the time is a system call and an access to a chip or hypervisor; EXPLAIN ANALYZE and \
                 timed events pay it per row and per wait",
        reference: "vdso(7); Linux Documentation/virt/kvm/x86/timekeeping.rst",
        ..note("clock-source-slow", Structure::ClockSlow)
    },
    Rule {
        summary: "Guards against faults of the processor cost time at each system call or switch",
        advice: "Nothing, where programs of others run here; compare machines with the same guards, or say that they differ",
        reason: "Small operations pay it most, and every figure here includes it, as those of a server on this machine do",
        reference: "Linux Documentation/admin-guide/hw-vuln/, /sys/devices/system/cpu/vulnerabilities",
        ..note("mitigations-dear", Structure::Mitigations)
    },
    Rule {
        severity: Severity::Suspect,
        summary: "An array lacks members or is being rebuilt",
        advice: "Measure when it is whole: cat /proc/mdstat",
        reason: "It reads what is missing from the others, and its drives work for the rebuild",
        reference: "Linux Documentation/admin-guide/md.rst, degraded, sync_action",
        ..note("array-degraded", Structure::ArrayDegraded)
    },
    Rule {
        severity: Severity::Suspect,
        summary: "A way to a drive is not usable",
        advice: "Look at the ways: nvme list-subsys, multipath -ll",
        reason: "What is measured is the speed of the ways that are left",
        reference: "NVM Express Base Specification 2.0, 8.1 asymmetric namespace access; SPC-4, 5.15 asymmetric logical unit access",
        ..note("path-down", Structure::PathDown)
    },
];
