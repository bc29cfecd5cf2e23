//! The dependency rule: which crate may know which, and which touch nothing.
//!
//! The table is the rule; `cargo metadata` says what is so. A crate that is in neither place fails, so that a new one
//! has to be given its place.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// A crate of ours and what of ours it may depend on, in the order in which they may know each other.
pub const MAY_KNOW: &[(&str, &[&str])] = &[
    ("narrows-units", &[]),
    ("narrows-model", &["narrows-units"]),
    ("narrows-stats", &["narrows-units", "narrows-model"]),
    ("narrows-limits", JUDGING),
    // A platform on paper; the only one that judges by another's ceilings.
    ("narrows-plan", &["narrows-units", "narrows-limits"]),
    // What that platform costs.
    ("narrows-cost", &["narrows-units", "narrows-stats", "narrows-limits", "narrows-plan"]),
    ("narrows-validity", JUDGING),
    ("narrows-verdict", JUDGING),
    // From the narrow resource of an observed server to who takes it.
    ("narrows-causes", JUDGING),
    // What a tier in front of storage would give: a stored run's verdict, by the law and on the sheet of the two on paper.
    (
        "narrows-tier-forecast",
        &[
            "narrows-units",
            "narrows-model",
            "narrows-stats",
            "narrows-plan",
            "narrows-cost",
            "narrows-verdict",
        ],
    ),
    // All rules in their order; who judges a whole run asks here.
    (
        "narrows-judge",
        &[
            "narrows-model",
            "narrows-limits",
            "narrows-validity",
            "narrows-verdict",
            "narrows-causes",
        ],
    ),
    // Runs beside runs.
    ("narrows-compare", JUDGING),
    // Results of other tools as measurements.
    ("narrows-import", &["narrows-units", "narrows-model"]),
    // Writing, and reading what others wrote; the one place for both.
    ("narrows-files", &[]),
    ("narrows-facts", &["narrows-units"]),
    // What discovery read, in one file; it doesn't know what was looked for.
    ("narrows-capture", &["narrows-units", "narrows-model", "narrows-facts"]),
    ("narrows-platform", &["narrows-units", "narrows-model", "narrows-facts"]),
    // Facts about one device, and who uses it; what may write to it goes through here.
    ("narrows-raw", &["narrows-units", "narrows-facts", "narrows-platform"]),
    ("narrows-observe", &["narrows-units", "narrows-model", "narrows-facts"]),
    ("narrows-engine", &["narrows-units", "narrows-model", "narrows-stats", "narrows-files"]),
    ("narrows-io", &["narrows-units", "narrows-files", "narrows-facts"]),
    // Cryptography and certificates; it knows PostgreSQL's parameters and no more of it.
    ("narrows-tls", &["narrows-units", "narrows-files"]),
    ("narrows-bundle", &["narrows-units", "narrows-files", "narrows-tls"]),
    ("narrows-fio", &["narrows-units", "narrows-model", "narrows-stats"]),
    // A server of our own as a process, of whatever kind.
    ("narrows-server", &["narrows-units", "narrows-files", "narrows-facts", "narrows-engine"]),
    ("narrows-layer-clock", LAYER),
    ("narrows-layer-memory", LAYER),
    ("narrows-layer-block", LAYER),
    ("narrows-layer-wal", LAYER),
    // The load engine; what a server is and in which language it is asked, a kind says.
    ("narrows-layer-database", LAYER),
    // A kind of server: as a client and as an owner sees it, and its part of a load. The only one that may fetch one.
    ("narrows-postgres", KIND),
    // The second kind: what shows that the layer knows none.
    ("narrows-mariadb", KIND),
    (
        "narrows-report",
        &[
            "narrows-units",
            "narrows-model",
            "narrows-stats",
            "narrows-limits",
            "narrows-plan",
            "narrows-cost",
            "narrows-validity",
            "narrows-verdict",
            "narrows-compare",
            "narrows-tier-forecast",
        ],
    ),
    (
        "narrows-sim",
        &[
            "narrows-units",
            "narrows-model",
            "narrows-stats",
            "narrows-engine",
            "narrows-limits",
            "narrows-validity",
            "narrows-verdict",
            "narrows-judge",
        ],
    ),
    // Writes rows to PostgreSQL as well as records to files.
    (
        "narrows-crashtest",
        &[
            "narrows-units",
            "narrows-model",
            "narrows-files",
            "narrows-facts",
            "narrows-platform",
            "narrows-engine",
            "narrows-postgres",
        ],
    ),
    // Every command's work: it knows whatever is measured with, and neither how it is told nor what was typed.
    ("narrows-runner", RUNNER),
    // For tests; the tool must not know it.
    ("narrows-lab-drive", &["narrows-initiator"]),
    // What host and controller say to each other over TCP; neither sockets nor storage.
    ("narrows-nvme", &[]),
    // The same, encrypted; neither sockets nor files.
    ("narrows-nvme-tls", &["narrows-nvme"]),
    // The log in front of a slower store; it decides and does no I/O.
    ("narrows-log-tier", &[]),
    // What a read cache decides, without memory of its own: neither sockets nor storage, and no lock.
    ("narrows-read-cache", &[]),
    // A way to what is no file of this machine.
    ("narrows-initiator", &["narrows-files", "narrows-io", "narrows-nvme", "narrows-nvme-tls"]),
    // Where the time of an operation over a fabric goes; the only layer that asks a target itself.
    (
        "narrows-layer-fabric",
        &[
            "narrows-units",
            "narrows-model",
            "narrows-facts",
            "narrows-observe",
            "narrows-engine",
            "narrows-io",
            "narrows-nvme",
            "narrows-initiator",
        ],
    ),
    // A program of its own: nobody lets a block server into a tool that measures, so nothing of the tool may know it.
    (
        "narrows-target",
        &[
            "narrows-units",
            "narrows-files",
            "narrows-facts",
            "narrows-raw",
            "narrows-io",
            "narrows-nvme",
            "narrows-nvme-tls",
            "narrows-read-cache",
            "narrows-log-tier",
            // Memory of other machines as a log.
            "narrows-initiator",
        ],
    ),
    // Arguments, progress, printing.
    (
        "narrows",
        &[
            "narrows-units",
            "narrows-model",
            "narrows-limits",
            "narrows-plan",
            "narrows-cost",
            "narrows-tier-forecast",
            "narrows-judge",
            "narrows-compare",
            "narrows-files",
            "narrows-report",
            "narrows-runner",
        ],
    ),
    ("xtask", EVERYTHING),
    // On request, beside other programs.
    ("narrows-tools", EVERYTHING),
    ("narrows-fuzz", EVERYTHING),
];

