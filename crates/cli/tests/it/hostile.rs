//! What others made (job files, described platforms, tables of limits, another machine's files, a baseline, arguments) on its
//! way through the whole command: nothing on standard output or standard error steers a terminal, starts markup, or is a formula.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use narrows_model::Run;
use narrows_units::steers;

use crate::common::{Fixture, program};

/// What stands in the place of a name: a formula for spreadsheets, sequences for terminals (C0 and C1), marks that turn the
/// direction of reading, markup.
const HOSTILE: &str = "=cmd|'!A0\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}<script>alert(1)</script>`EVIL`";

fn narrows(fixture: &Fixture, args: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.args(args).env("XDG_DATA_HOME", fixture.home()).output().unwrap()
}

/// Both streams, in which nothing steers.
#[track_caller]
fn harmless(about: &str, output: &Output) -> (String, String) {
    let [out, said] = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8(bytes.clone()).expect("it is always UTF-8"));
    for text in [&out, &said] {
        let text = text.replace("\r\n", "\n");
        let bad = text.chars().find(|c| steers(*c) && !matches!(c, '\n' | '\t'));
        assert!(bad.is_none(), "{about}: {bad:?} in\n{text}");
    }
    assert!(!said.contains("panicked"), "{about}: {said}");
    (out, said)
}

/// As [`harmless`], and what the format adds to it.
#[track_caller]
fn harmless_as(format: &str, about: &str, output: &Output) -> String {
    let (out, _) = harmless(about, output);
    if matches!(format, "html" | "markdown") {
        // The page's own, which its policy names by its digest.
        let own =
            concat!("<script>", include_str!("../../../report/src/render/page.js"), "</script>");
        assert!(!out.replacen(own, "", 1).contains("<script>"), "{about}: {out}");
    }
    if format == "csv" {
        let mut cells = out.lines().flat_map(|line| line.split(','));
        let formula = |cell: &str| {
            let cell = cell.trim_start_matches('"');
            cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err()
        };
        assert_eq!(cells.find(|cell| formula(cell)), None, "{about}: {out}");
    }
    if format == "json" && !out.is_empty() {
        serde_json::from_str::<serde_json::Value>(&out).expect("a document");
    }
    out
}

fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if steers(c) => format!("\\u{:04x}", c as u32),
            '"' | '\\' => format!("\\{c}"),
            c => c.to_string(),
        })
        .collect()
}

/// The text with each of its quoted strings in turn hostile.
fn each_string(text: &str) -> Vec<String> {
    let pieces: Vec<&str> = text.split('"').collect();
    (1..pieces.len())
        .step_by(2)
        .flat_map(|at| {
            let with = |hostile: String| {
                let mut pieces: Vec<&str> = pieces.clone();
                pieces[at] = &hostile;
                pieces.join("\"")
            };
            // As a name may stand, and with all of it.
            [with(escaped(HOSTILE)), with(format!("-{}", pieces[at])), with("=1+1<script>".into())]
        })
        .collect()
}

#[test]
fn described_platforms_and_tables_of_limits() {
    let f = Fixture::new();
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/array-nvmeof.toml");
    let case = fs::read_to_string(case).unwrap();
    let table = "[[class]]\nid = \"san-7\"\ntitle = \"an array\"\nfamily = \"drive\"\nsource = \"a page\"\n\
                 grade = \"vendor\"\nread = { expected = \"7 GB/s\" }\n";
    let file = f.home().join("x.toml");
    let name = file.to_str().unwrap();
    let mut shown = 0;
    for (text, command) in each_string(&case)
        .iter()
        .map(|text| (text, ["plan", name]))
        .chain(each_string(table).iter().map(|text| (text, ["limits", "--limits"])))
    {
        fs::write(&file, text).unwrap();
        for format in ["text", "json", "csv", "markdown", "html"] {
            let mut args = command.to_vec();
            if command[0] == "limits" {
                args.push(name);
            }
            args.extend(["--format", format]);
            let output = narrows(&f, &args);
            shown += usize::from(!harmless_as(format, text, &output).is_empty());
        }
    }
    assert!(shown > 20, "{shown}: too few of them were taken");
}

#[test]
fn job_files() {
    let f = Fixture::new();
    let file = f.home().join("x.fio");
    // Without what ends a section's name or begins a comment.
    let hostile = HOSTILE.replace([';', ']'], "");
    let jobs = [
        format!("[{hostile}]\nsize=1m\nrw=read\n"),
        format!("[a]\ndescription={hostile}\nsize=1m\n"),
        format!("[a]\nname={hostile}\nsize=1m\n"),
        format!("[a]\nfilename=/tmp/{hostile}\nsize=1m\n"),
        format!("[a]\ndirectory=/tmp/{hostile}\nsize=1m\n"),
        format!("[a]\nsize={hostile}\n"),
        format!("[a]\n{hostile}=1\n"),
        format!("[a]\ninclude {hostile}\n"),
        format!("{hostile}\n"),
    ];
    let mut planned = 0;
    for text in jobs {
        fs::write(&file, &text).unwrap();
        let output =
            narrows(&f, &["block", "run", file.to_str().unwrap(), "--load-here", "--dry-run"]);
        harmless(&text, &output);
        planned += usize::from(output.status.success());
    }
    assert!(planned >= 3, "only {planned} were planned");
}

