//! What commands answer with `--json`: fields as the guide has them, and the same as in words.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use narrows_io::Op;
use serde_json::Value;

use crate::control::page;
use crate::data::path_to;
use crate::program::{Program, logged, make_log};

const GUIDE: &str = include_str!("../../../../docs/src/guide/storage-target.md");
/// Of the smallest log, bytes.
const LOG_BYTES: u64 = (8 << 10) + (4 << 20);

/// Standard output, standard error and the exit code.
fn command(arguments: &[&str]) -> (String, String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows-target"));
    let output = command.args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// Standard output of a command that was done.
fn words(arguments: &[&str]) -> String {
    let (said, error, code) = command(arguments);
    assert_eq!((error.as_str(), code), ("", Some(0)), "{arguments:?}: {said}");
    said
}

/// What a command answers that is done with `--json`, held against the guide's row of that name.
fn object(row: &str, arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let value: Value = serde_json::from_str(&words(&arguments)).unwrap();
    assert_fields(row, &value);
    value
}

fn assert_fields(row: &str, value: &Value) {
    let begin = format!("| `{row}` |");
    let line = GUIDE.lines().find(|line| line.starts_with(&begin));
    let fields =
        line.unwrap_or_else(|| panic!("the guide has no row {begin}"))[begin.len()..].split('`');
    let documented: BTreeSet<&str> = fields.skip(1).step_by(2).collect();
    let has: BTreeSet<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(has, documented, "{row}");
}

/// A command that fails says so on standard error, with or without `--json`.
fn assert_fails(arguments: &[&str], why: &str) {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let (said, error, code) = command(&arguments);
    assert_eq!((said.as_str(), code), ("", Some(2)), "{error}");
    assert!(error.starts_with("narrows-target: ") && error.contains(why), "{error}");
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

fn number_of(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn sized(path: &Path, bytes: u64) -> &str {
    File::create(path).unwrap().set_len(bytes).unwrap();
    path.to_str().unwrap()
}

#[test]
fn a_log_is_made_as_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let (file, log) = (folder.path().join("disk"), folder.path().join("log"));
    let (file, log) = (sized(&file, 1 << 20), sized(&log, LOG_BYTES));
    let make = ["log", "make", "--for", file, "--log", log];
    let made = object("log make", &make);
    assert_eq!(made["media"], serde_json::json!([log]));
    assert_eq!(made["media_power"], serde_json::json!([null]));
    assert_eq!((text_of(&made["path"]), number_of(&made["backing_bytes"])), (file, 1 << 20));
    assert_eq!((text_of(&made["acknowledge"]), &made["copies"]), ("all", &Value::Null));
    assert_eq!(made["notes"], serde_json::json!([]));
    let status = object("log status", &["log", "status", log]);
    for key in
        ["log", "backing_bytes", "capacity_bytes", "media_kinds", "media_power", "acknowledge"]
    {
        assert_eq!(status[key], made[key], "{key}");
    }
    // Once more, in words: all but the name is the same.
    let said = words(&make);
    let [gone, new, kind, serve] = said.lines().collect::<Vec<_>>()[..] else { panic!("{said}") };
    assert_eq!(gone, format!("{log} holds the empty log {}, which goes", text_of(&made["log"])));
    let rest = format!(" of {} bytes on {log} for {file}", made["capacity_bytes"]);
    let id = new.strip_prefix("log ").unwrap().strip_suffix(&rest).unwrap();
    assert_eq!(kind, format!("{log}: {}", text_of(&made["media_kinds"][0])));
    let namespace = text_of(&made["namespace"]);
    assert_eq!(serve, format!("serve it: narrows-target serve --namespace {namespace} …"));
    // And that was a remark of an object.
    let again = object("log make", &make);
    let gone = format!("{log} holds the empty log {id}, which goes");
    assert_eq!(again["notes"], serde_json::json!([gone]));
    Program::serving(&[text_of(&again["namespace"])], &[]).stop();
    assert_fails(&["log", "make", "--for", log, "--log", file], "it is a medium of log");
}

#[test]
fn a_log_on_peers_is_made_as_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    let file = sized(&file, 1 << 20);
    let peers = [0, 1].map(|_| Program::serving(&["ram:6MiB"], &[]));
    let [one, other] = peers.each_ref().map(|peer| peer.address("").to_string());
    let media = ["--log", &one, "--log", &other];
    let make: Vec<&str> = ["log", "make", "--for", file, "--copies", "2", "--separate-power"]
        .into_iter()
        .chain(media)
        .collect();
    let made = object("log make", &make);
    assert_eq!((text_of(&made["acknowledge"]), number_of(&made["copies"])), ("copies", 2));
    assert_eq!(
        made["media_kinds"],
        serde_json::json!(["peer over NVMe/TCP", "peer over NVMe/TCP"])
    );
    let said = words(&make);
    let namespace = text_of(&made["namespace"]);
    assert!(said.contains(text_of(&made["peers_power"])), "{said}");
    assert!(said.ends_with(&format!("--namespace '{namespace}' …\n")), "{said}");
    let status = object("log status", &["log", "status", &one, &other]);
    assert_fields("log status .peers[]", &status["peers"][0]);
}

#[test]
fn a_log_is_flushed_and_dropped_as_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
    sized(&file, 1 << 20);
    make_log(&file, &media, &[]);
    let mut program = Program::serving(&[&logged(&file, &media)], &[]);
    page(&mut path_to(&program, ""), Op::Write);
    program.kill();
    let (file, log) = (file.to_str().unwrap(), media[0].to_str().unwrap());
    let status = object("log status", &["log", "status", log]);
    let flush = ["log", "flush", "--for", file, "--log", log];
    let flushed = object("log flush", &flush);
    assert_eq!(flushed["log"], status["log"]);
    assert_eq!(flushed["moved_records"], status["records"]);
    assert_eq!(flushed["moved_bytes"], status["record_bytes"]);
    assert_eq!(flushed["media"], serde_json::json!([log]));
    let empty = object("log flush", &flush);
    let (records, bytes) = (&empty["moved_records"], &empty["moved_bytes"]);
    let said = format!(
        "{records} records with {bytes} bytes moved to {}; the log is empty\n",
        text_of(&empty["path"])
    );
    assert_eq!(words(&flush), said);
    // Dropped: one as an object, one in words.
    let drop = ["log", "drop", "--for", file, "--log", log];
    let wrong: Vec<&str> = drop.into_iter().chain(["--lose", "3"]).collect();
    assert_fails(&wrong, "the log holds 0 records");
    let dropped = object("log drop", &drop);
    assert_eq!((&dropped["log"], text_of(&dropped["path"])), (&status["log"], file));
    assert_eq!((number_of(&dropped["lost_records"]), number_of(&dropped["lost_bytes"])), (0, 0));
    assert_fails(&drop, "it holds no log");
    make_log(Path::new(file), &media, &[]);
    let id = object("log status", &["log", "status", log])["log"].clone();
    let said = format!(
        "log {} on {} is gone, and {} records with it\n",
        text_of(&id),
        text_of(&dropped["media"][0]),
        dropped["lost_records"]
    );
    assert_eq!(words(&drop), said);
}

