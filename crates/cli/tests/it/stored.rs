//! What needs no measuring: the list of stored runs, the newest again, words explained, addresses as psql takes them, and what people
//! type for what is called otherwise here.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use flate2::read::GzDecoder;
use narrows_model::Run;

use crate::common::{Fixture, program};

/// Variables that would lead elsewhere are left out.
fn narrows(home: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    for name in ["PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGDATABASE", "PGSERVICE"] {
        command.env_remove(name);
    }
    command.env("XDG_DATA_HOME", home).env("HOME", home).envs(variables.iter().copied());
    command.args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn stored_runs_are_listed_the_newest_first_and_shown_again() {
    let f = Fixture::new();
    let none = narrows(&f.home(), &[], &["list"]);
    assert_eq!(none.status.code(), Some(0));
    assert!(out(&none).contains("none yet"), "{}", out(&none));
    let nothing = narrows(&f.home(), &[], &["show"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(err(&nothing).contains("no run is saved\nhint: "), "{}", err(&nothing));

    let store = f.home().join("narrows/runs");
    fs::create_dir_all(&store).unwrap();
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/runs");
    let mut files: Vec<_> =
        fs::read_dir(known).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut ids = Vec::new();
    for (file, hours) in files.iter().take(3).zip(1..) {
        let mut text = String::new();
        GzDecoder::new(fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
        let run = Run::from_json(&text).unwrap();
        let kept = store.join(format!("{}.narrows.json", run.id));
        fs::write(&kept, text).unwrap();
        // The last one is the oldest.
        let time = SystemTime::now() - Duration::from_secs(3600 * hours);
        fs::File::options().write(true).open(&kept).unwrap().set_modified(time).unwrap();
        ids.push(run.id);
    }
    fs::write(store.join("broken.narrows.json"), "{").unwrap();
    fs::write(store.join("other.txt"), "no run").unwrap();

    let listed = out(&narrows(&f.home(), &[], &["list"]));
    let at = |word: &str| listed.find(word).unwrap_or_else(|| panic!("{word}: {listed}"));
    assert!(at("broken.narrows.json") < at(&ids[0]) && at(&ids[0]) < at(&ids[1]), "{listed}");
    assert!(at(&ids[1]) < at(&ids[2]) && listed.contains("cannot be read: "), "{listed}");
    assert!(!listed.contains("other.txt") && !listed.contains("older"), "{listed}");
    let json: serde_json::Value =
        serde_json::from_str(&out(&narrows(&f.home(), &[], &["list", "--format", "json"])))
            .unwrap();
    assert_eq!(
        (json.as_array().unwrap().len(), json[1]["id"].as_str().unwrap()),
        (4, ids[0].as_str())
    );

    fs::remove_file(store.join("broken.narrows.json")).unwrap();
    let newest = narrows(&f.home(), &[], &["show"]);
    let named = narrows(&f.home(), &[], &["report", &ids[0]]);
    assert_eq!((newest.status.code(), out(&newest)), (Some(0), out(&named)));
    let unknown = narrows(&f.home(), &[], &["show", "zzz"]);
    assert!(err(&unknown).contains("hint: `narrows list`"), "{}", err(&unknown));
}

#[test]
fn words_are_explained_and_unknown_ones_have_neighbours() {
    let f = Fixture::new();
    let found = narrows(&f.home(), &[], &["explain", "Device", "saw", "less"]);
    let text = out(&found);
    for part in ["device-saw-less: ", "what to do", "fires when", "reason"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let all = out(&narrows(&f.home(), &[], &["explain"]));
    for word in ["CONFIRMED", "commit_wait", "little-law-broken", "latency_p99"] {
        assert!(all.contains(word), "{word}");
    }
    let unknown = narrows(&f.home(), &[], &["explain", "comit-wait"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(err(&unknown).contains("did you mean commit_wait?"), "{}", err(&unknown));
}

#[test]
fn an_address_is_found_as_psql_finds_it() {
    let f = Fixture::new();
    fs::write(f.home().join(".pg_service.conf"), "[prod]\nhost=db8\nport=6000\nuser=app\n")
        .unwrap();
    let place = [("PGHOST", "db7"), ("PGPORT", "5433"), ("PGUSER", "bob"), ("PGDATABASE", "shop")];
    let plan = |variables: &[(&str, &str)], address: &[&str]| {
        let arguments = [&["observe", "--dry-run"], address].concat();
        let output = narrows(&f.home(), variables, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        out(&output) + &err(&output)
    };
    for (variables, address, found) in [
        (&place[..], &[][..], "postgres://bob@db7:5433/shop"),
        (&place[..], &["other"], "postgres://bob@db7:5433/other"),
        (&place[..], &["host=db9 dbname=x"], "postgres://bob@db9:5433/x"),
        (&place[..], &["service=prod"], "postgres://app@db8:6000/shop"),
        (&[("PGSERVICE", "prod")], &["postgres:///y"], "postgres://app@db8:6000/y"),
    ] {
        let said = plan(variables, address);
        assert!(said.contains(found), "{address:?}: {said}");
    }
    let secret = plan(&[], &["host=db7 user=bob password=S3cretPw dbname=shop"]);
    assert!(secret.contains("postgres://bob@db7:5432/shop") && !secret.contains("S3cretPw"));
    let wrong = narrows(&f.home(), &[], &["observe", "host=db7 pasword=S3cretPw"]);
    assert!(wrong.status.code() == Some(2) && !err(&wrong).contains("S3cretPw"), "{}", err(&wrong));
}

#[test]
fn words_of_other_tools_point_the_way() {
    let f = Fixture::new();
    for (arguments, hint) in [
        (&["doctor"][..], "narrows platform"),
        (&["top"], "narrows observe"),
        (&["block", "run", "--name=x"], "narrows block run FILE.fio"),
        (&["block", "--rw=randread"], "narrows block run FILE.fio"),
        (&["run", "--for", "5s"], "narrows observe ADDRESS"),
        (&["observe", "--for", "5"], "5s or 5min"),
    ] {
        let output = narrows(&f.home(), &[], arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(hint), "{arguments:?}: {}", err(&output));
    }
}
