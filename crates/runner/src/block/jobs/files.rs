//! The files of a run while it runs: opened or made when the first stage needs them, let go after the last one.
//!
//! A file of ours lies in a scratch folder in the nearest folder that is there, so that it is on the file system that the
//! job named, and goes with the value.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::{Context, Scratch};
use narrows_files::{Access, create_new};
use narrows_io::{Target, TestFile};
use narrows_layer_block::{Region, prepare_with};
use narrows_raw::{Consent, WritableDevice, open_for_writing};

use super::targets::{TargetState, Targets, Wanted};
use crate::session::scratch;

/// Open files. Those of ours go before their folders do.
#[derive(Default)]
pub struct Files {
    open: BTreeMap<PathBuf, Region>,
    made: BTreeMap<PathBuf, TestFile>,
    held: Option<WritableDevice>,
    scratches: BTreeMap<PathBuf, Scratch>,
}

impl Files {
    /// Opens or makes what `stage` needs.
    ///
    /// # Errors
    /// What opening or writing gave; nothing is left behind.
    pub fn ready(
        &mut self,
        ctx: &Context<'_>,
        id: &str,
        targets: &Targets,
        paths: impl Iterator<Item = PathBuf>,
        consent: Option<&Consent>,
    ) -> Result<()> {
        for path in paths {
            if self.open.contains_key(&path) {
                continue;
            }
            let Some(wanted) = targets.get(&path) else { continue };
            let region = self.one(ctx, id, &path, wanted, consent)?;
            self.open.insert(path, region);
        }
        Ok(())
    }

    fn one(
        &mut self,
        ctx: &Context<'_>,
        id: &str,
        path: &Path,
        wanted: &Wanted,
        consent: Option<&Consent>,
    ) -> Result<Region> {
        Ok(match &wanted.found {
            TargetState::File { .. } => Region::from(Target::open_read(path, true)?),
            TargetState::Device { consented: true, .. } => {
                let consent = consent.expect("only a consent makes a device consented");
                let held = open_for_writing(consent, false)?;
                let target = Target::open_write_held(&held.path(), true)?;
                self.held = Some(held);
                Region::from(target)
            }
            TargetState::Device { .. } => Region::from(Target::open_read(path, true)?),
            TargetState::Remote(namespace) => Region::from(namespace.target()?),
            TargetState::Nothing { folder } => {
                let dir = self.folder(folder, id)?;
                if wanted.hollow {
                    let path = dir.join(format!("hollow-{}", self.open.len()));
                    create_new(&path, Access::Write, 0o600)?.set_len(wanted.bytes)?;
                    Region::from(Target::open_write_exclusive(&path, false)?)
                } else {
                    let seed = ctx.seed ^ ((self.open.len() as u64 + 1) << 48);
                    let file = prepare_with(ctx, &dir, wanted.bytes, seed, wanted.entropy)?;
                    let region = Region::of(&file);
                    self.made.insert(path.to_path_buf(), file);
                    region
                }
            }
        })
    }

    fn folder(&mut self, folder: &Path, id: &str) -> Result<PathBuf> {
        if !self.scratches.contains_key(folder) {
            self.scratches.insert(folder.to_path_buf(), scratch(folder, id)?);
        }
        Ok(self.scratches[folder].path().to_path_buf())
    }

    /// The whole of an open file.
    pub fn region(&self, path: &Path) -> Option<&Region> {
        self.open.get(path)
    }

    /// Lets go what no stage after `stage` needs.
    pub fn done(&mut self, stage: usize, targets: &Targets) {
        let needed =
            |path: &PathBuf| targets.get(path).is_some_and(|wanted| wanted.stages.1 > stage);
        self.open.retain(|path, _| needed(path));
        self.made.retain(|path, _| needed(path));
    }
}