#[test]
fn a_log_that_is_lost_is_given_up_as_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
    sized(&file, 1 << 20);
    make_log(&file, &media, &[]);
    // The mark is of the first start.
    Program::serving(&[&logged(&file, &media)], &[]).kill();
    let log = media[0].to_str().unwrap();
    let id = object("log status", &["log", "status", log])["log"].clone();
    std::fs::remove_file(log).unwrap();
    let give_up = ["log", "drop", "--for", file.to_str().unwrap(), "--lost", text_of(&id)];
    let lost = object("log drop", &give_up);
    assert_eq!((&lost["log"], &lost["media"]), (&id, &serde_json::json!([])));
    assert_eq!((&lost["lost_records"], &lost["lost_bytes"]), (&Value::Null, &Value::Null));
    assert_fails(&give_up, "has no log");
}

#[test]
fn a_cache_is_made_and_dropped_as_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cache");
    let file = sized(&file, 4 << 20);
    let made = object("cache make", &["cache", "make", file]);
    assert_eq!((text_of(&made["path"]), number_of(&made["capacity_bytes"])), (file, 3 << 20));
    let said = words(&["cache", "make", file]);
    let gone = format!("{file} is the cache {}, which goes\n", text_of(&made["cache"]));
    assert!(said.contains(&gone), "{said}");
    let same = format!(
        " for {} bytes on {file}\nserve it: narrows-target serve --namespace FILE,{} …\n",
        made["capacity_bytes"],
        text_of(&made["option"])
    );
    assert!(said.ends_with(&same), "{said}");
    let again = object("cache make", &["cache", "make", file]);
    let notes: Vec<&str> = again["notes"].as_array().unwrap().iter().map(text_of).collect();
    assert!(notes.iter().any(|note| note.contains("which goes")), "{notes:?}");
    let dropped = object("cache drop", &["cache", "drop", file]);
    assert_eq!((&dropped["cache"], text_of(&dropped["kind"])), (&again["cache"], "file"));
    let empty = std::fs::read(file).unwrap().iter().all(|byte| *byte == 0);
    assert_eq!(dropped["pages_left"], !empty);
    assert_fails(&["cache", "drop", file], "is no cache");
    let again = File::create(file).and_then(|file| file.set_len(4 << 20));
    again.unwrap();
    let id = object("cache make", &["cache", "make", file])["cache"].clone();
    let begin = format!("cache {} on {file} is gone", text_of(&id));
    assert!(words(&["cache", "drop", file]).starts_with(&begin));
}

