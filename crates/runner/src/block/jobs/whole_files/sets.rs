//! The whole files of all jobs of a run, and whether there is room for them.

use std::collections::{BTreeMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use narrows_fio::Job;
use narrows_fio::options::limits;
use narrows_io::{Space, TestFile};

use super::{FileSet, MOST_FILES};
use crate::block::jobs::mapping::refuse_limit;

/// All of them, each with the stage that makes it.
#[derive(Debug, Default)]
pub struct FileSets {
    sets: Vec<(usize, Arc<FileSet>)>,
    /// By stage and folder.
    names: BTreeMap<(usize, PathBuf), HashSet<String>>,
}

impl FileSets {
    /// Takes files that a job of that stage makes, looks up or removes.
    ///
    /// # Errors
    /// Too many of them, or ones that another job beside it names.
    pub fn add(&mut self, job: &Job, stage: usize, set: FileSet) -> Result<Arc<FileSet>> {
        let beside = self.of_stage(stage).map(|set| set.names.len()).sum::<usize>();
        if (beside + set.names.len()) as u64 > MOST_FILES {
            return Err(refuse_limit(job, &limits::TOO_MANY_FILES));
        }
        let there = self.names.entry((stage, set.named.clone())).or_default();
        if !set.names.iter().all(|name| there.insert(name.clone())) {
            return Err(refuse_limit(job, &limits::SAME_NAMES));
        }
        let set = Arc::new(set);
        self.sets.push((stage, Arc::clone(&set)));
        Ok(set)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &FileSet> {
        self.sets.iter().map(|(_, set)| set.as_ref())
    }

    /// Those of one stage.
    pub fn of_stage(&self, stage: usize) -> impl Iterator<Item = &FileSet> {
        self.sets.iter().filter(move |(own, _)| *own == stage).map(|(_, set)| set.as_ref())
    }

    /// The last stage that has any.
    pub fn last_stage(&self) -> usize {
        self.sets.iter().map(|(stage, _)| *stage).max().unwrap_or(0)
    }

    /// Those that are `wanted` by the folder that is named: how many, and bytes that are written before their jobs.
    pub fn by_folder(&self, wanted: fn(&FileSet) -> bool) -> BTreeMap<&PathBuf, (u64, u64)> {
        let mut folders: BTreeMap<&PathBuf, (u64, u64)> = BTreeMap::new();
        for set in self.all().filter(|set| wanted(set)) {
            let folder = folders.entry(&set.named).or_default();
            folder.0 += set.names.len() as u64;
            folder.1 += set.laid_out_bytes();
        }
        folders
    }

    /// Refuses what their file systems can't hold, but for their bytes, which are counted with those of other files.
    ///
    /// # Errors
    /// A file system in memory; more files than it can make; a limit of this process.
    pub fn check(&self) -> Result<()> {
        for stage in 0..=self.last_stage() {
            let mut counts: BTreeMap<u64, (&PathBuf, u64)> = BTreeMap::new();
            for set in self.of_stage(stage) {
                let device = std::fs::metadata(&set.folder).map_or(0, |found| found.dev());
                counts.entry(device).or_insert((&set.folder, 0)).1 += set.names.len() as u64;
            }
            for (folder, count) in counts.into_values() {
                Space::of(folder)?.check_files(folder, count)?;
            }
        }
        for set in self.all() {
            TestFile::check(&set.folder, set.bytes, None)?;
        }
        Ok(())
    }
}
