//! A machine in one text, so that discovery can be shown any: files and links by path, folders as they follow from these.
//!
//! A line `=/path` begins a file, whose bytes are all lines up to the next that begins so; `@/path target` is a link.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use narrows_facts::Source;

/// Links followed before a path counts as a circle, as in the kernel.
const LINKS_MOST: usize = 40;

enum Node {
    File(Vec<u8>),
    Link(String),
}

/// That machine.
#[derive(Default)]
pub struct Made {
    nodes: BTreeMap<String, Node>,
    folders: BTreeSet<String>,
}

impl Made {
    /// Reads the text; what comes before the first file is passed over.
    pub fn of(text: &[u8]) -> Made {
        let mut made = Made::default();
        let mut file: Option<(String, Vec<u8>)> = None;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let words = || String::from_utf8_lossy(&line[1..]).trim_end_matches('\n').to_string();
            match line {
                [b'=', b'/', ..] => {
                    made.keep(file.replace((words(), Vec::new())));
                }
                [b'@', b'/', ..] => {
                    made.keep(file.take());
                    let words = words();
                    let (path, target) = words.split_once(' ').unwrap_or((&words, ""));
                    made.put(path, Node::Link(target.to_string()));
                }
                _ => {
                    if let Some((_, bytes)) = &mut file {
                        bytes.extend_from_slice(line);
                    }
                }
            }
        }
        made.keep(file);
        made
    }

    /// Puts a file there, whatever was there before.
    pub fn file(&mut self, path: &str, bytes: &[u8]) {
        self.put(path, Node::File(bytes.to_vec()));
    }

    /// The paths of all files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let files = self.nodes.iter().filter(|(_, node)| matches!(node, Node::File(_)));
        files.map(|(path, _)| path.as_str())
    }

    fn keep(&mut self, file: Option<(String, Vec<u8>)>) {
        if let Some((path, bytes)) = file {
            self.put(&path, Node::File(bytes));
        }
    }

    fn put(&mut self, path: &str, node: Node) {
        let path = tidy(path);
        let mut above = path.as_str();
        while let Some((folder, _)) = above.rsplit_once('/') {
            if !self.folders.insert(folder.to_string()) {
                break;
            }
            above = folder;
        }
        self.nodes.insert(path, node);
    }

    /// The path without a link in it, or why there is none.
    fn resolved(&self, path: &str, last_too: bool) -> io::Result<String> {
        let mut left: Vec<String> = parts(path);
        left.reverse();
        let (mut at, mut links) = (String::new(), 0);
        while let Some(part) = left.pop() {
            if part == ".." {
                at.truncate(at.rfind('/').unwrap_or(0));
                continue;
            }
            let next = format!("{at}/{part}");
            match self.nodes.get(&next) {
                Some(Node::Link(target)) if last_too || !left.is_empty() => {
                    links += 1;
                    if links > LINKS_MOST {
                        return Err(io::Error::from_raw_os_error(40));
                    }
                    if target.starts_with('/') {
                        at.clear();
                    }
                    left.extend(parts(target).into_iter().rev());
                }
                Some(_) => at = next,
                None if self.folders.contains(&next) => at = next,
                None => return Err(io::ErrorKind::NotFound.into()),
            }
        }
        Ok(at)
    }
}

/// The names in a path that lead somewhere.
fn parts(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_string).collect()
}

fn tidy(path: &str) -> String {
    parts(path).iter().filter(|part| *part != "..").map(|part| format!("/{part}")).collect()
}

impl Source for Made {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.nodes.get(&self.resolved(path, true)?) {
            Some(Node::File(bytes)) => Ok(bytes.clone()),
            _ => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let folder = self.resolved(path, true)?;
        if !self.folders.contains(&folder) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let inside = format!("{folder}/");
        let below = |path: &String| {
            let name = path.strip_prefix(&inside)?;
            (!name.is_empty() && !name.contains('/')).then(|| name.to_string())
        };
        let from = inside.clone()..;
        let nodes = self.nodes.range(from.clone()).map(|(path, _)| path);
        let all = nodes.take_while(|path| path.starts_with(&inside)).filter_map(below);
        let folders = self.folders.range(from).take_while(|path| path.starts_with(&inside));
        let names: BTreeSet<String> = all.chain(folders.filter_map(below)).collect();
        Ok(names.into_iter().collect())
    }

    fn link(&self, path: &str) -> io::Result<String> {
        match self.nodes.get(&self.resolved(path, false)?) {
            Some(Node::Link(target)) => Ok(target.clone()),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn real_path(&self, path: &str) -> io::Result<String> {
        let path = self.resolved(path, true)?;
        Ok(if path.is_empty() { "/".to_string() } else { path })
    }

    fn exists(&self, path: &str) -> bool {
        self.resolved(path, true).is_ok()
    }

    fn is_live(&self) -> bool {
        false
    }
}