#[test]
fn a_target_that_serves_answers_as_objects() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    sized(&at("logged"), 1 << 20);
    sized(&at("cached"), 1 << 20);
    let media = [at("log")];
    make_log(&at("logged"), &media, &[]);
    let control = at("control").display().to_string();
    let index = at("index").display().to_string();
    let cached = format!("{},cache=ram:1MiB,cache-index={index}", at("cached").display());
    let program =
        Program::serving(&[&logged(&at("logged"), &media), &cached], &["--control", &control]);
    let of = |verb: &[&'static str]| -> Vec<String> {
        let asked = ["tier"].iter().chain(verb).map(ToString::to_string);
        asked.chain(["--control".to_string(), control.clone()]).collect()
    };
    let ask = |row: &str, verb: &[&'static str]| {
        let asked = of(verb);
        object(row, &asked.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let say = |verb: &[&'static str]| {
        let asked = of(verb);
        words(&asked.iter().map(String::as_str).collect::<Vec<_>>())
    };
    page(&mut path_to(&program, "ns=1"), Op::Write);
    page(&mut path_to(&program, "ns=2"), Op::Read);
    let list = ask("tier list", &["list"]);
    for (row, at) in [
        ("tier list .namespaces[]", "/namespaces/0"),
        ("tier list .namespaces[].log", "/namespaces/0/log"),
        ("tier list .namespaces[].cache", "/namespaces/1/cache"),
        ("tier list .namespaces[].cache.index", "/namespaces/1/cache/index"),
        ("tier list .namespaces[].cache.ranges[]", "/namespaces/1/cache/ranges/0"),
    ] {
        assert_fields(row, list.pointer(at).unwrap());
    }
    let flushed = ask("tier flush", &["flush"]);
    let its = |value: &Value| (text_of(&value["subsystem"]).to_string(), number_of(&value["nsid"]));
    let nqn = crate::program::NQN.to_string();
    assert_eq!(its(&flushed), (nqn.clone(), 1));
    // All was moved by the first, so that both of the next find nothing.
    let none = ask("tier flush", &["flush"]);
    assert_eq!(say(&["flush"]), format!("{} records moved\n", none["moved_records"]));
    let log = ask("tier resize --log", &["resize", "--log", "--size", "8MiB"]);
    assert_eq!(
        (its(&log), number_of(&log["capacity_bytes"])),
        ((nqn.clone(), 1), (8 << 20) - 8192)
    );
    let said = format!("room for {} bytes of records\n", log["capacity_bytes"]);
    assert_eq!(say(&["resize", "--log", "--size", "8MiB"]), said);
    let resized = ask("tier resize", &["resize", "--size", "512KiB"]);
    assert_eq!(its(&resized), (nqn.clone(), 2));
    let said = format!("room for {} pages, {} used\n", resized["pages"], resized["used_pages"]);
    assert_eq!(say(&["resize", "--size", "512KiB"]), said);
    let evicted = ask("tier evict", &["evict"]);
    assert_eq!((its(&evicted), number_of(&evicted["evicted_pages"])), ((nqn, 2), 1));
    page(&mut path_to(&program, "ns=2"), Op::Read);
    assert_eq!(say(&["evict"]), format!("{} pages evicted\n", evicted["evicted_pages"]));
    let wrong = of(&["evict", "--nsid", "1"]);
    let wrong: Vec<&str> = wrong.iter().map(String::as_str).collect();
    assert_fails(&wrong, "no such namespace has a cache");
    program.stop();
}
