//! One trial: a command is started, struck, waited for, read, started again, and everything it may have left is looked for.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use narrows_engine::Stop;

use super::commands::{self, From, Need, Struck};
use super::isolation::Hidden;
use super::leftovers::{self, Leftovers};
use super::record::Record;
use super::site::{FileSystem, Site, Trial, User};
use super::strike::{Blow, Strike};

const LOOK_EVERY: Duration = Duration::from_millis(2);
/// From a signal that can be handled to the end: more is a command that does not listen.
const TO_EXIT: Duration = Duration::from_secs(30);
/// After that it is killed, so that the harness goes on.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long the next start runs before it is asked to end.
const NEXT: Duration = Duration::from_secs(4);
/// What ends a moment after its parent.
const TO_SETTLE: Duration = Duration::from_secs(20);
/// Until then a program may not have its handlers yet.
const STARTING: Duration = Duration::from_secs(1);

/// What is tried, and where.
pub(super) struct Planned<'a> {
    pub number: u64,
    pub command: &'a Struck,
    pub user: User,
    pub on: FileSystem,
    pub strike: Strike,
    /// How long the command lasts, as far as is known.
    pub lasts: Duration,
}

/// How the struck one went on.
struct Met {
    status: ExitStatus,
    /// When the first signal was sent, after the start; `None` where the command was through before.
    struck: Option<Duration>,
    /// From the first signal to the end.
    to_exit: Duration,
    /// How long it ran in all.
    ran: Duration,
}

/// Tries it. The record says what is wrong; an error is the harness's own.
pub(super) fn run(site: &Site, planned: &Planned<'_>, stop: &Stop) -> Result<(Record, Duration)> {
    let trial = site.trial(planned.number, planned.on, planned.user)?;
    if planned.command.needs(Need::Memory) {
        trial.give(&trial.memory)?;
    }
    let before = if site.isolated { Leftovers::on_this_machine() } else { Leftovers::default() };
    let hidden = match site.postgres() {
        Some(folder) if planned.command.needs(Need::Mirror) => {
            Some(Hidden::new(&folder.display().to_string())?)
        }
        _ => None,
    };
    let list =
        planned.command.needs(Need::List).then(|| Listening::start(site, &trial)).transpose()?;
    let address = list.as_ref().map(|list| list.address.clone());
    let place = |word: &str| site.place(&trial, address.as_deref(), word);
    let args = planned.command.arguments(place);

    let met = strike(site, &trial, planned, &args, stop)?;
    let mut record = Record::of(planned, site.here.as_str());
    record.moment_ms = met.struck.map(|at| at.as_secs_f64() * 1e3);
    record.status = words(met.status);
    record.to_exit_ms = met.to_exit.as_secs_f64() * 1e3;
    record.wrong.extend(wrong_exit(planned.strike.blow, &met));
    drop(list);

    let (runs, unreadable) = readable(site, &trial)?;
    record.runs = runs;
    record.wrong.extend(unreadable);

    if planned.command.stays.contains(&"records") {
        record.next = "none: what is there stays".to_string();
    } else {
        record.next = next(site, &trial, &args, stop)?;
    }
    if let Some(then) = planned.command.then {
        let output = site.narrows(&trial, &commands::filled(then, place)).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', " ");
            record.wrong.push(format!("{then}: {}: {said}", words(output.status)));
        }
    }
    drop(hidden);
    record.wrong.extend(left_behind(site, &trial, planned.command, &before)?);
    if !record.wrong.is_empty() {
        keep_what_was_said(&trial, planned.number);
    }
    Ok((record, met.ran))
}

/// Outputs of a trial that went wrong, for whoever looks for the reason.
fn keep_what_was_said(trial: &Trial, number: u64) {
    let folder = crate::root().join("target/kills/wrong").join(number.to_string());
    let files = fs::read_dir(trial.folder.join("said")).into_iter().flatten().flatten();
    let mut kept = fs::create_dir_all(&folder);
    for file in files {
        let copy = || fs::copy(file.path(), folder.join(file.file_name())).map(drop);
        kept = kept.and_then(|()| copy());
    }
    if let Err(error) = kept {
        eprintln!("what it said can't be kept in {}: {error}", folder.display());
    }
}

