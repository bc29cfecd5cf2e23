//! The files of a run while it runs: opened or made when the first stage needs them, let go after the last one.
//!
//! A file of ours lies in a scratch folder in the nearest folder that is there, so that it is on the file system that the
//! job named, and goes with the value.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::{Context, Scratch};
use narrows_files::{Access as For, create_new};
use narrows_io::{Access, Target, TestFile};
use narrows_layer_block::{Region, Stream, prepare_with};
use narrows_raw::{Consent, WritableDevice, open_for_writing};
use narrows_units::Bytes;

use super::job_stream::JobStream;
use super::targets::{TargetState, Targets, Wanted};
use super::whole_files::{FileSet, LaidOut};
use crate::failure::Failure;
use crate::session::scratch;

/// Open files. Those of ours go before their folders do.
#[derive(Default)]
pub struct Files {
    open: BTreeMap<PathBuf, Region>,
    made: BTreeMap<PathBuf, TestFile>,
    held: Option<WritableDevice>,
    whole: LaidOut,
    scratches: BTreeMap<PathBuf, Scratch>,
    /// Files without contents, made so far; they go with the scratch folder.
    hollow: u32,
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
            TargetState::Device { consented: true, generic: true, .. } => {
                let consent = consent.expect("only a consent makes a device consented");
                // The character device knows no claim; the block device of the same namespace does.
                let held = match self.held.take() {
                    Some(held) => held,
                    None => open_for_writing(consent, false)?,
                };
                let claimed = held.file().metadata()?.rdev();
                self.held = Some(held);
                let target = Target::open_write_exclusive(path, false)?;
                let beside = target.block_device_beside();
                let same = |block: &Path| {
                    std::fs::metadata(block).is_ok_and(|found| found.rdev() == claimed)
                };
                if !beside.as_deref().is_some_and(same) {
                    let shown = path.display();
                    let reason = format!("{shown} is no longer the device that was consented to");
                    return Err(Failure::hinted(reason, "nothing was written; look at lsblk"));
                }
                Region::from(target)
            }
            TargetState::Device { consented: true, .. } => {
                let consent = consent.expect("only a consent makes a device consented");
                let held = open_for_writing(consent, false)?;
                let target = Target::open_write_held(&held.path(), true)?;
                self.held = Some(held);
                Region::from(target)
            }
            TargetState::Device { .. } => Region::from(Target::open_read(path, true)?),
            TargetState::Remote(namespace) => Region::from(namespace.target()?),
            TargetState::Endless => Region::from(Target::endless(path, wanted.bytes)?),
            TargetState::Nothing { folder } => {
                let dir = self.folder(folder, id)?;
                if wanted.hollow || wanted.sparse {
                    let path = dir.join(format!("hollow-{}", self.hollow));
                    self.hollow += 1;
                    let file = create_new(&path, For::Write, 0o600)?;
                    file.set_len(wanted.bytes).map_err(|error| {
                        let long = Bytes(wanted.bytes);
                        let shown = folder.display();
                        Failure::hinted(
                            format!("cannot make an empty file of {long} in {shown}: {error}"),
                            "name a folder on a file system with larger files with --at (XFS has them), or work on less",
                        )
                    })?;
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

    /// Lays out the files that streams of a stage work on as a whole.
    ///
    /// # Errors
    /// What the system said; what was made goes with the scratch folder.
    pub fn lay_out<'s>(
        &mut self,
        ctx: &Context<'_>,
        id: &str,
        sets: impl Iterator<Item = &'s FileSet>,
    ) -> Result<()> {
        for set in sets {
            self.folder(&set.folder, id)?;
            self.whole.lay_out(ctx, &self.scratches[&set.folder], set)?;
        }
        Ok(())
    }

    /// The stream on the files of its set, which were laid out.
    ///
    /// # Errors
    /// What opening `/dev/null` gave.
    pub fn stream_on(&self, set: &FileSet, stream: &JobStream) -> Result<Stream> {
        let target = Target::names(&set.named, stream.bytes, set.bytes as u32)?;
        let access = Access::file_calls(set.call, self.whole.names(set));
        Ok(Stream { access, ..stream.stream(Region::from(target)) })
    }

    /// Removes what is left of the files that were laid out.
    pub fn remove_whole(&mut self, ctx: &Context<'_>) {
        self.whole.remove(ctx, &self.scratches);
    }

    /// The whole of an open file.
    pub fn region(&self, path: &Path) -> Option<&Region> {
        self.open.get(path)
    }

    /// Gives the files that stay the places that their jobs name, at the end and whatever it was.
    ///
    /// Those that can't, because something is there by now or for what the system said, go, each with its error.
    pub fn stay(&mut self, targets: &Targets) -> Vec<(PathBuf, anyhow::Error)> {
        let mut failed = Vec::new();
        for (path, file) in std::mem::take(&mut self.made) {
            let Some(wanted) = targets.get(&path).filter(|wanted| wanted.stays) else { continue };
            if let Err(error) = file.stay(&path, wanted.bytes) {
                let hint = "what was written is removed, and its state with it; move away what is there, and run again";
                failed.push((path, Failure::hinted(error.to_string(), hint)));
            }
        }
        failed
    }

    /// Lets go what no stage after `stage` needs.
    pub fn done(&mut self, stage: usize, targets: &Targets) {
        let needed =
            |path: &PathBuf| targets.get(path).is_some_and(|wanted| wanted.stages.1 > stage);
        self.open.retain(|path, _| needed(path));
        let stays = |path: &PathBuf| targets.get(path).is_some_and(|wanted| wanted.stays);
        self.made.retain(|path, _| needed(path) || stays(path));
    }
}