/// Workspaces of their own, by their manifests: what an ordinary build doesn't compile.
pub const APART: [&str; 2] = ["tools/Cargo.toml", "fuzz/Cargo.toml"];
/// Nothing of the product's workspace may know these, whatever else it may.
const KNOWN_BY_NONE: [&str; 2] = ["narrows-tools", "narrows-fuzz"];

/// What judges: data in, data out.
const JUDGING: &[&str] = &["narrows-units", "narrows-model", "narrows-stats"];

/// A layer knows no other layer: what runs beside what is put together from outside.
const LAYER: &[&str] = &[
    "narrows-units",
    "narrows-model",
    "narrows-stats",
    "narrows-files",
    "narrows-facts",
    "narrows-observe",
    "narrows-engine",
    "narrows-io",
];

/// A kind of server: what a layer knows, the layer whose traits it has, and what it connects and comes by.
const KIND: &[&str] = &[
    "narrows-units",
    "narrows-model",
    "narrows-stats",
    "narrows-files",
    "narrows-facts",
    "narrows-observe",
    "narrows-engine",
    "narrows-tls",
    "narrows-bundle",
    "narrows-server",
    "narrows-layer-database",
];

/// What measures, what judges, and nothing that tells.
const RUNNER: &[&str] = &[
    "narrows-units",
    "narrows-model",
    "narrows-stats",
    "narrows-plan",
    "narrows-cost",
    "narrows-verdict",
    "narrows-tier-forecast",
    "narrows-judge",
    "narrows-compare",
    "narrows-import",
    "narrows-files",
    "narrows-facts",
    "narrows-capture",
    "narrows-platform",
    "narrows-raw",
    "narrows-observe",
    "narrows-engine",
    "narrows-io",
    "narrows-initiator",
    "narrows-bundle",
    "narrows-fio",
    "narrows-layer-clock",
    "narrows-layer-memory",
    "narrows-layer-block",
    "narrows-layer-wal",
    "narrows-layer-database",
    "narrows-layer-fabric",
    "narrows-postgres",
    "narrows-mariadb",
    "narrows-crashtest",
];

/// Tools for those who work on it.
const EVERYTHING: &[&str] = &["*"];

