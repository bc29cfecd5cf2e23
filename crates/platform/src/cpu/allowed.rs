//! Which processors and nodes this process may use: its affinity and its cpuset.
//!
//! On the live machine the kernel answers. In a copy the answer is in `/proc/self/status`, or else in the files of the
//! cpuset that `/proc/self/cpuset` names (cpuset(7)), wherever it is mounted.

use narrows_facts::{Source, parse_cpu_list};
use narrows_model::IdSet;

/// Those of the on-line threads that may be used; all, where nothing says otherwise.
pub(super) fn cpus(source: &dyn Source, online: &[u32]) -> Vec<u32> {
    let mut allowed = source.affinity();
    if allowed.is_empty() {
        let list = status(source, "Cpus_allowed_list:").or_else(|| cpuset(source, "cpus"));
        allowed = list.map_or_else(|| online.to_vec(), |list| parse_cpu_list(&list));
    }
    // Where nothing says which are on-line, the kernel's own answer stands: it has only such.
    allowed.retain(|cpu| online.is_empty() || online.binary_search(cpu).is_ok());
    allowed
}

/// Nodes whose memory may be used; empty where nothing says so.
pub(crate) fn nodes(source: &dyn Source) -> IdSet {
    let list = status(source, "Mems_allowed_list:").or_else(|| cpuset(source, "mems"));
    list.map(|list| parse_cpu_list(&list).into_iter().collect()).unwrap_or_default()
}

fn status(source: &dyn Source, name: &str) -> Option<String> {
    let text = source.text("/proc/self/status")?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim().to_string()).filter(|list| !list.is_empty())
}

/// A file of the process's cpuset; the set of a group that has none of its own is that of the group above.
fn cpuset(source: &dyn Source, name: &str) -> Option<String> {
    let group = source.text("/proc/self/cpuset")?;
    let mounts = source.text("/proc/self/mounts").or_else(|| source.text("/proc/mounts"))?;
    mounts.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (point, kind, options) = (words.next()?, words.next()?, words.next()?);
        let has = |wanted: &str| options.split(',').any(|option| option == wanted);
        let file = match kind {
            "cgroup2" => format!("cpuset.{name}.effective"),
            "cgroup" if has("cpuset") && has("noprefix") => name.to_string(),
            "cgroup" if has("cpuset") => format!("cpuset.{name}"),
            "cpuset" => name.to_string(),
            _ => return None,
        };
        let folders = std::iter::successors(Some(group.trim_end_matches('/')), |group| {
            group.rfind('/').map(|end| &group[..end])
        });
        let mut files = folders.map(|folder| format!("{point}{folder}/{file}"));
        files.find_map(|path| source.text(&path))
    })
}

#[cfg(test)]
mod tests {
    use std::io;

    use narrows_facts::Call;

    use super::*;

    /// A machine without `/proc` and `/sys`, whose kernel answers.
    struct Bare;

    impl Source for Bare {
        fn read(&self, _: &str) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn list(&self, _: &str) -> io::Result<Vec<String>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn link(&self, _: &str) -> io::Result<String> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn real_path(&self, _: &str) -> io::Result<String> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn exists(&self, _: &str) -> bool {
            false
        }

        fn call(&self, call: Call, _: &str) -> io::Result<String> {
            if call == Call::Affinity {
                Ok("0,3".into())
            } else {
                Err(io::ErrorKind::NotFound.into())
            }
        }

        fn is_live(&self) -> bool {
            false
        }
    }

    #[test]
    fn where_no_file_tells_what_is_on_line_the_kernels_answer_stands() {
        assert_eq!(cpus(&Bare, &[]), [0, 3]);
        assert_eq!(cpus(&Bare, &[0, 1, 2]), [0]);
    }
}
