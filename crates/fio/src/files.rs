//! Which files a job works on.
//!
//! fio collects: a `filename` in `[global]` and one in the job are both used, and so are two in one section. Nobody
//! expects that, so it stops (see [`crate::apply`]).

use crate::problem::Wrong;

/// fio's format where none is given.
pub(crate) const FORMAT: &str = "$jobname.$jobnum.$filenum";

/// The files of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// These, shared by all clones.
    Named(Vec<String>),
    /// Some for each clone, with names made from a format.
    Made {
        /// Folders, one per clone in turn; empty for the current one.
        directories: Vec<String>,
        /// With `$jobname`, `$jobnum` and `$filenum`.
        format: String,
        /// The section's name.
        section: String,
        /// How many for each clone.
        count: u32,
    },
}

impl Targets {
    /// The files of the clone of this number, from 0.
    pub fn of_clone(&self, clone: u32) -> Vec<String> {
        match self {
            Targets::Named(names) => names.clone(),
            Targets::Made { directories, format, section, count } => {
                let folder = match directories.len() {
                    0 => String::new(),
                    n => format!("{}/", directories[clone as usize % n]),
                };
                let name = |number: u32| {
                    let name = format
                        .replace("$jobname", section)
                        .replace("$jobnum", &clone.to_string())
                        .replace("$filenum", &number.to_string());
                    format!("{folder}{name}")
                };
                (0..*count).map(name).collect()
            }
        }
    }
}

/// Names with colons between them; `\:` is a colon of a name.
pub(crate) fn names(value: &str) -> Result<Vec<String>, Wrong> {
    let mut names = vec![String::new()];
    let mut chars = value.trim().chars().peekable();
    while let Some(c) = chars.next() {
        let name = names.last_mut().expect("there is always one");
        match c {
            '\\' if chars.peek() == Some(&':') => {
                chars.next();
                name.push(':');
            }
            ':' => names.push(String::new()),
            other => name.push(other),
        }
    }
    if names.iter().any(String::is_empty) {
        return Err(Wrong::misread(format!("`{value}` has an empty name, which fio skips"))
            .hint("`:` separates names; write `\\:` for a colon of a name"));
    }
    if names.iter().any(|name| name == "-") {
        return Err(Wrong::refused("standard input and output are no files to measure"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colons_separate_unless_escaped() {
        let of = |value| names(value).ok();
        assert_eq!(of("/a:/b"), Some(vec!["/a".to_string(), "/b".to_string()]));
        assert_eq!(of(r"/dev/by-path/pci-0000\:01"), Some(vec!["/dev/by-path/pci-0000:01".into()]));
        assert_eq!(of("/a:"), None);
        assert_eq!(of("-"), None);
    }

    #[test]
    fn made_names_follow_the_format_and_the_folders_take_turns() {
        let targets = Targets::Made {
            directories: vec!["/x".into(), "/y".into()],
            format: FORMAT.into(),
            section: "job".into(),
            count: 2,
        };
        assert_eq!(targets.of_clone(0), ["/x/job.0.0", "/x/job.0.1"]);
        assert_eq!(targets.of_clone(3), ["/y/job.3.0", "/y/job.3.1"]);
    }
}