#[test]
fn a_job_takes_from_the_environment_what_was_named_and_says_it() {
    let f = Fixture::new();
    let file = f.home().join("x.fio");
    let plan = |text: &str, args: &[&str]| {
        fs::write(&file, text).unwrap();
        let mut command = Command::new(program());
        command
            .args(["block", "run", file.to_str().unwrap(), "--load-here", "--dry-run"])
            .args(args);
        command.env("XDG_DATA_HOME", f.home()).env("PGPASSWORD", "S3cret").env("SIZE", "7m");
        harmless(text, &command.output().unwrap())
    };
    for text in ["[a]\ndescription=${PGPASSWORD}\nsize=1m", "[a]\nname=${PGPASSWORD}\nsize=1m"] {
        let (out, said) = plan(text, &[]);
        assert!(!format!("{out}{said}").contains("S3cret"), "{out}{said}");
        assert!(said.contains("hint: --env PGPASSWORD"), "{said}");
    }
    let (_, said) = plan("[a]\nrw=read\nsize=${SIZE}", &[]);
    assert!(said.contains("hint: --env SIZE"), "{said}");
    let (out, said) = plan("[a]\nrw=read\nsize=${SIZE}", &["--env", "SIZE"]);
    assert!(out.contains("${SIZE} is taken from the environment"), "{out}{said}");
    assert!(out.contains("7.34 MB"), "{out}{said}");
}

#[test]
fn an_included_file_that_is_no_job_file_is_not_shown() {
    let f = Fixture::new();
    let (file, secret) = (f.home().join("x.fio"), f.home().join("shadow"));
    fs::write(&file, format!("[a]\nsize=1m\ninclude {}\n", secret.display())).unwrap();
    for line in ["root:$6$salt$S3cret:19000:0:99999:7:::", "password=S3cret", "size=S3cret"] {
        fs::write(&secret, format!("{line}\n")).unwrap();
        let output =
            narrows(&f, &["block", "run", file.to_str().unwrap(), "--load-here", "--dry-run"]);
        let (out, said) = harmless(line, &output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(!format!("{out}{said}").contains("S3cret"), "{out}{said}");
        assert!(said.contains("shadow:1: "), "{said}");
    }
}

#[test]
fn another_machines_files_and_names() {
    let f = Fixture::new();
    let root = f.home().join("root");
    let hostile = HOSTILE.replace('/', ".");
    for (path, text) in [
        ("etc/hostname", HOSTILE.to_string()),
        ("proc/cpuinfo", format!("processor\t: 0\nmodel name\t: {HOSTILE}\n")),
        ("proc/sys/kernel/osrelease", HOSTILE.to_string()),
        ("sys/class/dmi/id/product_name", HOSTILE.to_string()),
        ("sys/devices/system/cpu/possible", "0\n".to_string()),
        ("proc/mounts", format!("/dev/{hostile} / ext4 rw,{hostile} 0 0\n")),
        ("proc/self/mounts", format!("/dev/{hostile} / ext4 rw,{hostile} 0 0\n")),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let root = root.to_str().unwrap();
    for format in ["text", "json", "html"] {
        let output = narrows(&f, &["platform", "--root", root, "--format", format]);
        let shown = harmless_as(format, format, &output);
        assert!(shown.contains("EVIL"), "{format}: it was read:\n{shown}");
    }
}

#[test]
fn run_files_and_baselines() {
    let f = Fixture::new();
    let mut run = Run::blank(Default::default(), Default::default());
    run.id = "0a0b0c0d".into();
    run.command = vec![HOSTILE.into()];
    run.hosts[0].platform.hostname = Some(HOSTILE.into());
    let file = f.home().join("x.narrows.json");
    // As another program might write it: raw, not escaped.
    let raw = serde_json::to_string(&run).unwrap();
    assert!(raw.contains('\u{202e}'));
    fs::write(&file, &raw).unwrap();
    for format in ["text", "json", "csv", "markdown", "html"] {
        let output = narrows(&f, &["report", file.to_str().unwrap(), "--format", format]);
        let shown = harmless_as(format, format, &output);
        assert!(!shown.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let page = f.home().join("x.html");
    let args = ["report", file.to_str().unwrap(), "--html", "-o", page.to_str().unwrap()];
    harmless("-o", &narrows(&f, &args));
    let page = fs::read_to_string(page).unwrap();
    assert!(!page.contains(|c: char| c != '\n' && steers(c)), "a file is filtered too");
    let kept = f.home().join("narrows/baseline");
    fs::create_dir_all(&kept).unwrap();
    fs::write(kept.join("memory.narrows.json"), raw).unwrap();
    let output = narrows(&f, &["memory", "baseline", "--dry-run"]);
    let (_, said) = harmless("baseline", &output);
    assert!(said.contains("EVIL"), "it was read: {said}");
}

#[test]
fn arguments() {
    let f = Fixture::new();
    for args in [
        vec!["report", HOSTILE],
        vec![HOSTILE],
        vec!["run", "--layers", HOSTILE],
        vec!["run", HOSTILE],
        vec!["run", "--dry-run", "--data", HOSTILE],
        vec!["limits", HOSTILE],
        vec!["plan", HOSTILE],
        vec!["block", "run", HOSTILE],
        vec!["block", "device", HOSTILE],
        vec!["db", "clean", HOSTILE],
        vec!["log", "crashtest", "check", HOSTILE, "--acknowledged", HOSTILE],
    ] {
        let output = narrows(&f, &args);
        harmless(args[0], &output);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
    // A folder of that name is there.
    let folder = f.data().join(HOSTILE.replace('/', "."));
    fs::create_dir(&folder).unwrap();
    for args in [["run", "--dry-run", "--data"], ["block", "--dry-run", "--at"]] {
        let mut args = args.to_vec();
        args.push(folder.to_str().unwrap());
        let (out, said) = harmless(args[0], &narrows(&f, &args));
        assert!(out.contains("EVIL"), "{out}{said}");
    }
    fs::remove_dir(&folder).unwrap();
}
