//! Stored runs of every command, rendered in every format. Text and Markdown are recorded as they are; of what is long (CSV, JSON,
//! the page) the length and the CRC-32, and what was rendered lies in `target/golden` to be compared with that of another state.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Crc;
use flate2::read::GzDecoder;

use super::{Differences, folder};
use crate::common::program;

/// What `narrows report` prints of a stored run.
fn report(run: &Path, args: &[&str]) -> String {
    let output = Command::new(program()).arg("report").arg(run).args(args).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{} {args:?}: {error}", run.display());
    String::from_utf8(output.stdout).unwrap()
}

/// The stored runs by name, in order.
pub(super) fn stored_runs() -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder().join("runs")).unwrap().flatten();
    let mut runs: Vec<_> = entries
        .map(|entry| entry.path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            (name.strip_suffix(".narrows.json.gz").expect("a packed run").to_string(), path)
        })
        .collect();
    runs.sort();
    runs
}

#[test]
fn every_format_of_every_stored_run_is_as_recorded() {
    let unpacked = tempfile::tempdir().unwrap();
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden");
    fs::create_dir_all(&kept).unwrap();
    let runs = stored_runs();
    assert!(runs.len() >= 12, "{} stored runs", runs.len());
    let mut differences = Differences::default();
    let mut sums = String::new();
    for (name, packed) in runs {
        let mut json = String::new();
        GzDecoder::new(fs::File::open(packed).unwrap()).read_to_string(&mut json).unwrap();
        let run = unpacked.path().join("run.narrows.json");
        fs::write(&run, json).unwrap();
        let text = report(&run, &["--format", "text"]);
        let rejudged = report(&run, &["--format", "text", "--rejudge"]);
        let rejudged = if rejudged == text { "as stored\n" } else { &rejudged };
        differences.compare(&format!("reports/{name}.rejudged.txt"), rejudged);
        differences.compare(&format!("reports/{name}.txt"), &text);
        let markdown = report(&run, &["--format", "markdown"]);
        differences.compare(&format!("reports/{name}.md"), &markdown);
        if ["memory", "run"].contains(&name.as_str()) {
            let iec = report(&run, &["--format", "text", "--units", "iec"]);
            differences.compare(&format!("reports/{name}.iec.txt"), &iec);
        }
        for format in ["csv", "json", "html"] {
            let text = report(&run, &["--format", format]);
            let mut crc = Crc::new();
            crc.update(text.as_bytes());
            let _ =
                writeln!(sums, "{name}.{format} {} bytes, CRC-32 {:08x}", text.len(), crc.sum());
            fs::write(kept.join(format!("{name}.{format}")), text).unwrap();
        }
    }
    differences.compare("reports/sums.txt", &sums);
    differences.assert_none();
}
