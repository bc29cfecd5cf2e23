//! What Get Log Page says.

use std::sync::atomic::Ordering;

use narrows_nvme::Nqn;
use narrows_nvme::log::{
    AnaGroup, AnaLog, AnaState, CommandEffects, DiscoveryEntry, DiscoveryLog, ErrorEntry, SmartLog,
    TargetActivity, Transport, changed_namespaces,
};

use crate::connection::Context;
use crate::controller::{Controller, ERROR_ENTRIES};
use crate::describe::ANA_GROUP;
use crate::metrics;
use crate::subsystem::Subsystem;
use crate::target::Target;

/// Discovery: what the host that asks may have, where it reached us.
pub(crate) fn discovery(controller: &Controller, target: &Target) -> Vec<u8> {
    let address = controller.address;
    // TREQ: a secure channel is required, or it isn't wanted; SECTYPE: TLS 1.3, or none.
    let entry = |subsystem: &Nqn, subsystem_type, tls: bool| DiscoveryEntry {
        transport: Transport::Tcp,
        address_family: if address.is_ipv4() { 1 } else { 2 },
        subsystem_type,
        secure_channel: if tls { 1 } else { 2 },
        port: 1,
        controller: 0xFFFF,
        admin_queue: 32,
        service: address.port().to_string(),
        subsystem: subsystem.clone(),
        address: address.ip().to_string(),
        security: if tls { 2 } else { 0 },
    };
    let subsystems = target.subsystems.values();
    let allowed = subsystems.filter(|subsystem| subsystem.hosts.allow(&controller.host));
    let mut entries = vec![entry(&Nqn::discovery(), 3, false)];
    let tls = |subsystem: &Subsystem| subsystem.tls.of(&controller.host).is_some();
    entries.extend(allowed.map(|subsystem| entry(&subsystem.nqn, 2, tls(subsystem))));
    let generation = target.generation.load(Ordering::Relaxed);
    DiscoveryLog { generation, entries }.to_bytes()
}

/// Error Information.
pub(crate) fn errors(controller: &Controller) -> Vec<u8> {
    let registers = controller.registers();
    let mut log: Vec<u8> = registers.errors.iter().flat_map(ErrorEntry::to_bytes).collect();
    log.resize(ERROR_ENTRIES * narrows_nvme::log::ERROR_ENTRY_BYTES, 0);
    log
}

/// Commands Supported and Effects.
pub(crate) fn effects() -> Vec<u8> {
    let admin = [0x02, 0x06, 0x08, 0x09, 0x0A, 0x0C, 0x18];
    let reads = [0x00, 0x02, 0x05, 0x0D, 0x0E, 0x11, 0x15];
    let changes = [0x01, 0x08, 0x09];
    let effects = admin.into_iter().fold(CommandEffects::none(), CommandEffects::with_admin);
    let effects = reads.into_iter().fold(effects, |effects, opcode| effects.with_io(opcode, false));
    let effects =
        changes.into_iter().fold(effects, |effects, opcode| effects.with_io(opcode, true));
    effects.to_bytes().to_vec()
}

/// SMART: work and errors since the start. There is no drive here whose wear or temperature could be told.
pub(crate) fn smart(
    controller: &Controller,
    subsystem: &Subsystem,
    context: &Context<'_>,
) -> Vec<u8> {
    let sum = |of: fn(&crate::namespace::Counters) -> u64| -> u64 {
        subsystem.namespaces.values().map(|namespace| of(&namespace.counters)).sum()
    };
    let reads = sum(|counters| counters.reads.load(Ordering::Relaxed));
    let writes = sum(|counters| counters.writes.load(Ordering::Relaxed));
    SmartLog {
        spare_percent: 100,
        units_read: SmartLog::units(sum(|counters| counters.read_bytes.load(Ordering::Relaxed))),
        units_written: SmartLog::units(sum(|counters| {
            counters.written_bytes.load(Ordering::Relaxed)
        })),
        reads: reads.into(),
        writes: writes.into(),
        power_on_hours: u128::from(context.now_ns / 3_600_000_000_000),
        media_errors: sum(|counters| counters.errors.load(Ordering::Relaxed)).into(),
        error_entries: controller.registers().error_count.into(),
        ..SmartLog::default()
    }
    .to_bytes()
    .to_vec()
}

/// Firmware Slot Information: one slot, in use.
pub(crate) fn firmware() -> Vec<u8> {
    let mut log = vec![0; 512];
    log[0] = 1;
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    log[8..16].fill(b' ');
    log[8..8 + version.len().min(8)].copy_from_slice(&version[..version.len().min(8)]);
    log
}

/// The Changed Namespace List, which reading empties unless the event is retained.
pub(crate) fn changed(controller: &Controller, retain: bool) -> Vec<u8> {
    let mut registers = controller.registers();
    let namespaces: Vec<u32> = registers.changed.iter().copied().collect();
    if !retain {
        registers.changed.clear();
    }
    changed_namespaces(&namespaces).to_vec()
}

/// Asymmetric Namespace Access: one group, optimized, with its namespaces unless only groups are asked for.
pub(crate) fn ana(subsystem: &Subsystem, groups_only: bool) -> Vec<u8> {
    let numbers = subsystem.namespaces.keys().copied();
    let namespaces = if groups_only { Vec::new() } else { numbers.collect() };
    let group = AnaGroup { group: ANA_GROUP, changes: 1, state: AnaState::Optimized, namespaces };
    AnaLog { changes: 1, groups: vec![group] }.to_bytes()
}

/// What the threads did so far, and what is behind the namespace with this number, where it is one.
pub(crate) fn activity(target: &Target, subsystem: &Subsystem, number: u32) -> Vec<u8> {
    let threads = &target.threads;
    TargetActivity {
        wait: threads.wait,
        threads: threads.counters.len() as u32,
        cpu_ns: threads.cpu_ns(),
        commands: metrics::commands(target),
        storage: subsystem.namespaces.get(&number).map(|namespace| namespace.storage_behind()),
    }
    .to_bytes()
    .to_vec()
}
