//! `verify_state_save` and `verify_state_load`: what a job had written when it ended or was stopped, kept for a job that reads it and
//! checks just that.
//!
//! One file for each clone, by fio's name, in the folder that relative names start from. It is made new, or takes the place of an older state
//! of narrows; anything else of that name stops the run before it begins.

mod text;

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use narrows_files::{Access, create_new, write_whole};
use narrows_fio::options::limits;
use narrows_fio::{Direction, Job};
use narrows_io::{Method, Op};
use narrows_layer_block::{
    AccessPattern, Limit, Load, ReadList, Share, Then, Verify, WrittenBlock,
};

use self::text::{FileState, State};
use super::job_stream::JobStream;
use super::mapping::{refuse, refuse_limit};
use super::stage::Stage;
use super::targets::{TargetState, Targets};
use super::verify;
use crate::failure::Failure;

/// The longest state that is read, bytes.
const LONGEST: u64 = 1 << 30;
/// So many blocks in no order are kept at most, a line each.
const MOST_LINES: u64 = 1 << 22;

/// What a stream's part of a state is called.
#[derive(Debug, Clone)]
pub struct SavedPart {
    /// The state's file.
    path: PathBuf,
    /// The stream's file as the job names it.
    name: String,
    /// Seed of its blocks.
    seed: u64,
    method: &'static str,
    unit_bytes: u32,
    /// What was written, when the stream has ended.
    written: Arc<Mutex<Vec<WrittenBlock>>>,
}

/// Gives the streams of jobs that save or load a state what they need for it.
///
/// # Errors
/// A state that can't be read, or would take the place of something else.
pub fn attach(
    streams: &mut Vec<JobStream>,
    jobs: &[Job],
    targets: &mut Targets,
    said: &mut Vec<String>,
) -> Result<()> {
    let mut all = Vec::with_capacity(streams.len());
    let mut number = (usize::MAX, None, 0);
    for mut stream in std::mem::take(streams) {
        let job = &jobs[stream.job];
        // Files of a clone are numbered in the job's order.
        let files = job.targets.of_clone(stream.clone.unwrap_or(0)).len().max(1);
        number = match number {
            (last, clone, file) if (last, clone) == (stream.job, stream.clone) => {
                (last, clone, (file + 1) % files)
            }
            _ => (stream.job, stream.clone, 0),
        };
        let (saves, loads) =
            job.verify.as_ref().map_or((false, false), |it| (it.saves_state, it.loads_state));
        let path = || state_path(jobs, stream.job, stream.clone, targets);
        if loads && job.access.direction == Direction::Read && !stream.mix.writes() {
            let path = path()?;
            if !load(job, &mut stream, &path, number.2, targets)? {
                let shown = path.display();
                said.push(format!(
                    "{} [{}]: note: {shown} lists no blocks, so there is nothing to be read",
                    job.place, job.name
                ));
                continue;
            }
        } else if saves && stream.mix.weight(Op::Write) > 0 && stream.verify.is_some() {
            let path = path()?;
            save_later(job, &mut stream, path, number.2, targets)?;
        }
        all.push(stream);
    }
    *streams = all;
    Ok(())
}

/// fio's name for the state of a thread: its job, and its number among all of the run.
fn state_path(jobs: &[Job], job: usize, clone: Option<u32>, targets: &Targets) -> Result<PathBuf> {
    let name = &jobs[job].name;
    if name.contains('/') {
        let reason = format!("a state of verification is named after its job, and {name} has a /");
        return Err(refuse(&jobs[job], reason, "give the job another name"));
    }
    let before: u32 = jobs[..job].iter().map(|job| job.clones).sum();
    let number = before + clone.unwrap_or(0);
    Ok(targets.path(&format!("local-{name}-{number}-verify.state")))
}

fn name_of(job: &Job, stream: &JobStream, file: usize) -> String {
    job.targets.of_clone(stream.clone.unwrap_or(0)).get(file).cloned().unwrap_or_default()
}

