//! Job files from the disk, with the environment and the machine's figures.

use std::path::Path;

use anyhow::{Result, anyhow};
use narrows_facts::{Live, Source};
use narrows_files::Refused;
use narrows_fio::{Loader, Machine, Plan, Problems, sections};

use crate::failure::Failure;
use crate::request::block::JobsRequest;

const NAME_FILES: &str = "name fio's job files, as narrows block run FILE.fio";
/// Bytes; a job takes some hundred.
const LONGEST_JOB_FILE: u64 = 16 << 20;

/// Files, and the variables that the user named.
struct OnDisk<'a> {
    variables: &'a [String],
}

impl Loader for OnDisk<'_> {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        match narrows_files::read(Path::new(path), LONGEST_JOB_FILE) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(Refused::System(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(refused) => Err(refused.to_string()),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn withholds(&self, name: &str) -> bool {
        !self.variables.iter().any(|asked| asked == name)
    }
}

/// Reads and resolves the files that were named.
///
/// # Errors
/// Every reason to stop, each with its line.
pub fn plan(request: &JobsRequest) -> Result<Plan> {
    let names: Vec<String> =
        request.files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    for name in &names {
        if Path::new(name).is_dir() {
            return Err(Failure::hinted(format!("{name} is a folder"), NAME_FILES));
        }
        // Of a file that can't be read no line is wrong.
        if let Err(refused) = narrows_files::open_plain(Path::new(name)) {
            let why = match refused {
                Refused::System(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    format!("there is no file {name}")
                }
                refused => format!("{name} cannot be read: {refused}"),
            };
            return Err(Failure::hinted(why, NAME_FILES));
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let only: Vec<&str> = request.section.iter().map(String::as_str).collect();
    let stops = |problems: Problems| anyhow!("the job file cannot be run:\n{problems}");
    let disk = OnDisk { variables: &request.env };
    let all = sections(&names, &[], &disk).map_err(stops)?;
    let jobs: Vec<&str> =
        all.iter().filter(|one| !one.is_global()).map(|one| one.name.as_str()).collect();
    if let Some(missing) = only.iter().find(|name| !jobs.contains(name)) {
        return Err(Failure::hinted(
            format!("--section {missing}: no job is called [{missing}]"),
            format!("the jobs are {}", jobs.join(", ")),
        ));
    }
    narrows_fio::read(&names, &only, &disk, &machine()).map_err(stops)
}

fn machine() -> Machine {
    let memory_kib = (&Live as &dyn Source).text("/proc/meminfo").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    });
    let cpus = (&Live as &dyn Source)
        .text("/sys/devices/system/cpu/possible")
        .map(|list| narrows_facts::parse_cpu_list(&list).len() as u64)
        .filter(|count| *count > 0)
        .or_else(|| std::thread::available_parallelism().ok().map(|count| count.get() as u64));
    Machine {
        page_size_bytes: page_bytes(),
        memory_mib: memory_kib.unwrap_or(0) / 1024,
        cpus: cpus.unwrap_or(1),
    }
}

/// From the kernel's note to this process (`AT_PAGESZ`, getauxval(3)): pairs of words.
fn page_bytes() -> u64 {
    const AT_PAGESZ: usize = 6;
    const WORD: usize = size_of::<usize>();
    let words = std::fs::read("/proc/self/auxv").unwrap_or_default();
    let word = |bytes: &[u8]| usize::from_ne_bytes(bytes.try_into().expect("as long as a word"));
    words
        .chunks_exact(2 * WORD)
        .find(|pair| word(&pair[..WORD]) == AT_PAGESZ)
        .map_or(4096, |pair| word(&pair[WORD..]) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_figures_are_plausible() {
        let machine = machine();
        assert!(machine.page_size_bytes.is_power_of_two() && machine.page_size_bytes >= 4096);
        assert!(machine.cpus >= 1 && machine.memory_mib > 0, "{machine:?}");
    }
}
