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
    for command in [&["show"][..], &["report"], &["trend"]] {
        let said = err(&narrows(&f.home(), &[], command));
        let hint = "no run is saved yet\nhint: narrows run --quick makes one";
        assert!(said.contains(hint), "{command:?}: {said}");
    }

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

    // A run as it was packed to be sent; the machine in it too.
    let packed = f.home().join("sent.narrows.json.gz");
    fs::copy(&files[0], &packed).unwrap();
    let packed = packed.display().to_string();
    let shown = narrows(&f.home(), &[], &["show", &packed]);
    assert_eq!(shown.status.code(), Some(0), "{}", err(&shown));
    assert_eq!(out(&shown), out(&narrows(&f.home(), &[], &["show", &ids[0]])));
    let machine = narrows(&f.home(), &[], &["platform", &packed]);
    assert_eq!(machine.status.code(), Some(0), "{}", err(&machine));
    let folder = narrows(&f.home(), &[], &["show", &store.display().to_string()]);
    assert!(err(&folder).contains(" is a folder\nhint: name a run file in it"), "{}", err(&folder));

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
    for word in ["TERMS", "QD1", "CONFIRMED", "commit_wait", "little-law-broken", "latency_p99"] {
        assert!(all.contains(word), "{word}");
    }
    let term = out(&narrows(&f.home(), &[], &["explain", "WAL", "flush"]));
    for part in ["WAL flush: ", "unit", "PostgreSQL", "Oracle", "fio", "kernel", "the book"] {
        assert!(term.contains(part), "{part}: {term}");
    }
    let completed = out(&narrows(&f.home(), &[], &["explain", "queues"]));
    assert!(completed.contains("queues-fewer-than-cpus: "), "{completed}");
    let unknown = narrows(&f.home(), &[], &["explain", "comit-wait"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(err(&unknown).contains("`comit-wait` not found"), "{}", err(&unknown));
    assert!(err(&unknown).contains("did you mean commit_wait?"), "{}", err(&unknown));
}

#[test]
fn an_address_is_found_as_psql_finds_it() {
    let f = Fixture::new();
    let service = "[prod]\nhost=127.0.0.8\nport=2\nuser=app\n";
    fs::write(f.home().join(".pg_service.conf"), service).unwrap();
    let place =
        [("PGHOST", "127.0.0.7"), ("PGPORT", "1"), ("PGUSER", "bob"), ("PGDATABASE", "shop")];
    // Nobody listens on these ports: the plan is told all the same.
    let plan = |variables: &[(&str, &str)], address: &[&str]| {
        let arguments = [&["observe", "--dry-run"], address].concat();
        let output = narrows(&f.home(), variables, &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        out(&output) + &err(&output)
    };
    for (variables, address, found) in [
        (&place[..], &[][..], "postgres://bob@127.0.0.7:1/shop"),
        (&place[..], &["other"], "postgres://bob@127.0.0.7:1/other"),
        (&place[..], &["host=127.0.0.9 dbname=x"], "postgres://bob@127.0.0.9:1/x"),
        (&place[..], &["service=prod"], "postgres://app@127.0.0.8:2/shop"),
        (&[("PGSERVICE", "prod")], &["postgres:///y"], "postgres://app@127.0.0.8:2/y"),
        (
            &place[..],
            &["host=db7 hostaddr=127.0.0.9"],
            "postgres://bob@db7:1/shop?hostaddr=127.0.0.9",
        ),
    ] {
        let said = plan(variables, address);
        assert!(said.contains(found), "{address:?}: {said}");
    }
    let secret = plan(&[], &["host=127.0.0.7 port=1 user=bob password=S3cretPw dbname=shop"]);
    assert!(!secret.contains("S3cretPw"), "{secret}");
    let refused = "cannot connect to postgres://bob:***@127.0.0.7:1/shop: Connection refused";
    assert!(secret.contains(refused), "{secret}");
    let wrong = narrows(&f.home(), &[], &["observe", "host=db7 pasword=S3cretPw"]);
    assert!(wrong.status.code() == Some(2) && !err(&wrong).contains("S3cretPw"), "{}", err(&wrong));
}

#[test]
fn what_is_no_address_of_a_postgresql_says_what_may_have_been_meant() {
    let f = Fixture::new();
    let home = f.home().display().to_string();
    // A folder without a socket.
    let nowhere = [("PGHOST", home.as_str())];
    for dry in [&[][..], &["--dry-run"]] {
        let said = |address: &str| {
            let output = narrows(&f.home(), &nowhere, &[&["observe", address], dry].concat());
            assert_eq!(output.status.code(), Some(2), "{address}: {}", err(&output));
            err(&output)
        };
        let word = said("db7");
        let listens = format!("error: no PostgreSQL listens at {home} (no socket .s.PGSQL.5432)\n");
        assert!(word.starts_with(&listens), "{word}");
        assert!(word.contains("hint: is db7 a host? narrows observe host=db7"), "{word}");
        for (address, parts) in [
            (
                "mysql://app@db7/shop",
                ["db7: narrows reaches MariaDB by its Unix socket", "hint: run"],
            ),
            ("mariadb://app:x@/?socket=/a", ["no password here", "IDENTIFIED VIA unix_socket"]),
            ("host=127.0.0.1 foo=1", ["a parameter `foo` that is not known", "hint: known are"]),
        ] {
            let text = said(address);
            for part in parts {
                assert!(text.contains(part), "no `{part}` in: {text}");
            }
        }
    }
    assert!(f.runs().is_empty());
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
        (&["iops"], "narrows block"),
        (&["rnu"], "did you mean `narrows run`?"),
        (&["rn"], "did you mean `narrows run`?"),
        (&["status"], "narrows list"),
        (&["info"], "narrows platform"),
        (&["test"], "narrows run --quick"),
        (&["check"], "narrows run --dry-run"),
        (&["measure"], "narrows run"),
        (&["stat"], "narrows observe"),
        (&["lookup"], "did you mean `narrows db lookup`?"),
        (&["postgres"], "narrows observe ADDRESS"),
        (&["mysql"], "--kind mariadb"),
        (&["oracle"], "narrows import FILE"),
        (&["why"], "narrows explain WORD"),
        (&["html"], "narrows report RUN --html"),
        (&["man"], "narrows help COMMAND"),
        (&["upgrade"], "narrows plan"),
        (&["help", "nosuch"], "`narrows explain WORD`"),
        (&["postgres://app@db7/shop"], "narrows observe ADDRESS"),
        (&["host=db7 dbname=shop"], "narrows observe ADDRESS"),
        (&["list", "--json"], "write --format json"),
        (&["show", "x", "--format", "pdf"], "narrows report ID --html"),
        (&["run", "observe"], "narrows observe ADDRESS"),
        (&["run", "dry-run"], "narrows run --dry-run"),
        (&["run", "--db", "none"], "managed, none or postgres://"),
        (&["observe", "--for", "-5"], "a time is more than 0"),
        (&["compare"], "narrows compare BEFORE AFTER"),
        (&["compare", "7f3a"], "`narrows list` shows them"),
        (&["ab"], "narrows ab NAME"),
        (&["block", "--write-to-device", "/dev/sdb"], "lsblk -o NAME,SERIAL"),
        (&["block", "--write-to-device", "/dev/sdb"], "/sys/block/sdb/device/serial"),
    ] {
        points(&f, arguments, hint);
    }
    for option in ["--size=1g", "--rwmixwrite=30", "--norandommap", "--verify=crc32c", "-rw=read"] {
        points(&f, &["block", "run", option], "narrows block run FILE.fio");
    }
    for option in [&["-U", "me"][..], &["-d", "shop"], &["-p", "5432"], &["--host", "db7"]] {
        let address = "the address is one argument: narrows observe 'host=db7 user=me dbname=shop'";
        points(&f, &[&["observe"], option].concat(), address);
        points(&f, &[&["log", "postgres"], option].concat(), "narrows log postgres 'host=db7");
    }
}

/// An error on one line and a hint on one, which says that; nothing of the parser's own form.
fn points(f: &Fixture, arguments: &[&str], hint: &str) {
    let output = narrows(&f.home(), &[], arguments);
    let said = err(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    let lines: Vec<&str> = said.lines().collect();
    let [error, last] = lines[..] else { panic!("{arguments:?} has no two lines: {said}") };
    assert!(error.starts_with("error: ") && last.starts_with("hint: "), "{arguments:?}: {said}");
    // A value's own error says what would be taken.
    assert!(said.contains(hint), "{arguments:?}: {said}");
    assert!(!said.contains("tip:") && !said.contains("Usage:"), "{arguments:?}: {said}");
}
