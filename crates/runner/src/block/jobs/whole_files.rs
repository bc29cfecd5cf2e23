//! Files and folders that jobs make, look up and remove as a whole: which, how they are laid out before, and that they go afterwards.
//!
//! Nothing of others is touched: all of them lie in a folder of ours in the scratch folder, in the nearest folder that is there. What jobs
//! side by side name in one folder lies in one folder here, too: such calls wait for one another.

mod laid_out;
mod sets;

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Amount, Blocks, Job, Targets as Named};
use narrows_io::FileCall;

pub use laid_out::LaidOut;
pub use sets::FileSets;

use super::mapping::{refuse, refuse_limit};
use super::targets::Targets;
use crate::failure::Failure;

/// Of jobs side by side.
const MOST_FILES: u64 = 1 << 22;
/// What a file takes beside its blocks, of directory and inode, bytes.
const OF_A_NAME: u64 = 1024;
const BLOCK_BYTES: u64 = 4096;

/// The files or folders of one clone of a job, or of all of them.
#[derive(Debug, PartialEq, Eq)]
pub struct FileSet {
    /// The folder that the job names.
    pub named: PathBuf,
    /// The nearest folder above that is there.
    pub folder: PathBuf,
    /// In the order in which they are taken.
    pub names: Vec<String>,
    /// What is called.
    pub call: FileCall,
    /// Length of each file, bytes: what an operation of it counts as.
    pub bytes: u64,
    /// How many of them one pass takes.
    pub taken: u64,
}

impl FileSet {
    /// Whether they are there before the job begins.
    pub fn is_laid_out(&self) -> bool {
        !matches!(self.call, FileCall::Create | FileCall::CreateFolder)
    }

    /// Whether each of them is a file with something in it.
    fn holds_data(&self) -> bool {
        matches!(self.call, FileCall::Stat(_) | FileCall::Delete)
    }

    /// Bytes written before the job begins.
    pub fn laid_out_bytes(&self) -> u64 {
        if self.holds_data() { self.bytes * self.names.len() as u64 } else { 0 }
    }

    /// Bytes of the file system that they take.
    pub fn space_bytes(&self) -> u64 {
        let data = if self.holds_data() { self.bytes.next_multiple_of(BLOCK_BYTES) } else { 0 };
        let folder = matches!(
            self.call,
            FileCall::CreateFolder | FileCall::StatFolder(_) | FileCall::DeleteFolder
        );
        let own = if folder { BLOCK_BYTES } else { 0 };
        (data + own + OF_A_NAME) * self.names.len() as u64
    }

    /// The first of them, by which a stream is known.
    pub fn first(&self) -> PathBuf {
        self.named.join(self.names.first().map_or("", String::as_str))
    }
}

/// Refuses more files than one run should make, before their names are.
///
/// # Errors
/// So many.
pub fn check_count(job: &Job) -> Result<()> {
    let each = match &job.targets {
        Named::Named(names) => names.len() as u64,
        Named::Made { count, .. } => u64::from(*count) * u64::from(job.clones),
    };
    if each > MOST_FILES {
        return Err(refuse_limit(job, &limits::TOO_MANY_FILES));
    }
    Ok(())
}

/// The files that this job names, of a job that is one of trims already.
///
/// # Errors
/// Sizes, counts and names that can't be done; a file that is there.
pub fn file_set(job: &Job, call: FileCall, names: &[String], targets: &Targets) -> Result<FileSet> {
    let several = || refuse_limit(job, &limits::FILES_OF_SEVERAL_BLOCKS);
    let Blocks::Fixed(bytes) = job.blocks.trim else { return Err(several()) };
    let count = names.len() as u64;
    let size = match job.region.size {
        Some(Amount::Bytes(size)) => Some(size),
        None | Some(Amount::Percent(100)) => None,
        Some(Amount::Percent(_)) => return Err(several()),
    };
    let each = job.region.file_size_bytes.or(size.map(|size| size / count));
    let Some(each) = each else {
        let hint = "write filesize= as large as bs=: each file then counts as one operation";
        return Err(refuse(job, "no size is given", hint));
    };
    if each != bytes {
        return Err(several());
    }
    let taken = size.map_or(count, |size| count.min(size / bytes)).max(1);
    if let (true, Some(Amount::Bytes(work))) = (call.is_once(), job.region.io_size)
        && work > taken * bytes
    {
        return Err(refuse_limit(job, &limits::MADE_AGAIN));
    }
    let given = matches!(job.targets, Named::Named(_));
    if given && call.is_once() && job.clones > 1 {
        return Err(refuse_limit(job, &limits::SAME_NAMES));
    }
    let mut named: Option<PathBuf> = None;
    let mut last = Vec::with_capacity(names.len());
    for name in names {
        let path = targets.path(name);
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            let reason = format!("`{name}` names no file");
            return Err(refuse(job, reason, "write a name below a folder"));
        };
        if given && std::fs::symlink_metadata(&path).is_ok() {
            return Err(Failure::hinted(
                format!(
                    "the job names {}, which exists; narrows works on files of its own",
                    path.display()
                ),
                "name files that do not exist, or leave filename out; or run elsewhere with --at DIR",
            ));
        }
        if named.get_or_insert_with(|| above.to_path_buf()) != above {
            return Err(refuse_limit(job, &limits::FILES_IN_SEVERAL_FOLDERS));
        }
        last.push(name.to_string_lossy().into_owned());
    }
    let named = named.unwrap_or_default();
    let folder = nearest(&named)?;
    Ok(FileSet { named, folder, names: last, call, bytes, taken })
}

