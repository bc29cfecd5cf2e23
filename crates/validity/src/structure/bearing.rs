//! Which places of a machine bear on what was measured on it.
//!
//! A machine has more than a run uses. What a run is told of its machine is what its measurements stood on: the devices
//! and links under the folders that they used, the nodes whose memory they read, and what holds for the whole machine.

use std::collections::BTreeSet;

use narrows_model::{
    DeviceKind, FindingPlace, Host, Layer, Measurement, Platform, Role, RolePath, Run, Severity,
    family,
};

use super::Structure;
use crate::evaluate::{Case, Evidence};
use crate::{Rule, path};

/// What of a machine a property is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// The way to files.
    Path,
    /// Memory of nodes.
    Memory,
    /// All of it.
    Whole,
}

fn about(structure: Structure) -> About {
    match structure {
        Structure::LinkBelowItsEnds
        | Structure::SlotBelowDevice
        | Structure::LinkOverbooked
        | Structure::QueuesFew
        | Structure::OneCpuServes(_)
        | Structure::FarFromCpus
        | Structure::ArrayDegraded
        | Structure::PathDown
        | Structure::QueuesOverPort(_)
        | Structure::ReconnectsLate(_)
        | Structure::OnePathUsed
        | Structure::RdmaInSoftware => About::Path,
        Structure::ChannelEmpty | Structure::ModulesUneven => About::Memory,
        Structure::NodesLie
        | Structure::Governor
        | Structure::ClockSlow
        | Structure::Mitigations => About::Whole,
    }
}

/// What is to be said: of the run, or of the measurement with that index.
pub(crate) type PlacedFinding = (Option<usize>, Vec<FindingPlace>);

/// What a rule about machines says in a run. Of a path a note is said once; what makes a figure suspect is said of each
/// measurement that it concerns.
pub(crate) fn of_run(rule: &Rule, structure: Structure, run: &Run) -> Vec<PlacedFinding> {
    run.hosts
        .iter()
        .zip(0u32..)
        .filter(|(_, number)| used(run, *number))
        .flat_map(|(host, number)| of_host(rule, structure, run, host, number))
        .collect()
}

fn used(run: &Run, host: u32) -> bool {
    run.measurements.iter().any(|m| m.host == host) || (host == 0 && !run.live_logs.is_empty())
}

fn of_host(
    rule: &Rule,
    structure: Structure,
    run: &Run,
    host: &Host,
    number: u32,
) -> Vec<PlacedFinding> {
    let platform = &host.platform;
    let places = structure.show(platform);
    if places.is_empty() {
        return Vec::new();
    }
    let own = run.measurements.iter().enumerate().filter(|(_, m)| m.host == number);
    let at = |parts: &BTreeSet<String>| -> Vec<FindingPlace> {
        let concerns = |place: &&FindingPlace| place.parts.iter().any(|part| parts.contains(part));
        places.iter().filter(concerns).cloned().collect()
    };
    match about(structure) {
        About::Whole => vec![(None, places)],
        About::Path if rule.severity > Severity::Note => own
            .map(|(index, m)| (Some(index), at(&under_measurement(run, m))))
            .filter(|(_, places)| !places.is_empty())
            .collect(),
        About::Path => {
            let mut parts: BTreeSet<String> =
                own.flat_map(|(_, m)| under_measurement(run, m)).collect();
            if number == 0 && !run.live_logs.is_empty() {
                parts.extend(platform.roles.iter().flat_map(|path| under(platform, path)));
            }
            let mut found = at(&parts);
            found.retain(|place| !said_elsewhere(structure, run, platform, place));
            if found.is_empty() { Vec::new() } else { vec![(None, found)] }
        }
        About::Memory => memory(own.collect(), &places, at),
    }
}

