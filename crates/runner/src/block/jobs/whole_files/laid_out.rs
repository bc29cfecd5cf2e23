//! The files of a stage while it runs: made before it in folders of ours, removed after it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use narrows_engine::{Context, Phase, Scratch};
use narrows_files::{Dir, Names};
use narrows_io::{Pattern, SECTOR};
use narrows_model::Layer;

use super::FileSet;
use crate::failure::Failure;

/// How often it is told how far the layout is.
const TOLD: usize = 20;
/// Of what files hold, beside the run's seed.
const CONTENTS: u64 = 0x0066_11e5;

/// The files of a stage while it runs.
#[derive(Default)]
pub struct LaidOut {
    /// By the folder that jobs name: in which folder of ours, and its name there.
    folders: BTreeMap<PathBuf, (Dir, PathBuf, OsString)>,
    /// By the first of them.
    names: BTreeMap<PathBuf, Arc<Names>>,
    made: usize,
}

impl LaidOut {
    /// Lays out the files of a set, in a folder below `scratch`.
    ///
    /// # Errors
    /// What the system said, or that it was asked to stop.
    pub fn lay_out(&mut self, ctx: &Context<'_>, scratch: &Scratch, set: &FileSet) -> Result<()> {
        let fail = |error: std::io::Error| {
            Failure::hinted(
                format!("cannot make the files of a job in {}: {error}", scratch.path().display()),
                "df -h and df -i show what the file system has left; or name another folder with --at",
            )
        };
        if !self.folders.contains_key(&set.named) {
            let name = OsString::from(format!("files-{}", self.made));
            self.made += 1;
            let dir = scratch.dir().create_dir(&name, 0o700).map_err(fail)?;
            let place = (dir, set.folder.clone(), name);
            self.folders.insert(set.named.clone(), place);
        }
        let (dir, ..) = &self.folders[&set.named];
        let dir = dir.try_clone().map_err(fail)?;
        let names = Names::new(dir, set.names.iter().map(String::as_str)).map_err(fail)?;
        if set.is_laid_out() {
            // Patterns are made of whole sectors.
            let place = set.bytes.next_multiple_of(SECTOR as u64);
            let mut contents = vec![0; if set.holds_data() { place as usize } else { 0 }];
            let pattern = Pattern::new(ctx.seed ^ CONTENTS);
            let step = names.count().div_ceil(TOLD).max(1);
            for number in 0..names.count() {
                if number % step == 0 {
                    ctx.progress.phase(Layer::Block, Phase::Fill, &told(number, set));
                }
                ctx.stop.check()?;
                if set.holds_data() {
                    pattern.fill(&mut contents, number as u64 * place, 1);
                    names.write_file(number, &contents[..set.bytes as usize]).map_err(fail)?;
                } else {
                    names.create_dir(number).map_err(fail)?;
                }
            }
        }
        self.names.insert(set.first(), Arc::new(names));
        Ok(())
    }

    /// The names of a set that was laid out.
    pub fn names(&self, set: &FileSet) -> Option<Arc<Names>> {
        self.names.get(&set.first()).cloned()
    }

    /// Removes all that is left of them. What can't be removed goes with the scratch folder, or that says why not.
    pub fn remove(&mut self, ctx: &Context<'_>, scratches: &BTreeMap<PathBuf, Scratch>) {
        self.names.clear();
        for (named, (_, scratch, name)) in std::mem::take(&mut self.folders) {
            let detail = format!("files of {}", named.display());
            ctx.progress.phase(Layer::Block, Phase::CleanUp, &detail);
            if let Some(scratch) = scratches.get(&scratch) {
                let _ = scratch.dir().remove_tree(&name);
            }
        }
    }
}

fn told(number: usize, set: &FileSet) -> String {
    format!("{number} of {} files of {}", set.names.len(), set.named.display())
}
