//! Arrays and ways that lack a part.

use narrows_model::{Devices, FindingPlace};

use super::place;

pub(super) fn degraded(devices: &Devices) -> Vec<FindingPlace> {
    let found = devices.arrays.iter().filter_map(|array| {
        let missing = array.missing.filter(|count| *count > 0);
        let missing =
            missing.map(|count| format!("{count} missing beside {}", array.members.len()));
        let rebuilt = array
            .action
            .as_deref()
            .filter(|action| ["resync", "recover", "reshape"].contains(action));
        let rebuilt = rebuilt.map(|action| format!("it does a {action}"));
        let parts: Vec<String> = [missing, rebuilt].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| {
            place(vec![array.name.clone()], format!("{}: {}", array.name, parts.join(", ")))
        })
    });
    found.collect()
}

pub(super) fn paths_down(devices: &Devices) -> Vec<FindingPlace> {
    let controllers = devices.nvme_controllers.iter().filter_map(|controller| {
        let state = controller.state.as_deref().filter(|state| *state != "live")?;
        Some(place(vec![controller.name.clone()], format!("{} is {state}", controller.name)))
    });
    let spaces = devices.nvme_subsystems.iter().flat_map(|subsystem| &subsystem.namespaces);
    let ways = spaces.flat_map(|space| space.paths.iter().map(move |path| (space, path)));
    let paths = ways.filter_map(|(space, path)| {
        let state = path.state.as_deref()?;
        ["inaccessible", "persistent-loss"].contains(&state).then(|| {
            let parts = vec![path.name.clone(), space.name.clone()];
            place(parts, format!("{} is {state}", path.name))
        })
    });
    let mapped = devices.mapped.iter();
    let scsi = mapped.flat_map(|mapped| mapped.paths.iter().map(move |path| (mapped, path)));
    let scsi = scsi.filter(|(_, path)| path.is_down()).map(|(mapped, path)| {
        let states = [path.state.as_deref(), path.access.as_deref()];
        let states: Vec<&str> = states.into_iter().flatten().collect();
        let parts = vec![path.name.clone(), mapped.name.clone()];
        place(parts, format!("{}, a path to {}, is {}", path.name, mapped.name, states.join(", ")))
    });
    controllers.chain(paths).chain(scsi).collect()
}
