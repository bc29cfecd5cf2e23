//! What Identify says.

use narrows_nvme::command::Identify;
use narrows_nvme::identify::{
    CommandSetController, IDENTIFY_BYTES, IdentifyController, IdentifyData, namespace_list,
};
use narrows_nvme::property::VERSION_1_4;
use narrows_nvme::{AsyncEvent, Nqn, Status};

use crate::buffer::LARGEST;
use crate::controller::{Controller, ERROR_ENTRIES, EVENT_REQUESTS, Service};
use crate::subsystem::Subsystem;
use crate::target::Target;

/// The group that all namespaces are in.
pub(crate) const ANA_GROUP: u32 = 1;
/// All namespaces.
const BROADCAST: u32 = 0xFFFF_FFFF;
/// MDTS: 4096 << 8 is the largest buffer.
const MAX_TRANSFER: u8 = 8;
const _: () = assert!(4096 << MAX_TRANSFER == LARGEST);

/// Of a controller.
pub(crate) fn controller(controller: &Controller, target: &Target) -> IdentifyController {
    let limits = &target.limits;
    let common = IdentifyController {
        vendor: 0,
        serial: "NARROWS".to_string(),
        model: "narrows-target".to_string(),
        firmware: env!("CARGO_PKG_VERSION").to_string(),
        multipath: 0,
        max_transfer: MAX_TRANSFER,
        controller: controller.id,
        version: VERSION_1_4,
        events: AsyncEvent::DISCOVERY_CHANGED.configuration_bit().unwrap_or(0),
        // Host identifiers of 16 bytes, and any traffic keeps alive.
        attributes: 1 | 1 << 6,
        controller_type: 2,
        admin_commands: 0,
        abort_limit: 3,
        event_limit: EVENT_REQUESTS as u8 - 1,
        // One slot, read-only.
        firmware_updates: 0b11,
        log_attributes: 1 << 2,
        error_entries: ERROR_ENTRIES as u8 - 1,
        keep_alive_steps: 10,
        ana_transition_s: 0,
        ana_capabilities: 0,
        ana_group_max: 0,
        ana_groups: 0,
        submission_entry: 0x66,
        completion_entry: 0x44,
        max_commands: limits.queue_entries as u16,
        namespaces: 0,
        commands: 0,
        write_cache: 0,
        atomic_write: 0,
        atomic_write_power_fail: 0,
        write_protection: 0,
        // SGLs without alignment, and offsets in capsules.
        sgls: 1 | 1 << 20,
        max_namespaces: 0,
        subsystem: Nqn::discovery(),
        command_capsule: 4,
        response_capsule: 1,
        capsule_data_offset: 0,
        descriptors: 1,
        fabrics_commands: 1,
    };
    match &controller.service {
        Service::Discovery => common,
        Service::Io(subsystem) => of_subsystem(common, subsystem, limits.in_capsule_bytes),
    }
}

fn of_subsystem(
    common: IdentifyController,
    subsystem: &Subsystem,
    in_capsule_bytes: u32,
) -> IdentifyController {
    let highest = highest(subsystem);
    let notices = [AsyncEvent::NAMESPACES_CHANGED, AsyncEvent::ANA_CHANGED];
    let bits = notices.into_iter().filter_map(AsyncEvent::configuration_bit);
    IdentifyController {
        serial: subsystem.serial.clone(),
        // Several controllers, and ANA.
        multipath: 1 << 1 | 1 << 3,
        events: bits.sum(),
        controller_type: 1,
        // Commands Supported and Effects, and offsets.
        log_attributes: 1 << 1 | 1 << 2,
        ana_transition_s: 10,
        // Optimized alone is reported.
        ana_capabilities: 1,
        ana_group_max: ANA_GROUP,
        ana_groups: ANA_GROUP,
        namespaces: highest,
        max_namespaces: highest,
        // Compare, Dataset Management, Write Zeroes, reservations.
        commands: 1 | 1 << 2 | 1 << 3 | 1 << 5,
        // Whether hosts must flush; Flush of all namespaces at once isn't taken (10b).
        write_cache: if subsystem.keeps_each_write() { 0 } else { 0b101 },
        write_protection: 0,
        subsystem: subsystem.nqn.clone(),
        command_capsule: (64 + in_capsule_bytes) / 16,
        ..common
    }
}

