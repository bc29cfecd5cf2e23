//! Processes that work at the same moment: each is this program again under a hidden command ([`process`]).
//!
//! It says that it is ready, waits until its standard input ends, which it does for all at the same moment, says now and then what it
//! did so far, and answers with what it did.

use std::io::{BufRead, BufReader, PipeReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use narrows_engine::Stop;
use narrows_layer_memory::slb::{Hammer, SoFar};
use narrows_layer_memory::touch::Touch;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ui::Ui;

const READY: &str = "ready";
/// Before what was done so far, as JSON.
const SO_FAR: &str = "so far ";
/// Between two looks at the stop token.
const PATIENCE: Duration = Duration::from_millis(20);

/// What a process is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Task {
    /// SLB's loop.
    Hammer(Hammer),
    /// A part of a pool.
    Touch(Touch),
}

impl Task {
    fn word(&self) -> &'static str {
        match self {
            Task::Hammer(_) => "hammer",
            Task::Touch(_) => "toucher",
        }
    }

    /// Prepares, waits, works; the answer as JSON.
    fn run(&self, stop: &Stop, wait: impl FnOnce(), report: impl FnMut(SoFar)) -> Result<String> {
        let text = match self {
            Task::Hammer(hammer) => {
                let done = hammer.run(stop, wait, report).map_err(|error| error.to_string());
                serde_json::to_string(&done)
            }
            Task::Touch(touch) => {
                serde_json::to_string(&touch.run(stop, wait).map_err(|error| error.to_string()))
            }
        };
        text.context("an answer that is no JSON")
    }
}

/// Starts all of them at the same moment, and waits for all; each answers with the same type. Whenever one says what it did so far,
/// `report` is given the last word of each that had one.
///
/// # Errors
/// One of them can't run, or a stop was asked for.
pub fn together<A: DeserializeOwned>(
    tasks: &[Task],
    stop: &Stop,
    report: impl Fn(&[SoFar]),
) -> Result<Vec<A>> {
    let (waiting, gun) = std::io::pipe().context("no pipe for the start")?;
    let mut running = Running(Vec::new());
    for task in tasks {
        running.0.push(start(task, &waiting)?);
    }
    drop(waiting);
    for ((_, lines), task) in running.0.iter().zip(tasks) {
        let text = line(lines, stop)?;
        if text.trim() != READY {
            let why: Result<A, String> = serde_json::from_str(&text).unwrap_or(Err(text));
            bail!("a {} could not run: {}", task.word(), why.err().unwrap_or_default());
        }
    }
    drop(gun);
    let mut done = Vec::new();
    let lines: Vec<&Receiver<String>> = running.0.iter().map(|(_, lines)| lines).collect();
    for (text, task) in answers(&lines, stop, report)?.iter().zip(tasks) {
        let answer: Result<A, String> = serde_json::from_str(text)
            .with_context(|| format!("a {} answered `{}`", task.word(), text.trim()))?;
        done.push(answer.map_err(|why| anyhow!("a {} could not run: {why}", task.word()))?);
    }
    Ok(done)
}

/// Each with what it says, line by line. None outlives this one.
struct Running(Vec<(Child, Receiver<String>)>);

impl Drop for Running {
    fn drop(&mut self) {
        for (child, _) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn start(task: &Task, waiting: &PipeReader) -> Result<(Child, Receiver<String>)> {
    let program = std::env::current_exe().context("cannot find this program to start it again")?;
    let mut command = Command::new(program);
    command.args(["memory", "process"]).arg(serde_json::to_string(task)?);
    command.stdin(Stdio::from(waiting.try_clone()?)).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start a {}", task.word()))?;
    let out = BufReader::new(child.stdout.take().expect("it is piped"));
    let (to, lines) = mpsc::channel();
    // Whoever waits for a line has to look for a stop as well.
    std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            if to.send(line).is_err() {
                break;
            }
        }
    });
    Ok((child, lines))
}

/// What each answers; empty where one ended without a word.
fn answers(
    lines: &[&Receiver<String>],
    stop: &Stop,
    report: impl Fn(&[SoFar]),
) -> Result<Vec<String>> {
    let mut so_far: Vec<Option<SoFar>> = vec![None; lines.len()];
    let mut answers: Vec<Option<String>> = vec![None; lines.len()];
    while let Some(first) = answers.iter().position(Option::is_none) {
        stop.check()?;
        let mut heard = false;
        for (at, lines) in lines.iter().enumerate().skip(first) {
            if answers[at].is_some() {
                continue;
            }
            // The first one's line ends the wait.
            let patience = if at == first { PATIENCE } else { Duration::ZERO };
            match lines.recv_timeout(patience) {
                Ok(line) => match line.strip_prefix(SO_FAR).map(serde_json::from_str) {
                    Some(Ok(done)) => (so_far[at], heard) = (Some(done), true),
                    _ => answers[at] = Some(line),
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => answers[at] = Some(String::new()),
            }
        }
        if heard {
            report(&so_far.iter().copied().flatten().collect::<Vec<SoFar>>());
        }
    }
    Ok(answers.into_iter().flatten().collect())
}

/// The next line; empty where there is none any more.
fn line(lines: &Receiver<String>, stop: &Stop) -> Result<String> {
    loop {
        stop.check()?;
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => return Ok(line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(String::new()),
        }
    }
}

/// One of them: does what the JSON says.
///
/// # Errors
/// It is no task, or can't be done.
pub fn process(task: &str, ui: &dyn Ui) -> Result<()> {
    narrows_facts::process::end_with_parent();
    let task: Task = serde_json::from_str(task).context("not a task")?;
    let wait = || {
        let _ = ui.print(&format!("{READY}\n"));
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
    };
    let report = |done: SoFar| {
        if let Ok(json) = serde_json::to_string(&done) {
            let _ = ui.print(&format!("{SO_FAR}{json}\n"));
        }
    };
    ui.print(&format!("{}\n", task.run(&Stop::new(), wait, report)?))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn what_was_done_so_far_is_reported_until_all_have_answered() {
        let (first, of_first) = mpsc::channel();
        let (second, of_second) = mpsc::channel();
        let say = |to: &mpsc::Sender<String>, line: &str| to.send(line.to_string()).unwrap();
        say(&second, r#"so far {"operations":7,"ns":70}"#);
        say(&second, "{\"Ok\":2}");
        say(&first, r#"so far {"operations":5,"ns":50}"#);
        say(&first, r#"so far {"operations":9,"ns":90}"#);
        say(&first, "{\"Ok\":1}");
        let reported = RefCell::new(Vec::new());
        let report = |all: &[SoFar]| {
            reported.borrow_mut().push(all.iter().map(|done| done.operations).collect::<Vec<_>>());
        };
        let answered = answers(&[&of_first, &of_second], &Stop::new(), report).unwrap();
        assert_eq!(answered, ["{\"Ok\":1}", "{\"Ok\":2}"]);
        assert_eq!(reported.into_inner(), [vec![5, 7], vec![9, 7]]);
        drop(first);
        let silent = answers(&[&of_first], &Stop::new(), |_| ()).unwrap();
        assert_eq!(silent, [""], "it ended without a word");
        let stop = Stop::new();
        stop.set();
        assert!(answers(&[&of_second], &stop, |_| ()).is_err());
    }
}
