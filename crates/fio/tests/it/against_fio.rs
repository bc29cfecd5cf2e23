//! fio as the judge of how its own files are read.
//!
//! `fio --debug=parse --parse-only` prints every section, every option with its value after substitution, and every
//! integer it makes of it. Our reading of the same file has to give the same. `NARROWS_FIO_EXAMPLES` names folders
//! (with `:` between them) of job files to go through; fio's own are in `examples` and `t/jobs` of its source, which is
//! under the GPL and therefore not here. `NARROWS_FIO` names the fio to ask.

use crate::common;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{MACHINE, OnDisk, fio};
use narrows_fio::verify::PatternPart;
use narrows_fio::{Cause, KbBase, Machine, Plan, options, read, sections, substitute};

/// What a value is taken as, part by part; `None` for a part that is rejected.
type Integers = Vec<Option<i64>>;

/// What one side makes of a setting.
type Reading = (String, String, Integers);

/// Sections by number, each with its readings sorted.
type Readings = Vec<(String, Vec<Reading>)>;

/// What fio says about a file; `None` if it opened no section.
fn of_fio(fio: &str, file: &Path) -> Readings {
    let out = Command::new(fio)
        .args(["--debug=parse", "--parse-only"])
        .arg(file)
        .output()
        .expect("fio runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut readings: Readings = Vec::new();
    let mut kind = String::new();
    for line in text.lines() {
        // `parse    123  what`; lines without that head are errors and help.
        let Some(said) = line.strip_prefix("parse ") else { continue };
        let said = said.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        if let Some(name) = said.strip_prefix("Parsing section [") {
            readings.push((name.trim_end_matches(']').to_string(), Vec::new()));
        } else if let Some(rest) = said.strip_prefix("handle_option=") {
            let (name, value) = rest.split_once(", ptr=").expect("fio names the value");
            let value = if value == "(null)" { "" } else { value };
            let name = options::find(name).map_or(name, |option| option.name);
            let reading = (name.to_string(), value.to_string(), Vec::new());
            readings.last_mut().expect("a section").1.push(reading);
        } else if let Some(rest) = said.strip_prefix("__handle_option=") {
            kind = rest.split(", type=").nth(1).unwrap_or_default().to_string();
        } else if let Some(rest) = said.strip_prefix("ret=") {
            let (ret, out) = rest.split_once(", out=").expect("fio names the result");
            let integer = ["OPT_INT", "OPT_ULL", "OPT_STR_VAL"].iter().any(|k| kind.starts_with(k));
            if integer && let Some((_, readings)) = readings.last_mut() {
                // Printed with and without sign.
                let value = out.parse::<i64>().ok().or(out.parse::<u64>().ok().map(|v| v as i64));
                readings.last_mut().expect("an option").2.push(value.filter(|_| ret == "0"));
            }
        }
    }
    readings
}

/// What we make of it, for the options that the table knows; the unknown ones apart.
fn of_ours(file: &Path, machine: &Machine) -> Result<(Readings, Vec<String>), String> {
    let name = file.to_string_lossy().into_owned();
    let sections = sections(&[&name], &[], &OnDisk).map_err(|problems| problems.to_string())?;
    let mut unknown = Vec::new();
    let mut readings: Readings = Vec::new();
    for section in &sections {
        let mut ours = Vec::new();
        for setting in &section.settings {
            let text = substitute(&setting.text, &OnDisk, machine).expect("it can be computed");
            let (key, value) = match text.split_once('=') {
                Some((key, value)) => (key.trim_end(), value),
                None => (text.as_str(), ""),
            };
            let Some(option) = options::find(key) else {
                unknown.push(key.to_string());
                continue;
            };
            assert_ne!(text, "kb_base=1000", "{name} changes kb_base; teach the test about it");
            let mut integers = option.kind.integers_as_fio(value, KbBase::Binary);
            // fio doesn't print what it makes of numbers of zones.
            integers.retain(|_| !value.ends_with('z'));
            ours.push((option.name.to_string(), value.to_string(), integers));
        }
        readings.push((section.name.clone(), ours));
    }
    Ok((readings, unknown))
}

/// What fio's keywords stand for here, by its own account.
fn machine(fio: &str) -> Machine {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("keywords.fio");
    let text = "[a]\nbs=$pagesize\nsize=$mb_memory\nnumjobs=$ncpus\n";
    std::fs::write(&file, text).expect("written");
    let said = of_fio(fio, &file);
    let of = |name: &str| -> u64 {
        let reading = said[0].1.iter().find(|reading| reading.0 == name).expect("the option");
        reading.1.parse().expect("a number")
    };
    Machine { page_size_bytes: of("bs"), memory_mib: of("size"), cpus: of("numjobs") }
}

fn job_files() -> Vec<PathBuf> {
    let Ok(folders) = std::env::var("NARROWS_FIO_EXAMPLES") else {
        println!("SKIPPED: NARROWS_FIO_EXAMPLES names no folder with fio's job files");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in folders.split(':') {
        let entries = std::fs::read_dir(folder).expect("a folder of job files");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "fio")));
    }
    files.sort();
    assert!(!files.is_empty(), "no *.fio in {folders}");
    files
}