fn save_later(
    job: &Job,
    stream: &mut JobStream,
    path: PathBuf,
    file: usize,
    targets: &mut Targets,
) -> Result<()> {
    let Some(verify) = &job.verify else { return Ok(()) };
    if verify.backlog.is_some() {
        return Err(refuse_limit(job, &limits::STATE_AND_BACKLOG));
    }
    let smallest = stream.sizes.write.iter().map(|share| share.what).min().unwrap_or(1);
    let places = stream.bytes / u64::from(smallest.max(1));
    let most = stream.limit.map_or(places, |limit| limit.operations.min(places));
    let in_order = stream.place == AccessPattern::Sequential;
    let files = job.targets.of_clone(stream.clone.unwrap_or(0)).len().max(1) as u64;
    if most > if in_order { text::MOST_BLOCKS / files } else { MOST_LINES } {
        return Err(refuse_limit(job, &limits::LONG_STATE));
    }
    if stream.access.method() == Method::Null {
        let reason = "the engine null writes nothing, so there is no state of it to save";
        return Err(refuse(job, reason, "leave out verify_state_save, or take another engine"));
    }
    may_save(&path)?;
    let wanted = targets.look(&stream.file)?;
    if let TargetState::Nothing { folder } = &wanted.found {
        if stream.file.parent() != Some(folder.as_path()) {
            return Err(refuse(
                job,
                format!("{} would stay, and its folder is not there", stream.file.display()),
                "make the folder, or leave out verify_state_save",
            ));
        }
        wanted.stays = true;
    }
    let written = Arc::new(Mutex::new(Vec::new()));
    let Some(stream_verify) = &mut stream.verify else { return Ok(()) };
    stream_verify.left = Some(Arc::clone(&written));
    let seed = stream.verify_seed;
    let (method, unit_bytes) = (verify.method.name(), verify.unit_bytes);
    let name = name_of(job, stream, file);
    stream.saves = Some(SavedPart { path, name, seed, method, unit_bytes, written });
    Ok(())
}

/// Refuses to write a state where something else is.
fn may_save(path: &Path) -> Result<()> {
    let what = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => error.to_string(),
        Ok(found) if found.is_file() => match narrows_files::open_plain(path) {
            Ok(file) if is_state(&file) => return Ok(()),
            Ok(_) => "it is there and no state of narrows".to_string(),
            Err(refused) => refused.to_string(),
        },
        Ok(_) => "something that is no file has that name".to_string(),
    };
    Err(Failure::hinted(
        format!("cannot save the state of verification to {}: {what}", path.display()),
        "remove it if nobody needs it, or leave out verify_state_save",
    ))
}

fn is_state(mut file: &fs::File) -> bool {
    let mut head = [0; text::HEAD.len()];
    std::io::Read::read_exact(&mut file, &mut head).is_ok() && head == *text::HEAD.as_bytes()
}

/// Makes a stream read what its state says was written. Whether anything was.
fn load(
    job: &Job,
    stream: &mut JobStream,
    path: &Path,
    file: usize,
    targets: &Targets,
) -> Result<bool> {
    let Some(verify) = &job.verify else { return Ok(true) };
    let shown = path.display();
    let wrong = |why: String| {
        let hint = "a job with verify_state_save=1, of the same name, number and files, writes it";
        refuse(job, format!("the state of verification {shown} {why}"), hint)
    };
    let read = narrows_files::read_text(path, LONGEST).map_err(|refused| match refused {
        narrows_files::Refused::NotText => {
            wrong("is no state of narrows; that of fio goes on with fio's generator".to_string())
        }
        refused => wrong(format!("cannot be read: {refused}")),
    })?;
    let state = text::read(&read).map_err(wrong)?;
    if (state.method.as_str(), state.unit_bytes) != (verify.method.name(), verify.unit_bytes) {
        let State { method, unit_bytes, .. } = &state;
        return Err(wrong(format!("is of verify={method} with a verify_interval of {unit_bytes}")));
    }
    let name = name_of(job, stream, file);
    let Some(part) =
        state.files.get(file).filter(|part| part.name == name.escape_default().to_string())
    else {
        let names: Vec<&str> = state.files.iter().map(|part| part.name.as_str()).collect();
        return Err(wrong(format!("is of {}, and the job reads {name}", names.join(", "))));
    };
    if matches!(
        targets.get(&stream.file).map(|wanted| &wanted.found),
        Some(TargetState::Nothing { .. })
    ) {
        return Err(refuse_limit(job, &limits::UNWRITTEN));
    }
    let end = stream.offset_bytes + stream.bytes;
    let outside = part.blocks.iter().find(|block| {
        block.offset < stream.offset_bytes
            || block.offset.checked_add(u64::from(block.bytes)).is_none_or(|to| to > end)
    });
    if let Some(block) = outside {
        return Err(wrong(format!(
            "has a block at byte {} of {name}, which the job does not read",
            block.offset
        )));
    }
    if part.blocks.is_empty() {
        return Ok(false);
    }
    reads_list(stream, part);
    stream.verify_seed = part.seed;
    stream.verify = verify::of_stream(job, stream)?.map(|verify| Verify {
        checks_reads: true,
        list: Some(Arc::new(ReadList::new(part.blocks.clone()))),
        ..verify
    });
    Ok(true)
}