/// NN: the largest number that a namespace can have.
fn highest(subsystem: &Subsystem) -> u32 {
    subsystem.namespaces.keys().next_back().copied().unwrap_or(0)
}

/// Of namespaces.
///
/// # Errors
/// The status of an Identify that can't be answered.
pub(crate) fn namespaces(
    identify: &Identify,
    subsystem: &Subsystem,
) -> Result<Box<IdentifyData>, Status> {
    let zeros = || Box::new([0; IDENTIFY_BYTES]);
    let namespace = subsystem.namespaces.get(&identify.namespace);
    match identify.structure {
        Identify::NAMESPACE if identify.namespace == BROADCAST => Err(Status::INVALID_NAMESPACE),
        Identify::NAMESPACE => {
            let data = namespace.map(|namespace| namespace.identify().to_bytes());
            // A number that could have a namespace and hasn't is answered with zeros; one that can't (0, or above NN) is invalid.
            if !(1..=highest(subsystem)).contains(&identify.namespace) {
                return Err(Status::INVALID_NAMESPACE);
            }
            Ok(data.unwrap_or_else(zeros))
        }
        Identify::ACTIVE_NAMESPACES if identify.namespace >= 0xFFFF_FFFE => {
            Err(Status::INVALID_NAMESPACE)
        }
        Identify::ACTIVE_NAMESPACES => {
            Ok(namespace_list(subsystem.namespaces.keys().copied(), identify.namespace))
        }
        Identify::DESCRIPTORS => {
            namespace.map(|namespace| namespace.ids().to_bytes()).ok_or(Status::INVALID_NAMESPACE)
        }
        Identify::COMMAND_SET_NAMESPACE if identify.command_set == 0 => {
            namespace.map(|_| zeros()).ok_or(Status::INVALID_NAMESPACE)
        }
        Identify::COMMAND_SET_CONTROLLER if identify.command_set == 0 => {
            Ok(CommandSetController { ranges_limit: 255, ..CommandSetController::default() }
                .to_bytes())
        }
        _ => Err(Status::INVALID_FIELD),
    }
}

#[cfg(test)]
mod tests {
    use narrows_nvme::Nqn;

    use super::*;
    use crate::namespace::Namespace;
    use crate::spec::namespace_of;
    use crate::subsystem::AllowedHosts;

    #[test]
    fn a_number_without_a_namespace_is_zeros_and_one_above_the_highest_is_invalid() {
        let nqn: Nqn = "nqn.2026-11.org.example:a".parse().unwrap();
        let made = |number: u32| {
            let spec = namespace_of("null").unwrap();
            let opened = crate::open(&spec).unwrap();
            (number, std::sync::Arc::new(Namespace::new(number, &nqn, &spec, opened)))
        };
        let both = [1, 3].map(made).into_iter().collect();
        let subsystem =
            Subsystem::new(nqn.clone(), AllowedHosts::Any, crate::Authentication::default(), both);
        let told = |namespace: u32| {
            let structure = Identify::NAMESPACE;
            let identify = Identify { structure, controller: 0, command_set: 0, namespace };
            namespaces(&identify, &subsystem)
        };
        assert!(told(1).unwrap().iter().any(|byte| *byte != 0));
        assert!(told(2).unwrap().iter().all(|byte| *byte == 0));
        assert!(told(3).unwrap().iter().any(|byte| *byte != 0));
        for number in [0, 4, BROADCAST] {
            assert_eq!(told(number).unwrap_err(), Status::INVALID_NAMESPACE, "{number}");
        }
    }
}