#[test]
fn values_are_read_as_fio_reads_them() {
    let Some(fio) = fio() else { return };
    let machine = machine(&fio);
    let (mut same, mut differs, mut unseen) = (0, Vec::new(), BTreeMap::new());
    let mut unknown_here: BTreeMap<String, usize> = BTreeMap::new();
    let files = job_files();
    for file in &files {
        let theirs = of_fio(&fio, file);
        let (ours, unknown) = match of_ours(file, &machine) {
            Ok(read) => read,
            Err(why) => {
                differs.push(format!("{}: stops here: {why}", file.display()));
                continue;
            }
        };
        for key in unknown {
            *unknown_here.entry(key).or_insert(0) += 1;
        }
        // fio stops after the first section that it rejects; what it read until then is compared. It prints the
        // defaults of engines' options as well, so only what stands in the file is looked for.
        for ((name, theirs), (our_name, ours)) in theirs.iter().zip(&ours) {
            if name != our_name {
                differs.push(format!("{}: section [{name}] is [{our_name}] here", file.display()));
            }
            for our in ours {
                if theirs.contains(our) {
                    same += 1;
                } else if let Some(their) = theirs.iter().find(|their| their.0 == our.0) {
                    differs.push(format!("{}: {our:?}, fio {their:?}", file.display()));
                } else {
                    *unseen.entry(our.0.clone()).or_insert(0) += 1;
                }
            }
        }
    }
    println!(
        "{} files: {same} settings read the same, {} otherwise\nof the table, not in this fio: {unseen:?}\n\
         not in the table: {unknown_here:?}",
        files.len(),
        differs.len(),
    );
    assert!(differs.is_empty(), "{}", differs.join("\n"));
    assert!(files.is_empty() || same > 0, "fio's account was not understood");
}

/// Whether a pattern is to be read from a file that isn't there.
fn names_a_missing_file(plan: &Plan) -> bool {
    let patterns = plan.jobs.iter().flat_map(|job| {
        job.buffer_pattern.iter().chain(job.verify.iter().flat_map(|verify| &verify.pattern))
    });
    let mut files = patterns.filter_map(|part| match part {
        PatternPart::File(name) => Some(Path::new(name)),
        PatternPart::Bytes(_) | PatternPart::Offset => None,
    });
    files.any(|file| !file.exists())
}