/// Sizes, number and depth as its blocks have them.
fn reads_list(stream: &mut JobStream, part: &FileState) {
    let count = part.blocks.len() as u64;
    let mut lengths: Vec<u32> = part.blocks.iter().map(|block| block.bytes).collect();
    lengths.sort_unstable();
    lengths.dedup();
    stream.sizes.read = lengths.into_iter().map(|what| Share { what, weight: 1 }).collect();
    // Each block comes once.
    stream.serialize = None;
    let most = stream.limit.map_or(count, |limit| limit.operations.min(count));
    stream.limit = Some(Limit { operations: most, then: Then::EndStream });
    let depth = u32::try_from(most).unwrap_or(u32::MAX).max(1);
    stream.threads = stream.threads.min(depth);
    if let Load::Closed { depth: own } = &mut stream.load {
        *own = (*own).min(depth);
    }
}

/// Writes the states of the streams of a stage, which have ended. Of each what is to be said, or why it can't be written.
pub fn save(streams: &[JobStream]) -> Vec<Result<String>> {
    let mut states: Vec<(&Path, State)> = Vec::new();
    for part in streams.iter().filter_map(|stream| stream.saves.as_ref()) {
        let at = states.iter().position(|(path, _)| *path == part.path).unwrap_or_else(|| {
            let (method, unit_bytes) = (part.method.to_string(), part.unit_bytes);
            states.push((&part.path, State { method, unit_bytes, files: Vec::new() }));
            states.len() - 1
        });
        let written = part.written.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, seed, blocks) = (part.name.clone(), part.seed, written.clone());
        states[at].1.files.push(FileState { name, seed, blocks });
    }
    let saved = |(path, state): (&Path, State)| {
        let shown = path.display();
        save_one(path, text::write(&state).as_bytes()).map_err(|error| {
            Failure::hinted(
                format!("cannot save the state of verification to {shown}: {error:#}"),
                "the figures are there; look at the folder and its free space",
            )
        })?;
        let blocks: usize = state.files.iter().map(|file| file.blocks.len()).sum();
        Ok(format!("{blocks} written blocks are listed in {shown}"))
    };
    states.into_iter().map(saved).collect()
}

/// Removes the states of a file that could not stay: nothing is left that they would be about.
pub fn withdraw(stages: &[Stage], file: &Path) {
    let streams = stages.iter().flat_map(|stage| &stage.streams);
    for part in streams.filter(|one| one.file == file).filter_map(|one| one.saves.as_ref()) {
        if narrows_files::open_plain(&part.path).is_ok_and(|file| is_state(&file)) {
            let _ = narrows_files::remove_file(&part.path);
        }
    }
}

/// New, or in place of an older state.
fn save_one(path: &Path, contents: &[u8]) -> Result<()> {
    match create_new(path, Access::Write, 0o600) {
        Ok(mut file) => Ok(file.write_all(contents)?),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            may_save(path)?;
            Ok(write_whole(path, contents, 0o600)?)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_state_takes_the_place_of_an_older_one_and_of_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let state = text::write(&State::default());
        save_one(&at("s"), state.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(at("s")).unwrap(), state);
        assert!(may_save(&at("s")).is_ok());
        save_one(&at("s"), state.as_bytes()).unwrap();
        fs::write(at("theirs"), "something long enough to be looked at").unwrap();
        fs::write(at("target"), &state).unwrap();
        symlink(at("target"), at("link")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        for taken in ["theirs", "link", "folder"] {
            assert!(may_save(&at(taken)).is_err(), "{taken}");
            assert!(save_one(&at(taken), state.as_bytes()).is_err(), "{taken}");
        }
        assert_eq!(
            fs::read_to_string(at("theirs")).unwrap(),
            "something long enough to be looked at"
        );
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    }
}