/// The nearest folder that is there.
fn nearest(named: &Path) -> Result<PathBuf> {
    let found = named.ancestors().find(|above| above.is_dir()).map(Path::to_path_buf);
    found.ok_or_else(|| {
        Failure::hinted(
            format!("there is no folder above {}", named.display()),
            "name a folder with directory= or --at",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::jobs::written_jobs::jobs;
    use crate::block::jobs::{calls, stage};

    fn set(at: &Path, settings: &str) -> Result<FileSet> {
        let job = &jobs(&format!("[j]\n{settings}\n"))[0];
        let call = calls::call(job)?.unwrap();
        let trims = calls::as_trims(job).unwrap();
        file_set(&trims, call, &trims.targets.of_clone(0), &Targets::new(at, None))
    }

    #[test]
    fn a_file_counts_as_a_block_and_size_says_how_many_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let of = |settings: &str| set(at, settings).map(|set| (set.names.len(), set.taken));
        let stat = |more: &str| of(&format!("ioengine=filestat\n{more}"));
        assert_eq!(stat("filesize=4k\nnrfiles=10").unwrap(), (10, 10));
        assert_eq!(stat("size=40k\nnrfiles=10").unwrap(), (10, 10));
        assert_eq!(stat("filesize=4k\nsize=20k\nnrfiles=10").unwrap(), (10, 5));
        assert_eq!(stat("filesize=1m\nbs=1m\nsize=100%\nnrfiles=3").unwrap(), (3, 3));
        for more in ["filesize=16k", "size=41k\nnrfiles=10", "filesize=4k\nsize=50%", "nrfiles=2"] {
            assert!(stat(more).is_err(), "{more}");
        }
        let again = of("ioengine=filedelete\nfilesize=4k\nnrfiles=10\nio_size=44k").unwrap_err();
        assert!(again.to_string().contains(limits::MADE_AGAIN.why), "{again}");
        assert_eq!(stat("filesize=4k\nnrfiles=10\nio_size=44k").unwrap(), (10, 10));
    }

    #[test]
    fn they_lie_beside_the_place_that_is_named_and_only_data_takes_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let made = set(at, "ioengine=filestat\ndirectory=a/b\nfilesize=4k\nnrfiles=2").unwrap();
        assert_eq!(made.named, at.join("a/b"));
        assert_eq!(made.folder, at, "the nearest that is there");
        assert_eq!(made.names, ["j.0.0", "j.0.1"]);
        assert_eq!(made.laid_out_bytes(), 8192);
        let empty = set(at, "ioengine=filecreate\nfilesize=4k\nnrfiles=2").unwrap();
        assert_eq!((empty.is_laid_out(), empty.laid_out_bytes()), (false, 0));
        assert_eq!(empty.space_bytes(), 2 * OF_A_NAME);
        std::fs::write(at.join("x"), "").unwrap();
        assert!(set(at, "ioengine=filestat\nfilename=x\nfilesize=4k").is_err(), "it is there");
    }

    #[test]
    fn jobs_side_by_side_share_a_folder_and_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let planned = |text: &str| {
            let mut targets = Targets::new(folder.path(), None);
            let all = jobs(text);
            let stages = stage::stages(&all, &mut targets, &mut Vec::new());
            stages.map(|stages| (stages, targets))
        };
        let text = "[global]\nioengine=filestat\nfilesize=4k\nfilename=x\n[a]\n[b]\n";
        let error = planned(text).err().unwrap().to_string();
        assert!(error.contains(limits::SAME_NAMES.why), "{error}");
        // One after the other each has its own.
        let (stages, targets) = planned(&text.replace("[b]", "[b]\nstonewall")).unwrap();
        assert_eq!((stages.len(), targets.sets.all().count()), (2, 2));
        assert_eq!(targets.sets.of_stage(1).count(), 1);

        let clones = "[a]\nioengine=filecreate\nfilesize=4k\nnrfiles=3\nnumjobs=2\nrw=write\n";
        let (stages, targets) = planned(clones).unwrap();
        assert_eq!(stages[0].streams.len(), 2);
        assert_eq!(stages[0].writes_bytes(), 0, "nothing is written");
        let folders: Vec<_> = targets.sets.all().map(|set| &set.named).collect();
        assert_eq!(folders, [folder.path(), folder.path()]);
        assert!(targets.check_space().is_ok());
        assert_eq!(targets.folders().len(), 1, "the platform under it is looked at");
    }
}