/// Crates without clock, file, process, network or system call, and their folders.
pub const PURE: &[(&str, &str)] = &[
    ("narrows-units", "crates/units"),
    ("narrows-model", "crates/model"),
    ("narrows-stats", "crates/stats"),
    ("narrows-limits", "crates/limits"),
    ("narrows-plan", "crates/plan"),
    ("narrows-cost", "crates/cost"),
    ("narrows-validity", "crates/validity"),
    ("narrows-verdict", "crates/verdict"),
    ("narrows-causes", "crates/causes"),
    ("narrows-tier-forecast", "crates/tier-forecast"),
    ("narrows-judge", "crates/judge"),
    ("narrows-compare", "crates/compare"),
    ("narrows-import", "crates/import"),
    ("narrows-fio", "crates/fio"),
    ("narrows-nvme", "crates/nvme"),
    ("narrows-log-tier", "crates/log-tier"),
    ("narrows-read-cache", "crates/read-cache"),
];

/// What a pure crate doesn't say. Durations are data; reading a clock isn't.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "std::thread",
    "std::os",
    "Instant",
    "SystemTime",
    "libc",
];

/// What each of our crates depends on among our crates, tests and build scripts left out.
pub fn dependencies(root: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let mut packages = Vec::new();
    for manifest in ["Cargo.toml"].into_iter().chain(APART) {
        packages.extend(packages_of(&root.join(manifest))?);
    }
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_string();
    let ours: Vec<String> = packages.iter().map(name).collect();
    Ok(packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let normal = dependencies.filter(|d| d["kind"].is_null()).map(name);
            (name(package), normal.filter(|n| ours.contains(n)).collect())
        })
        .collect())
}

fn packages_of(manifest: &Path) -> Result<Vec<Value>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(manifest)
        .output()
        .context("cannot run cargo metadata")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout)?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => bail!("no packages in {}", manifest.display()),
    }
}

/// Sentences about whatever breaks the rule.
pub fn broken(dependencies: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut broken = Vec::new();
    for (name, knows) in dependencies {
        let Some((_, may)) = MAY_KNOW.iter().find(|(known, _)| known == name) else {
            broken.push(format!("{name} has no place in the table"));
            continue;
        };
        for other in knows {
            let lab = name == "narrows" && other == "narrows-lab-drive";
            let tool = KNOWN_BY_NONE.contains(&other.as_str());
            if lab || tool || (*may != EVERYTHING && !may.contains(&other.as_str())) {
                broken.push(format!("{name} must not know {other}"));
            }
        }
    }
    for (name, _) in MAY_KNOW {
        if !dependencies.contains_key(*name) {
            broken.push(format!("{name} is in the table and not in the workspace"));
        }
    }
    broken
}

/// Lines of a source that a pure crate doesn't have, comments left out, with their numbers.
pub fn impure_lines(source: &str) -> Vec<(usize, &str)> {
    source
        .lines()
        .enumerate()
        .filter(|(_, line)| {
            let code = line.split("//").next().unwrap_or_default();
            IMPURE.iter().any(|word| mentions(code, word))
        })
        .map(|(index, line)| (index + 1, line))
        .collect()
}

/// Whether `word` stands in `code` by itself and not inside a longer name.
fn mentions(code: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> BTreeMap<String, Vec<String>> {
        MAY_KNOW.iter().map(|(name, _)| (name.to_string(), Vec::new())).collect()
    }

    #[test]
    fn a_layer_that_knows_a_layer_is_found() {
        let mut workspace = workspace();
        assert_eq!(broken(&workspace), Vec::<String>::new());
        workspace.insert("narrows-layer-wal".into(), vec!["narrows-layer-block".into()]);
        assert_eq!(broken(&workspace), ["narrows-layer-wal must not know narrows-layer-block"]);
    }

    #[test]
    fn a_laboratory_in_the_tool_is_found() {
        let mut workspace = workspace();
        workspace.insert("narrows".into(), vec!["narrows-lab-drive".into()]);
        assert_eq!(broken(&workspace), ["narrows must not know narrows-lab-drive"]);
    }

    #[test]
    fn a_tool_in_what_every_build_compiles_is_found() {
        let mut workspace = workspace();
        workspace.insert("xtask".into(), vec!["narrows-tools".into(), "narrows-io".into()]);
        assert_eq!(broken(&workspace), ["xtask must not know narrows-tools"]);
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        let mut workspace = workspace();
        workspace.insert("narrows-new".into(), Vec::new());
        workspace.remove("narrows-io");
        assert_eq!(broken(&workspace).len(), 2);
    }

    #[test]
    fn impure_words_are_found_in_code_and_not_in_comments_or_names() {
        let source =
            "use std::fs::File;\n// std::fs is not used\nlet t = Instant::now();\nInstantaneous\n";
        let lines: Vec<usize> = impure_lines(source).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 3]);
    }
}
