//! What the reader needs from outside: texts, variables, and three figures of the machine.

/// Gives the texts of files and the values of variables.
pub trait Loader {
    /// The text of a file; `None` if there is none of that name.
    ///
    /// # Errors
    /// A sentence, if it is there and can't be read.
    fn text(&self, path: &str) -> Result<Option<String>, String>;

    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;

    /// Whether job files may not have this variable. They are often somebody else's, and what they take from the environment
    /// goes into names, plans and results, which are handed on.
    fn withholds(&self, _name: &str) -> bool {
        false
    }
}

/// What `$pagesize`, `$mb_memory` and `$ncpus` stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of a page.
    pub page_size_bytes: u64,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Processors that the system has configured.
    pub cpus: u64,
}
