//! The target's service: what it starts is a command line that the program takes, with files that the package and the page have.

use xtask::root;

const FOLDER: &str = "packaging/narrows-target";

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The values of a setting in the unit, in their order.
fn set<'a>(unit: &'a str, name: &str) -> Vec<&'a str> {
    let lines = unit.lines().filter_map(|line| line.split_once('='));
    lines.filter(|(key, _)| *key == name).map(|(_, value)| value).collect()
}

#[test]
fn the_service_starts_what_the_program_takes() {
    let unit = read(&format!("{FOLDER}/narrows-target.service"));
    let options = read(&format!("{FOLDER}/options"));
    let line = options.lines().find(|line| line.starts_with("NARROWS_TARGET_OPTIONS="));
    let (_, options) = line.and_then(|line| line.split_once('=')).expect("the example sets it");
    let [start] = set(&unit, "ExecStart")[..] else { panic!("one ExecStart") };
    for options in ["", options.trim_matches('"')] {
        let typed = start.replace("$NARROWS_TARGET_OPTIONS", options);
        let mut words: Vec<&str> = typed.split_whitespace().collect();
        assert_eq!(words[0], "/usr/bin/narrows-target");
        words[0] = "narrows-target";
        let parsed = narrows_target::command().try_get_matches_from(&words);
        parsed.unwrap_or_else(|error| panic!("{typed}: {error}"));
    }
    // It is read from where the line before looks whether it is there.
    let config = start.split("--config ").nth(1).unwrap().split(' ').next().unwrap();
    assert_eq!(set(&unit, "AssertPathExists"), [config]);
    assert_eq!(set(&unit, "EnvironmentFile"), ["-/etc/narrows-target/options"]);
}

#[test]
fn the_example_is_a_configuration() {
    let example = root().join(FOLDER).join("target.toml");
    let subsystems = narrows_target::subsystems_of_file(&example).unwrap();
    assert_eq!(subsystems.len(), 1);
    // What is commented out is one too, once its marks are gone.
    let text = read(&format!("{FOLDER}/target.toml"));
    let (head, second) = text.split_once("# [[subsystem]]").expect("a second, commented out");
    let second: String =
        second.lines().map(|line| line.trim_start_matches("# ").to_string() + "\n").collect();
    let folder = tempfile::tempdir().unwrap();
    let both = folder.path().join("target.toml");
    std::fs::write(&both, format!("{head}[[subsystem]]{second}")).unwrap();
    assert_eq!(narrows_target::subsystems_of_file(&both).unwrap().len(), 2);
}

#[test]
fn the_service_is_confined_and_keeps_what_serving_takes() {
    let unit = read(&format!("{FOLDER}/narrows-target.service"));
    for (name, value) in [
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("MemoryDenyWriteExecute", "yes"),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
        ("SystemCallArchitectures", "native"),
    ] {
        assert_eq!(set(&unit, name), [value], "{name}");
    }
    // Any of these takes block devices away; systemd.exec(5).
    for name in ["PrivateDevices", "ProtectClock", "DevicePolicy", "DeviceAllow", "PrivateUsers"] {
        assert_eq!(set(&unit, name), Vec::<&str>::new(), "{name}");
    }
    // Who else has a device or file open is looked for in /proc of all: without this it would be served beside them.
    assert_eq!(set(&unit, "ProtectProc"), Vec::<&str>::new());
    let [capabilities] = set(&unit, "CapabilityBoundingSet")[..] else { panic!("one line") };
    assert!(capabilities.contains("CAP_SYS_PTRACE"), "{capabilities}");
    assert!(set(&unit, "SystemCallFilter").concat().contains("io_uring_setup"), "{unit}");
}

#[test]
fn the_page_on_the_target_names_the_services_files() {
    let page = read("docs/src/guide/storage-target.md");
    for path in [
        "/etc/narrows-target/target.toml",
        "/etc/narrows-target/options",
        "/usr/share/narrows-target/target.toml",
        "/usr/share/narrows-target/options",
    ] {
        assert!(page.contains(path), "{path}");
    }
    assert!(page.contains("ReadWritePaths="), "how to serve what lies elsewhere");
}
