//! The second host: keeps the list of what was acknowledged, and notices how the writer's voice ends.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use crate::layout::{MOST_RECORDS, WINDOW};
use crate::list::now_ms;
use crate::wire::{ALIVE_EVERY, Lines, Message, Received, SILENCE, TICK};
use crate::{Acknowledged, CrashTestError, End, List, Machine, Ranges, Terms};

/// How long a visitor has to say hello.
const LONGEST_HELLO: Duration = Duration::from_secs(5);

/// What the collector tells while it works.
#[derive(Debug)]
pub enum Heard<'a> {
    /// A writer came.
    Began(&'a Terms),
    /// So many records so far.
    Records(u64),
    /// Somebody came who is no writer, or may not be.
    TurnedAway(SocketAddr, String),
}

/// A collector that waits for its writer.
#[derive(Debug)]
pub struct Collector {
    listener: TcpListener,
    machine: Machine,
}

impl Collector {
    /// Takes the port.
    ///
    /// # Errors
    /// The system's.
    pub fn bind(address: &str) -> Result<Collector, CrashTestError> {
        let bound = address
            .to_socket_addrs()
            .and_then(|mut found| found.next().ok_or_else(|| io::ErrorKind::NotFound.into()))
            .and_then(TcpListener::bind);
        let listener = bound.map_err(CrashTestError::file("listening on", address))?;
        let passed = listener.set_nonblocking(true);
        passed.map_err(CrashTestError::file("listening on", address))?;
        Ok(Collector { listener, machine: Machine::this() })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits for one writer, keeps its list in the new file `path` until it ends, and returns what the file then says.
    ///
    /// # Errors
    /// If the file exists or can't be written, or nobody came before `stop` was set or `patience` was over.
    pub fn collect(
        self,
        path: &Path,
        patience: Option<Duration>,
        stop: &Stop,
        tell: &mut dyn FnMut(Heard<'_>),
    ) -> Result<Acknowledged, CrashTestError> {
        if path.exists() {
            return Err(CrashTestError::Exists(path.to_path_buf()));
        }
        let began = Instant::now();
        loop {
            // Also where one visitor follows the other.
            if stop.is_set() {
                return Err(CrashTestError::Nobody(began.elapsed().as_secs()));
            }
            match self.listener.accept() {
                Ok((stream, from)) => match self.greet(stream, stop) {
                    Ok((voice, terms)) => {
                        tell(Heard::Began(&terms));
                        self.listen(voice, &terms, path, stop, tell)?;
                        return Acknowledged::read(path);
                    }
                    Err(reason) => tell(Heard::TurnedAway(from, reason)),
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if stop.is_set() || patience.is_some_and(|limit| began.elapsed() > limit) {
                        return Err(CrashTestError::Nobody(began.elapsed().as_secs()));
                    }
                    std::thread::sleep(TICK);
                }
                // Gone before it was accepted.
                Err(_) => std::thread::sleep(TICK),
            }
        }
    }

    /// Reads the terms, and answers.
    fn greet(&self, stream: TcpStream, stop: &Stop) -> Result<(Voice, Terms), String> {
        let prepared = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_nodelay(true))
            .and_then(|()| stream.set_write_timeout(Some(SILENCE)))
            .and_then(|()| stream.try_clone())
            .and_then(|copy| Ok((Lines::new(copy)?, stream)));
        let (mut lines, mut stream) = prepared.map_err(|error| error.to_string())?;
        let answer = match hello(&mut lines, stop) {
            Ok(terms) => match self.objection(&terms) {
                None => Ok(terms),
                Some(reason) => Err(reason),
            },
            Err(reason) => Err(reason),
        };
        let message = match &answer {
            Ok(_) => Message::Welcome(self.machine.clone()),
            Err(reason) => Message::Refuse(reason.clone()),
        };
        let sent = stream.write_all(message.line().as_bytes());
        let terms = answer?;
        sent.map_err(|error| error.to_string())?;
        Ok((Voice { lines, stream, last_heard: Instant::now(), last_heard_ms: now_ms() }, terms))
    }

    fn objection(&self, terms: &Terms) -> Option<String> {
        if terms.writer.is_beside(&self.machine) && !terms.same_host {
            return Some(format!(
                "writer and list are on one machine ({}): its power cut takes both, and a killed process is no power \
                 cut. Listen on another host; --same-host is for rehearsals, and for drives or databases that are cut \
                 elsewhere",
                self.machine.host
            ));
        }
        terms.fault().map(String::from)
    }

    fn listen(
        &self,
        mut voice: Voice,
        terms: &Terms,
        path: &Path,
        stop: &Stop,
        tell: &mut dyn FnMut(Heard<'_>),
    ) -> Result<(), CrashTestError> {
        let mut list = List::create(path, terms, &self.machine)?;
        let mut streams = vec![Ranges::default(); terms.place.streams() as usize];
        let mut last_alive = Instant::now();
        let mut records = 0;
        let end = loop {
            let (batch, ended) = voice.batch(&mut streams);
            if !batch.is_empty() {
                list.add(&batch)?;
                let confirmations: String = batch
                    .iter()
                    .map(|(stream, _, to)| Message::Confirmed { stream: *stream, number: *to })
                    .map(|message| message.line())
                    .collect();
                // A writer that is gone doesn't read it; how it went shows in the next reads.
                let _ = voice.stream.write_all(confirmations.as_bytes());
                records += batch.iter().map(|(_, from, to)| to - from + 1).sum::<u64>();
            }
            if let Some(end) = ended {
                break end;
            }
            if stop.is_set() {
                break End::Stopped;
            }
            if last_alive.elapsed() >= ALIVE_EVERY {
                last_alive = Instant::now();
                let _ = voice.stream.write_all(Message::Alive.line().as_bytes());
                tell(Heard::Records(records));
            }
        };
        tell(Heard::Records(records));
        list.finish(end, voice.last_heard_ms)
    }
}

fn hello(lines: &mut Lines, stop: &Stop) -> Result<Terms, String> {
    let began = Instant::now();
    while began.elapsed() < LONGEST_HELLO && !stop.is_set() {
        match lines.next() {
            Received::Message(Message::Hello(terms)) => return Ok(*terms),
            Received::Message(other) => {
                return Err(format!("no hello but `{}`", other.line().trim()));
            }
            Received::Odd(text) => return Err(text),
            Received::Closed => return Err("it went without a hello".to_string()),
            Received::Nothing => {}
        }
    }
    Err("it said no hello".to_string())
}

/// The writer, as it is heard.
struct Voice {
    lines: Lines,
    stream: TcpStream,
    last_heard: Instant,
    last_heard_ms: u64,
}

impl Voice {
    /// What has come since the last call, as new ranges `(stream, from, to)`, and whether it was the end.
    fn batch(&mut self, streams: &mut [Ranges]) -> (Vec<(u32, u64, u64)>, Option<End>) {
        let mut fresh: Vec<Ranges> = vec![Ranges::default(); streams.len()];
        let mut end = None;
        loop {
            match self.lines.next() {
                Received::Message(message) => {
                    self.last_heard = Instant::now();
                    self.last_heard_ms = now_ms();
                    match message {
                        Message::Acknowledged { stream, number }
                            if plausible(streams, stream, number) =>
                        {
                            fresh[stream as usize].add(number, number);
                        }
                        Message::Alive => {}
                        Message::Goodbye(None) => end = Some(End::Orderly),
                        Message::Goodbye(Some(reason)) => end = Some(End::Failed(reason)),
                        other => end = Some(odd(other.line().trim())),
                    }
                }
                Received::Odd(text) => end = Some(odd(&text)),
                Received::Closed => end = Some(End::Closed),
                Received::Nothing if self.last_heard.elapsed() >= SILENCE => {
                    end = Some(End::Silence)
                }
                Received::Nothing => {}
            }
            if end.is_some() || !self.lines.has_more() {
                break;
            }
        }
        let mut batch = Vec::new();
        for ((stream, fresh), known) in (0..).zip(&fresh).zip(streams) {
            for (from, to) in fresh.iter() {
                known.add(from, to);
                batch.push((stream, from, to));
            }
        }
        (batch, end)
    }
}

/// Whether a writer may be there: it is never further ahead of what was confirmed than the window.
fn plausible(streams: &[Ranges], stream: u32, number: u64) -> bool {
    let known = streams.get(stream as usize).map(|ranges| ranges.highest().unwrap_or(0));
    known.is_some_and(|known| (1..=MOST_RECORDS.min(known + WINDOW)).contains(&number))
}

fn odd(text: &str) -> End {
    End::Failed(format!("the writer said something unexpected: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_is_never_further_ahead_than_the_window() {
        let mut streams = vec![Ranges::default(), Ranges::default()];
        streams[1].add(1, 1000);
        for (stream, number, good) in [
            (0, 0, false),
            (0, 1, true),
            (0, WINDOW, true),
            (0, WINDOW + 1, false),
            (1, 1000 + WINDOW, true),
            (1, 1001 + WINDOW, false),
            (1, u64::MAX, false),
            (2, 1, false),
        ] {
            assert_eq!(plausible(&streams, stream, number), good, "{stream} {number}");
        }
        streams[0].add(MOST_RECORDS, MOST_RECORDS);
        assert!(!plausible(&streams, 0, MOST_RECORDS + 1));
    }
}
