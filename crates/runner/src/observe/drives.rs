//! The drives under a server's files, and whether others are the same.

use std::path::Path;

use narrows_facts::Live;
use narrows_model::{BlockDevice, Plan, Platform, Role};
use narrows_postgres::observe::Monitor;

/// The machine with the server's folders as its roles; no roles where they are not known.
pub struct OfServer {
    /// The machine.
    pub platform: Platform,
}

/// Looks for them.
pub fn of_server(look: &Monitor) -> OfServer {
    under_folders([look.data_dir(), look.wal_dir()])
}

/// Of a server's folders of data and log, as far as they are known.
pub fn under_folders([data, wal]: [Option<&Path>; 2]) -> OfServer {
    let data = data.map(|path| (Role::Data, path));
    let wal = wal.map(|path| (Role::Wal, path));
    let roles: Vec<(Role, &Path)> = data.into_iter().chain(wal).collect();
    OfServer { platform: narrows_platform::discover(&Live, &roles) }
}

impl OfServer {
    /// Kernel names of all of them.
    pub fn names(&self) -> Vec<String> {
        let roles = self.platform.roles.iter();
        let mut names: Vec<String> =
            roles.flat_map(|path| path.drives()).map(|drive| drive.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The drives under a role; those under the data where nothing is known of the log's. Empty where none are known.
pub fn under(platform: &Platform, role: Role) -> Vec<&BlockDevice> {
    let path = |role| platform.roles.iter().find(|path| path.role == role);
    let path = path(role).or_else(|| path(Role::Data));
    path.map(|path| path.drives().collect()).unwrap_or_default()
}

/// Whether these are the same drives: by name, model and size. Numbers may differ after a restart.
pub fn same(these: &[&BlockDevice], those: &[&BlockDevice]) -> bool {
    let told = |drives: &[&BlockDevice]| {
        let each = drives.iter().map(|d| (d.name.clone(), d.model.clone(), d.size_bytes));
        let mut told: Vec<_> = each.collect();
        told.sort();
        told
    };
    !these.is_empty() && told(these) == told(those)
}

/// Names of drives for a sentence.
pub fn words(drives: &[&BlockDevice]) -> String {
    match drives {
        [] => "unknown drives".to_string(),
        drives => drives.iter().map(|drive| drive.name.as_str()).collect::<Vec<_>>().join(", "),
    }
}

/// Where capacities come from that were measured before the look.
pub fn measured(plan: &Plan, platform: &Platform) -> String {
    let on = |role| words(&under(platform, role));
    format!(
        "block and log: measured before, with the server at its work, in {} ({}) and {} ({})",
        plan.data_dir,
        on(Role::Data),
        plan.wal_dir,
        on(Role::Wal)
    )
}

/// Machines for tests.
#[cfg(test)]
pub mod testing {
    use narrows_model::{BlockDevice, DeviceKind, Platform, Role, RolePath};

    /// A drive of that name and size.
    pub fn drive(name: &str, size_bytes: u64) -> BlockDevice {
        BlockDevice {
            name: name.to_string(),
            number: "254:0".to_string(),
            kind: DeviceKind::Disk,
            level: None,
            model: None,
            transport: None,
            size_bytes: Some(size_bytes),
            slaves: Vec::new(),
            queue: None,
            numa_node: None,
            pcie: Vec::new(),
        }
    }

    /// A machine with that drive under each of these roles.
    pub fn machine(id: Option<&str>, roles: &[(Role, BlockDevice)]) -> Platform {
        let path = |(role, drive): &(Role, BlockDevice)| RolePath {
            role: *role,
            path: "/srv".into(),
            file_system: Default::default(),
            devices: vec![drive.clone()],
        };
        Platform {
            machine: id.map(str::to_string),
            roles: roles.iter().map(path).collect(),
            ..Platform::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{drive, machine};
    use super::*;

    #[test]
    fn drives_are_the_same_by_name_and_size_and_unknown_ones_never() {
        let (a, b, other) = (drive("vda", 10), drive("vda", 10), drive("vda", 20));
        assert!(same(&[&a], &[&b]));
        assert!(!same(&[&a], &[&other]) && !same(&[&a], &[&a, &other]) && !same(&[], &[]));
        let renumbered = BlockDevice { number: "8:0".into(), ..b };
        assert!(same(&[&a], &[&renumbered]));
    }

    #[test]
    fn a_log_of_which_nothing_is_known_is_taken_for_beside_the_data() {
        let platform = machine(None, &[(Role::Data, drive("vda", 10))]);
        assert_eq!(words(&under(&platform, Role::Wal)), "vda");
        assert_eq!(words(&under(&Platform::default(), Role::Wal)), "unknown drives");
    }
}