#[test]
fn what_resolves_here_is_what_fio_accepts() {
    let Some(fio) = fio() else { return };
    let (mut taken, mut refused, mut misread, mut both_reject) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let files = job_files();
    for file in &files {
        let name = file.to_string_lossy().into_owned();
        let out = Command::new(&fio)
            .args(["--parse-only", "--showcmd", &name])
            .output()
            .expect("fio runs");
        // An older fio doesn't have every option of newer examples.
        let older = String::from_utf8_lossy(&out.stderr).contains("Bad option");
        let status = out.status;
        match read(&[&name], &[], &OnDisk, &MACHINE) {
            Ok(_) if status.success() => taken += 1,
            Ok(plan) if !status.success() && names_a_missing_file(&plan) => {
                println!("{name}: fio reads the file that a pattern names, and it is not there");
            }
            Ok(_) if older => println!("{name}: this fio lacks an option of it"),
            Ok(_) => wrong.push(format!("{name}: fio rejects what we take")),
            Err(problems) => {
                let of = |cause: Cause| problems.0.iter().any(|problem| problem.cause == cause);
                for problem in &problems.0 {
                    let key = problem.option.clone().unwrap_or_else(|| problem.reason.clone());
                    *reasons.entry(format!("{:?} {key}", problem.cause)).or_insert(0) += 1;
                }
                if of(Cause::Refused) || of(Cause::Unknown) {
                    refused += 1;
                } else if of(Cause::Misread) {
                    misread += 1;
                    println!("{problems}");
                } else if !status.success() {
                    both_reject += 1;
                } else {
                    wrong.push(format!("{name}: fio takes what we reject: {problems}"));
                }
            }
        }
    }
    println!(
        "{} files: {taken} taken by both, {refused} with an option that narrows refuses, {misread} \
         stopped for a misreading, {both_reject} rejected by both\n{reasons:#?}",
        files.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Values that fio misreads, and others, each asked of fio itself.
#[test]
fn odd_values_are_read_as_fio_reads_them() {
    let Some(fio) = fio() else { return };
    let values = [
        "4k",
        "4K",
        "4kb",
        "4ki",
        "4kib",
        "4KiB",
        "1.5m",
        "0x10",
        "0x10k",
        "0X1f",
        "16x",
        "10x",
        "5e",
        "50%",
        "150%",
        "-1",
        "-4k",
        "+7",
        "4k-16k",
        "4k:8k",
        "4k,8k",
        "4k,8k,16k",
        ",8k",
        "8k,",
        "8k,32k,",
        "4k,abc",
        "abc",
        "2*8k",
        "1 m",
        " 2k",
        "  16",
        "4klingons",
        "1t",
        "1p",
        "1e3",
        "1_000",
        "1,000",
        "9223372036854775807",
        "9223372036854775806",
        "99999999999999999999",
        "4kk",
        "k",
        "4k/8k",
        "5g",
        "00010",
        "4z",
        "4-",
        "1m30s",
        "2sec",
        "1min",
        "5ms",
        "5msec",
        "5us",
        "5usec",
        "1m",
        "1h",
        "1d",
        "1.5s",
        "10S",
        "1M",
        "1 s",
        "1week",
        "0x10s",
    ];
    let (mut same, mut differs) = (0, Vec::new());
    for option in ["bs", "size", "iodepth", "runtime", "thinktime", "startdelay", "rate", "loops"] {
        for (value, theirs, ours) in asked(&fio, option, &values) {
            // How far fio goes on after a part that it rejects has changed over its versions.
            let read = theirs.is_empty() == ours.is_empty();
            if read && theirs.iter().zip(&ours).all(|(a, b)| a == b) {
                same += 1;
            } else {
                differs.push(format!("{option}={value}: fio {theirs:?}, ours {ours:?}"));
            }
        }
    }
    println!("{same} odd values read the same");
    assert!(differs.is_empty(), "{}", differs.join("\n"));
}

/// What fio and we make of values of one option. fio reads on after a value that it rejects.
fn asked(fio: &str, option: &str, values: &[&str]) -> Vec<(String, Integers, Integers)> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("odd.fio");
    let lines: Vec<String> = values.iter().map(|value| format!("{option}={value}\n")).collect();
    std::fs::write(&file, format!("[a]\n{}", lines.concat())).expect("written");
    let theirs = of_fio(fio, &file);
    let (ours, _) = of_ours(&file, &MACHINE).expect("a job file");
    let of = |readings: &Readings, value: &str| {
        let reading = readings[0].1.iter().find(|reading| reading.1 == value);
        reading.unwrap_or_else(|| panic!("{option}={value} was not read")).2.clone()
    };
    let one = |value: &&str| (value.to_string(), of(&theirs, value), of(&ours, value));
    values.iter().map(one).collect()
}

/// Only where fio was built with its expression parser, which distributions often leave out.
#[test]
fn expressions_are_read_as_fio_reads_them() {
    let Some(fio) = fio() else { return };
    if asked(&fio, "size", &["(1+1)"])[0].1 != [Some(2)] {
        println!("SKIPPED: this fio was built without arithmetic");
        return;
    }
    let values = [
        "(1024*4)",
        "(2*1024k)",
        "(1+4k)",
        "((1+2)*3)",
        "(2^10)",
        "(0x10+1)",
        "(10-2-3)",
        "(17%5)",
        "(2*7%4)",
        "(2^3k)",
        "(1.5k)",
        "(5000000000)",
        "(2^40)",
        "(10/4*4)",
        "(1k)k",
        "(1+1)m",
        "(4kib)",
        "(1m)",
        "(1g)",
        "(3)",
        "(1.9)",
        "(2*1.5)",
        "(1/0)",
        "(7%0)",
        "(",
        "(1",
        "(4q)",
        "(1 2)",
        "(2^-1)",
        "(7-9)",
        "(500ms)",
        "(2s)",
        "(1h)",
        "(1d)",
        "(2^2^3)",
        "(2+3*4)",
        "(20/3)",
        "(5.5%2)",
        "(1us)",
        "(0.5s)",
    ];
    let mut differs = Vec::new();
    for option in ["size", "bs", "iodepth", "runtime", "thinktime"] {
        for (value, theirs, ours) in asked(&fio, option, &values) {
            // A `-` inside takes the value apart as well; the first part is the whole expression.
            if theirs[..1] != ours[..1] {
                differs.push(format!("{option}={value}: fio {theirs:?}, ours {ours:?}"));
            }
        }
    }
    assert!(differs.is_empty(), "{}", differs.join("\n"));
}

/// Each option that the table calls the same, with values of every shape: what passes here passes in fio too.
#[test]
fn what_is_accepted_here_fio_accepts() {
    let Some(fio) = fio() else { return };
    let values = [
        "0",
        "1",
        "2",
        "10",
        "64",
        "4k",
        "1m",
        "8k,16k",
        ",8k",
        "8k,",
        "20%",
        "4k-8k",
        "4k/50:8k/",
        "4k/25:8k/75",
        "5s",
        "100ms",
        "2m",
        "none",
        "dsync",
        "keep",
        "randrw",
        "write:4k",
        "zipf:0.9",
        "pareto:0.3",
        "zoned:60/20:40/",
        "50:99.9",
        "shared",
        "lfsr",
        "posix",
        "group",
        "poisson",
        "mixed",
        "malloc",
        "max",
        "1000",
        "text",
        "0,1",
    ];
    let accepted = |setting: &str| common::job(setting).is_ok();
    let whole = |option: &options::FioOption, value: &str| {
        // Sizes that a file of 1 GiB has room for, and two of the settings that others need.
        let engine = option.engines.first().copied().unwrap_or("null");
        let engine = if option.name == "ioengine" { "" } else { &format!("ioengine={engine}\n") };
        format!("size=1g\n{engine}{}={value}\n", option.name)
    };
    let mut text = String::new();
    let mut lines = Vec::new();
    for option in options::all() {
        // These depend on what the machine has, or on fio's version.
        let elsewhere = [
            "directory",
            "cpus_allowed",
            "clocksource",
            "gtod_cpu",
            "readonly",
            "filename",
            "priohint",
        ];
        // What has no effect here is not held to fio's limits.
        if option.class != options::Class::Same || elsewhere.contains(&option.name) {
            continue;
        }
        for value in values.iter().filter(|value| accepted(&whole(option, value))) {
            lines.push(format!("{}={value}", option.name));
            text += &format!("[{}]\n{}", lines.len() - 1, whole(option, value));
        }
    }
    assert!(lines.len() > 150, "{} settings are too few to say anything", lines.len());
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("accepted.fio");
    let (mut rejected, mut from) = (Vec::new(), 0);
    // fio stops at what it rejects; go on behind it.
    while from < lines.len() {
        let start = text.find(&format!("[{from}]\n")).expect("the section");
        std::fs::write(&file, &text[start..]).expect("written");
        let out = Command::new(&fio).arg("--parse-only").arg(&file).output().expect("fio runs");
        if out.status.success() {
            break;
        }
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        let dropped = said.split("fio: job ").nth(1).and_then(|rest| rest.split(' ').next());
        let dropped = dropped.and_then(|number| number.parse::<usize>().ok());
        let Some(dropped) = dropped else { panic!("{said}") };
        if !said.contains("Bad option") {
            rejected.push(format!("{}: {}", lines[dropped], said.lines().next().unwrap_or("")));
        }
        from = dropped + 1;
    }
    println!("{} settings accepted here, {} rejected by fio", lines.len(), rejected.len());
    assert!(rejected.is_empty(), "{}", rejected.join("\n"));
}
