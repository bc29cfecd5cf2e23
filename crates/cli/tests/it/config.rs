//! `~/.config/narrows/config.toml` and `narrows config`, and `narrows` alone.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::common::{Fixture, program};

fn narrows(fixture: &Fixture, args: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.args(args).env("XDG_CONFIG_HOME", fixture.home().join("config"));
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("NO_COLOR");
    for name in ["PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGDATABASE", "PGSERVICE"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes the file; only its user may change it.
fn configured(fixture: &Fixture, lines: &str) {
    let folder = fixture.home().join("config/narrows");
    fs::create_dir_all(&folder).unwrap();
    for path in [fixture.home(), fixture.home().join("config"), folder.clone()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let file = folder.join("config.toml");
    fs::write(&file, lines).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn what_is_set_is_in_force_and_says_where_it_comes_from() {
    let fixture = Fixture::new();
    let said = text(&narrows(&fixture, &["config"]).stdout);
    assert!(said.contains("units") && said.contains("default"), "{said}");
    assert!(said.contains("config.toml (not there)"), "{said}");

    let data = fixture.data().display().to_string();
    configured(
        &fixture,
        &format!(
            "units = \"iec\"\ndata = \"{data}\"\ndatabase = \"postgres://app:S3cret@db7/shop\"\n"
        ),
    );
    let output = narrows(&fixture, &["config", "--format", "json"]);
    let said = text(&output.stdout);
    assert!(!said.contains("S3cret"), "{said}");
    let found: serde_json::Value = serde_json::from_str(&said).unwrap();
    let of = |name: &str| {
        let all = found.as_array().unwrap();
        all.iter().find(|setting| setting["name"] == name).unwrap().clone()
    };
    assert_eq!(of("units")["value"], "iec");
    assert_eq!(of("data")["value"], data.as_str());
    assert!(of("data")["from"].as_str().unwrap().ends_with("config.toml"));
    assert_eq!(of("database")["value"], "postgres://app@db7:5432/shop");
    assert_eq!(of("wal")["from"], "default");
    // The folder is the plan's, and what is typed comes before it.
    let plan = text(&narrows(&fixture, &["run", "--dry-run", "--layers", "clock"]).stdout);
    assert!(plan.contains(&format!("data     {data}")), "{plan}");
    let other = fixture.public("other").display().to_string();
    let typed = ["run", "--dry-run", "--layers", "clock", "--data", &other];
    let plan = text(&narrows(&fixture, &typed).stdout);
    assert!(plan.contains(&format!("data     {other}\nwal      {other}")), "{plan}");
}

#[test]
fn a_setting_is_changed_in_the_file_which_is_named() {
    let fixture = Fixture::new();
    let output = narrows(&fixture, &["config", "set", "units", "iec"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let file = fixture.home().join("config/narrows/config.toml").display().to_string();
    assert!(
        said.contains(&format!("hint: settings are changed in an editor: edit {file}")),
        "{said}"
    );
}

#[test]
fn a_file_that_is_wrong_is_named_and_help_is_given_all_the_same() {
    let fixture = Fixture::new();
    configured(&fixture, "unit = \"iec\"\n");
    let output = narrows(&fixture, &["list"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("config.toml: line 1: unknown field `unit`"), "{said}");
    assert!(said.contains("hint: keys are"), "{said}");
    for args in [&["list", "--help"][..], &["--version", "--verbose"], &["completions", "bash"]] {
        assert_eq!(narrows(&fixture, args).status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn a_file_that_others_may_change_is_not_taken_and_nothing_else_suffers() {
    let fixture = Fixture::new();
    configured(&fixture, "data = \"/etc\"\n");
    let file = fixture.home().join("config/narrows/config.toml");
    fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
    let output = narrows(&fixture, &["config"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("config.toml is not used: "), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("/etc"), "{}", text(&output.stdout));
}

#[test]
fn alone_it_says_what_to_do_next() {
    let fixture = Fixture::new();
    let output = narrows(&fixture, &[]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for command in
        ["narrows observe", "narrows run --dry-run", "narrows platform", "narrows --help"]
    {
        assert!(said.contains(command), "{command}: {said}");
    }
    assert!(!said.contains("newest run"), "{said}");
}