fn strike(
    site: &Site,
    trial: &Trial,
    planned: &Planned<'_>,
    args: &[String],
    stop: &Stop,
) -> Result<Met> {
    let mut child = start(site, trial, args, "first")?;
    let began = Instant::now();
    let mut origin = (planned.command.from == From::Start).then_some(began);
    let moment = planned.strike.moment(planned.lasts);
    // Until the moment, or until it has ended by itself.
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Met { status, struck: None, to_exit: Duration::ZERO, ran: began.elapsed() });
        }
        if let Err(stopped) = stop.check() {
            end(&mut child);
            return Err(stopped.into());
        }
        match (origin, planned.command.from) {
            (Some(origin), _) if origin.elapsed() >= moment => break,
            (None, From::Program(name)) => {
                let running = leftovers::running_in(&trial.folder);
                let is_it = |title: &str| {
                    title.split(' ').next().is_some_and(|program| program.ends_with(name))
                };
                origin = running.iter().any(|(_, title)| is_it(title)).then(Instant::now);
            }
            _ => std::thread::sleep(LOOK_EVERY),
        }
    }
    let struck = began.elapsed();
    let sent = Instant::now();
    for (number, signal) in planned.strike.blow.signals().iter().enumerate() {
        if number > 0 {
            let end = Instant::now() + planned.strike.gap;
            while Instant::now() < end && child.try_wait()?.is_none() {
                std::thread::sleep(LOOK_EVERY);
            }
            if child.try_wait()?.is_some() {
                break;
            }
        }
        // It may have ended just now.
        let _ = planned.strike.send(child.id(), *signal);
    }
    let status = wait(&mut child, PATIENCE)?;
    Ok(Met { status, struck: Some(struck), to_exit: sent.elapsed(), ran: began.elapsed() })
}

fn start(site: &Site, trial: &Trial, args: &[String], which: &str) -> Result<Child> {
    let said = |name: &str| File::create(trial.folder.join("said").join(format!("{which}.{name}")));
    let mut narrows = site.narrows(trial, args);
    narrows.stdout(said("out")?).stderr(said("err")?);
    narrows.spawn().context("starting narrows")
}

