//! Files and variables for tests, and fio where there is one.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use narrows_fio::{Loader, Machine, Plan, Problems, read};

/// Texts by name, variables by name.
#[derive(Default)]
pub struct InMemory {
    pub files: BTreeMap<String, String>,
    pub variables: BTreeMap<String, String>,
}

impl Loader for InMemory {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        Ok(self.files.get(path).cloned())
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }
}

/// The files of this machine, without variables.
pub struct OnDisk;

impl Loader for OnDisk {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        if !Path::new(path).exists() {
            return Ok(None);
        }
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

pub const MACHINE: Machine = Machine { page_size_bytes: 4096, memory_mib: 8192, cpus: 8 };

/// Reads one text.
pub fn plan(text: &str) -> Result<Plan, Problems> {
    let files = BTreeMap::from([("f".to_string(), text.to_string())]);
    read(&["f"], &[], &InMemory { files, ..InMemory::default() }, &MACHINE)
}

/// Reads the settings of one job.
pub fn job(settings: &str) -> Result<Plan, Problems> {
    plan(&format!("[job]\n{settings}\n"))
}

/// fio's name: `NARROWS_FIO`, or `fio` if it can be run; else `None`, said loudly.
pub fn fio() -> Option<String> {
    let name = std::env::var("NARROWS_FIO").unwrap_or_else(|_| "fio".into());
    let runs = Command::new(&name).arg("--version").output().is_ok_and(|out| out.status.success());
    if !runs {
        println!("SKIPPED: no fio to compare with ({name} doesn't run)");
    }
    runs.then_some(name)
}
