//! A job file of fio's.

use narrows_fio::{Loader, Machine, read};

use super::text;
use crate::property;

const MACHINE: Machine = Machine { page_size_bytes: 4096, memory_mib: 8192, cpus: 8 };
const FILE: &str = "f.fio";

/// The file itself, which may include itself; variables that hold more of the grammar.
struct One(String);

impl Loader for One {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        Ok((path == FILE || path == "other").then(|| self.0.clone()))
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| "$pagesize;[x]\n#".to_string())
    }
}

/// Reads it; every setting of an accepted file is accounted for.
pub fn check(data: &[u8]) {
    match read(&[FILE], &[], &One(text(data).into_owned()), &MACHINE) {
        Ok(plan) => {
            let written: usize = plan.jobs.iter().map(|job| job.written.len()).sum();
            assert!(plan.notes.len() >= written + plan.global_options.len(), "a setting is lost");
        }
        Err(problems) => {
            assert!(!problems.0.is_empty(), "stopped without a reason");
            for problem in &problems.0 {
                assert!(!problem.reason.is_empty(), "{problem:?}");
            }
            property::told(&problems.to_string(), "");
        }
    }
}
