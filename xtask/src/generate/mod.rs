//! Files that are made from the code and committed, so that they can be read without building anything.

mod casebook;
mod causes;
mod command;
mod exits;
mod findings;
mod fio;
mod limits;
mod man;
mod rules;
mod schema;
mod words;

use std::path::PathBuf;

use anyhow::{Context, Result};

pub use schema::run_schema;

/// A generated file.
pub struct Generated {
    /// Where, from the workspace's root.
    pub path: PathBuf,
    /// Its whole text.
    pub text: String,
}

impl Generated {
    /// That text there.
    pub fn new(path: impl Into<PathBuf>, text: String) -> Self {
        Generated { path: path.into(), text }
    }
}

const END: &str = "<!-- end -->\n";

fn between_markers(page: &str, source: &str, made: &str) -> Result<Generated> {
    between_markers_of(page, "docs", source, made)
}

/// A page of the book of which a part is made: the one between `<!-- begin: written by \`cargo xtask TASK\` from SOURCE -->` and its
/// end; the rest is written by hand.
///
/// # Errors
/// The page can't be read, or has no such part.
pub fn between_markers_of(page: &str, task: &str, source: &str, made: &str) -> Result<Generated> {
    let begin = format!("<!-- begin: written by `cargo xtask {task}` from {source} -->\n");
    let text =
        std::fs::read_to_string(crate::root().join(page)).with_context(|| page.to_string())?;
    let parts = text.split_once(&begin).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) = parts.with_context(|| format!("{page} has lost its markers"))?;
    Ok(Generated::new(page, format!("{before}{begin}\n{made}\n{END}{after}")))
}

/// All that is made of the product, as it should be.
pub fn all() -> Result<Vec<Generated>> {
    let mut files = vec![
        schema::file(),
        rules::file()?,
        fio::file()?,
        limits::file()?,
        casebook::file()?,
        exits::file()?,
        words::file()?,
        causes::file(),
    ];
    files.extend(findings::files()?);
    files.extend(command::files()?);
    Ok(files)
}

/// Writes those that differ.
pub fn write(files: &[Generated]) -> Result<()> {
    for file in files {
        let path = crate::root().join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        let folder = path.parent().context("a generated file has a folder")?;
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, &file.text))
            .with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("wrote {}", file.path.display());
    }
    Ok(())
}

/// Names of those that differ from what is on disk.
pub fn outdated(files: &[Generated]) -> Vec<String> {
    let differs = |file: &Generated| {
        std::fs::read_to_string(crate::root().join(&file.path)).ok().as_ref() != Some(&file.text)
    };
    files.iter().filter(|f| differs(f)).map(|f| f.path.display().to_string()).collect()
}
