//! Jobs of a text, for tests: no files are read but that text, and no variables.

use narrows_fio::{Job, Loader, Machine, Plan};

struct OneText<'a>(&'a str);

impl Loader for OneText<'_> {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        Ok((path == "f").then(|| self.0.to_string()))
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

/// What a job file `f` of that text asks for, on a machine of two CPUs and 1 GiB.
///
/// # Errors
/// What `narrows-fio` refuses, as it says it.
pub fn plan(text: &str) -> Result<Plan, String> {
    let machine = Machine { page_size_bytes: 4096, memory_mib: 1024, cpus: 2 };
    narrows_fio::read(&["f"], &[], &OneText(text), &machine).map_err(|all| all.to_string())
}

/// Its jobs.
pub fn jobs(text: &str) -> Vec<Job> {
    plan(text).unwrap_or_else(|why| panic!("{text}: {why}")).jobs
}