/// At the measurements of those nodes' memory; where it isn't known whose slots they are, at the run.
fn memory(
    own: Vec<(usize, &Measurement)>,
    places: &[FindingPlace],
    at: impl Fn(&BTreeSet<String>) -> Vec<FindingPlace>,
) -> Vec<PlacedFinding> {
    let mut said: Vec<PlacedFinding> = own
        .iter()
        .filter_map(|(index, m)| {
            let node = family::MEMORY_BANDWIDTH.rest(&m.id)?.rsplit_once(".node")?.1;
            Some((Some(*index), at(&BTreeSet::from([format!("node {node}")]))))
        })
        .filter(|(_, places)| !places.is_empty())
        .collect();
    if own.iter().any(|(_, m)| m.layer == Layer::Memory) {
        let nowhere: Vec<FindingPlace> =
            places.iter().filter(|place| place.parts.is_empty()).cloned().collect();
        said.extend((!nowhere.is_empty()).then_some((None, nowhere)));
    }
    said
}

/// Links that were read again under load have findings of what was seen then; drives on another node have one about the
/// processors that the load really had.
fn said_elsewhere(
    structure: Structure,
    run: &Run,
    platform: &Platform,
    place: &FindingPlace,
) -> bool {
    match structure {
        Structure::LinkBelowItsEnds => {
            let addresses = run
                .measurements
                .iter()
                .flat_map(Measurement::links_under_load)
                .map(|link| link.address);
            addresses.into_iter().any(|address| place.parts.contains(&address))
        }
        Structure::FarFromCpus => {
            let is_port = |name: &String| platform.devices.network.iter().any(|p| p.name == *name);
            !place.parts.iter().any(is_port)
        }
        _ => false,
    }
}

/// The parts that a measurement's files are on.
fn under_measurement(run: &Run, measurement: &Measurement) -> BTreeSet<String> {
    let case = Case { run, measurement };
    let Some(platform) = case.platform() else { return BTreeSet::new() };
    let roles: &[Role] = match measurement.layer {
        Layer::Database => &[Role::Data, Role::Wal],
        Layer::Block | Layer::Log => &[],
        Layer::Clock | Layer::Memory | Layer::Fabric => return BTreeSet::new(),
    };
    let named = if roles.is_empty() { path::of(&case) } else { None };
    let paths = named.into_iter().chain(roles.iter().filter_map(|role| path::under(&case, *role)));
    paths.flat_map(|path| under(platform, path)).collect()
}

/// Names of everything under a path: devices, controllers and ways, functions up to the root; of a path over a network, the
/// ports that are up.
fn under(platform: &Platform, path: &RolePath) -> BTreeSet<String> {
    let devices = &platform.devices;
    let mut parts: BTreeSet<String> = path.devices.iter().map(|d| d.name.clone()).collect();
    let way = |address: &str| -> Vec<String> {
        devices.way_up(address).map(|function| function.address.clone()).collect()
    };
    let mut network = path.file_system.network;
    for disk in path.drives().filter(|drive| drive.kind == DeviceKind::Disk) {
        parts.extend(disk.pcie.iter().map(|link| link.address.clone()));
        let spaces = devices.nvme_subsystems.iter().flat_map(|s| &s.namespaces);
        let ways = spaces.filter(|space| space.name == disk.name).flat_map(|space| &space.paths);
        for one in ways {
            parts.insert(one.name.clone());
            parts.extend(one.controller.clone());
        }
        let Some(drive) = devices.drives.iter().find(|drive| drive.name == disk.name) else {
            continue;
        };
        parts.extend(drive.controller.clone());
        parts.extend(drive.pci.iter().flat_map(|address| way(address)));
        let transport = drive.transport.as_deref().unwrap_or_default();
        network |= ["nvme (tcp)", "nvme (rdma)", "iscsi"].contains(&transport)
            || transport.starts_with("network");
    }
    if network {
        let up = devices.network.iter().filter(|port| port.state.as_deref() == Some("up"));
        for port in up {
            parts.insert(port.name.clone());
            parts.extend(port.pci.iter().flat_map(|address| way(address)));
        }
    }
    parts
}

/// The places as evidence, all of them kept.
pub(crate) fn evidence(places: Vec<FindingPlace>) -> Vec<Evidence> {
    places.into_iter().map(Evidence::at).collect()
}