/// Waits so long, and then kills all of its group.
fn wait(child: &mut Child, patience: Duration) -> Result<ExitStatus> {
    let end = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= end {
            // SAFETY: no memory is involved; the child was not waited for, so the group is its own.
            unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
            return Ok(child.wait()?);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn end(child: &mut Child) {
    // SAFETY: as above.
    unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
    let _ = child.wait();
}

/// An end that no user should meet.
fn wrong_exit(blow: Blow, met: &Met) -> Option<String> {
    let Some(struck) = met.struck else {
        let refused = met.status.code() == Some(2);
        return refused.then(|| "it could not be run".to_string());
    };
    if let Some(code) = met.status.code() {
        // 1 is what a shell has; 101 a panic.
        let known = matches!(code, 0 | 2 | 3 | 4 | 130);
        if !known {
            return Some(format!("it ended with {code}"));
        }
    }
    if !blow.can_be_handled() {
        return None;
    }
    if met.to_exit >= TO_EXIT {
        return Some(format!("it took {:.1} s to end", met.to_exit.as_secs_f64()));
    }
    if met.status.code() == Some(2) {
        return Some("it ended with 2, as if it could not be run".to_string());
    }
    // Of a second signal it may die, if it asks for it.
    let died = met.status.signal().is_some() && struck >= STARTING && blow != Blow::IntInt;
    died.then(|| format!("it died of the signal after {:.1} s", struck.as_secs_f64()))
}

/// How many runs were kept, and those that can't be read.
fn readable(site: &Site, trial: &Trial) -> Result<(u32, Vec<String>)> {
    let folder = trial.folder.join("home/narrows/runs");
    let (mut runs, mut wrong) = (0, Vec::new());
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        runs += 1;
        for format in ["text", "html"] {
            let args = ["report", &path.display().to_string(), "--format", format];
            let output = site.narrows(trial, &args.map(str::to_string)).output()?;
            if !output.status.success() || output.stdout.is_empty() {
                let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', " ");
                wrong.push(format!("its run can't be read as {format}: {said}"));
            }
        }
    }
    Ok((runs, wrong))
}

/// The same command again, asked to end after a while.
fn next(site: &Site, trial: &Trial, args: &[String], stop: &Stop) -> Result<String> {
    let mut child = start(site, trial, args, "next")?;
    let until = Instant::now() + NEXT;
    while Instant::now() < until && child.try_wait()?.is_none() {
        if let Err(stopped) = stop.check() {
            end(&mut child);
            return Err(stopped.into());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    if child.try_wait()?.is_none() {
        // SAFETY: no memory is involved; the child was not waited for.
        unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    }
    Ok(words(wait(&mut child, PATIENCE)?))
}

/// All that is there and should not be.
fn left_behind(
    site: &Site,
    trial: &Trial,
    command: &Struck,
    before: &Leftovers,
) -> Result<Vec<String>> {
    let end = Instant::now() + TO_SETTLE;
    loop {
        let mut wrong = Vec::new();
        let stays: Vec<PathBuf> = command
            .stays
            .iter()
            .flat_map(|name| trial.places().into_iter().map(move |place| place.join(name)))
            .collect();
        let mut files = leftovers::files(&trial.places());
        files.retain(|file| !stays.contains(&PathBuf::from(file)));
        files.extend(halves(trial));
        wrong.extend(summed("file", &files));
        for (pid, title) in leftovers::running_in(&trial.folder) {
            wrong.push(format!("process {pid}: {title}"));
        }
        if site.isolated {
            let memory = trial.memory.display().to_string();
            let new = Leftovers::on_this_machine().since(before);
            wrong.extend(new.into_iter().filter(|name| !name.starts_with(&memory)));
        }
        if command.needs(Need::Server)
            && let Some(theirs) = &site.theirs
        {
            wrong.extend(theirs.changed()?);
        }
        if wrong.is_empty() {
            return Ok(wrong);
        }
        if Instant::now() >= end {
            clean_up(site, trial, command)?;
            return Ok(wrong);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Files that were begun and never finished, in the folders in which something may stay.
fn halves(trial: &Trial) -> Vec<String> {
    let folders = [trial.folder.join("home"), trial.folder.join("cache")];
    let mut files = leftovers::files(&folders);
    files.retain(|file| {
        let name = file.rsplit('/').next().unwrap_or_default();
        name.contains(".part") || name.contains("-part-") || name.starts_with(".probe")
    });
    files
}

/// The first few by name, the others by number.
fn summed(what: &str, found: &[String]) -> Option<String> {
    const SHOWN: usize = 3;
    if found.is_empty() {
        return None;
    }
    let more = found.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("{what} {}{more}", found[..found.len().min(SHOWN)].join(", ")))
}

/// What is wrong was told; the next trial has to begin with nothing of it.
fn clean_up(site: &Site, trial: &Trial, command: &Struck) -> Result<()> {
    for (pid, _) in leftovers::running_in(&trial.folder) {
        // SAFETY: no memory is involved; the process runs in a folder that this harness made.
        unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
    }
    match &site.theirs {
        Some(theirs) if command.needs(Need::Server) => theirs.clean(),
        _ => Ok(()),
    }
}

fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => code.to_string(),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "not known".to_string(),
    }
}

/// `narrows log crashtest listen`, for a writer that is struck.
struct Listening {
    child: Child,
    address: String,
}

impl Listening {
    fn start(site: &Site, trial: &Trial) -> Result<Listening> {
        let list = trial.folder.join("home/list").display().to_string();
        let args = ["log", "crashtest", "listen", &list, "--at", "127.0.0.1:0"];
        let mut listen: Command = site.narrows(trial, &args.map(str::to_string));
        let said = trial.folder.join("said/list");
        let child = listen.stdout(Stdio::null()).stderr(File::create(&said)?).spawn()?;
        let mut listening = Listening { child, address: String::new() };
        let end = Instant::now() + TO_EXIT;
        while listening.address.is_empty() {
            anyhow::ensure!(
                Instant::now() < end,
                "no list is kept: {}",
                fs::read_to_string(&said)?
            );
            std::thread::sleep(LOOK_EVERY);
            let text = fs::read_to_string(&said)?;
            let named = text.split("listening on ").nth(1).and_then(|rest| rest.split_once(';'));
            listening.address = named.map_or(String::new(), |(address, _)| address.to_string());
        }
        Ok(listening)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}
