//! The hammers: each a process of its own, this program again under a hidden command ([`process`]).
//!
//! It says that it is ready, waits until its standard input ends, which it does for all at the same moment, and answers with what it
//! did.

use std::io::{BufRead, BufReader, PipeReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use narrows_engine::Stop;
use narrows_layer_memory::slb::{Hammer, Hammered};

use crate::args::memory::SlbProcessArgs;
use crate::exit::Exit;
use crate::output;

const READY: &str = "ready";

/// Starts all of them at the same moment, and waits for all.
///
/// # Errors
/// One of them can't run, or a stop was asked for.
pub fn together(hammers: &[Hammer], stop: &Stop) -> Result<Vec<Hammered>> {
    let (waiting, gun) = std::io::pipe().context("no pipe for the start")?;
    let mut running = Running(Vec::new());
    for hammer in hammers {
        running.0.push(start(hammer, &waiting)?);
    }
    drop(waiting);
    for (_, lines) in &running.0 {
        let text = line(lines, stop)?;
        if text.trim() != READY {
            let why: Result<Hammered, String> = serde_json::from_str(&text).unwrap_or(Err(text));
            bail!("a hammer could not run: {}", why.err().unwrap_or_default());
        }
    }
    drop(gun);
    let mut done = Vec::new();
    for (_, lines) in &running.0 {
        let text = line(lines, stop)?;
        let answer: Result<Hammered, String> = serde_json::from_str(&text)
            .with_context(|| format!("a hammer answered `{}`", text.trim()))?;
        done.push(answer.map_err(|why| anyhow!("a hammer could not run: {why}"))?);
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

fn start(hammer: &Hammer, waiting: &PipeReader) -> Result<(Child, Receiver<String>)> {
    let program = std::env::current_exe().context("cannot find this program to start it again")?;
    let mut command = Command::new(program);
    command.args(["memory", "slb-process"]).arg(serde_json::to_string(hammer)?);
    command.stdin(Stdio::from(waiting.try_clone()?)).stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot start a hammer")?;
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

/// The next line; empty where there is none any more.
fn line(lines: &Receiver<String>, stop: &Stop) -> Result<String> {
    loop {
        stop.check()?;
        match lines.recv_timeout(Duration::from_millis(20)) {
            Ok(line) => return Ok(line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(String::new()),
        }
    }
}

/// The hidden command: one hammer.
pub fn process(args: &SlbProcessArgs) -> Result<Exit> {
    narrows_facts::process::end_with_parent();
    let hammer: Hammer = serde_json::from_str(&args.hammer).context("not a hammer")?;
    let wait = || {
        let _ = output::print(&format!("{READY}\n"));
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
    };
    let answer = hammer.run(&Stop::new(), wait).map_err(|error| error.to_string());
    output::print(&format!("{}\n", serde_json::to_string(&answer)?))?;
    Ok(Exit::Done)
}
