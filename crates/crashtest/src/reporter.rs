//! The writer's line to the second host: names each record whose flush returned, and keeps within what was confirmed.

use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use crate::layout::WINDOW;
use crate::wire::{ALIVE_EVERY, Lines, Message, Received, SILENCE, TICK};
use crate::{CrashTestError, Machine, Terms};

/// How a conversation ends that came to its end.
const CLOSED: &str = "it closed the connection";
const LONGEST_CONNECT: Duration = Duration::from_secs(10);

/// A connection that all streams share.
pub(crate) struct Reporter {
    shared: Arc<Shared>,
    collector: Machine,
    reader: Option<JoinHandle<()>>,
}

struct Shared {
    stream: Mutex<TcpStream>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    confirmed: Vec<u64>,
    lost: Option<String>,
    done: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn send(&self, message: &Message) -> Result<(), CrashTestError> {
        let mut stream = self.stream.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let sent = stream.write_all(message.line().as_bytes());
        sent.map_err(|error| CrashTestError::Lost(error.to_string()))
    }

    fn lose(&self, reason: String) {
        self.state().lost.get_or_insert(reason);
        self.changed.notify_all();
    }
}

impl Reporter {
    /// Connects and agrees on the terms, unless `stop` is set meanwhile.
    pub(crate) fn connect(
        address: &str,
        terms: &Terms,
        stop: &Stop,
    ) -> Result<Reporter, CrashTestError> {
        let unreached = |source| CrashTestError::Unreached { address: address.to_string(), source };
        let stream = connect(address, stop)?.map_err(unreached)?;
        let prepared = stream
            .set_nodelay(true)
            .and_then(|()| stream.set_write_timeout(Some(SILENCE)))
            .and_then(|()| stream.try_clone())
            .and_then(Lines::new);
        let mut lines = prepared.map_err(unreached)?;
        let shared = Arc::new(Shared {
            stream: Mutex::new(stream),
            state: Mutex::new(State {
                confirmed: vec![0; terms.place.streams() as usize],
                lost: None,
                done: false,
            }),
            changed: Condvar::new(),
        });
        shared.send(&Message::Hello(Box::new(terms.clone())))?;
        let collector = welcome(&mut lines, stop).inspect_err(|error| {
            // It may only be slow: its list ends in order too.
            if matches!(error, CrashTestError::Stopped) {
                let _ = shared.send(&Message::Goodbye(None));
            }
        })?;
        let reader = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || read(&shared, lines))
        };
        Ok(Reporter { shared, collector, reader: Some(reader) })
    }

    /// The second host.
    pub(crate) fn collector(&self) -> &Machine {
        &self.collector
    }

    /// Says that this record is durable.
    pub(crate) fn report(&self, stream: u32, number: u64) -> Result<(), CrashTestError> {
        self.shared.send(&Message::Acknowledged { stream, number })
    }

    /// Waits until the record of that number may begin; `false` if `stop` was set meanwhile.
    pub(crate) fn wait_for_room(
        &self,
        stream: u32,
        number: u64,
        stop: &Stop,
    ) -> Result<bool, CrashTestError> {
        let mut state = self.shared.state();
        loop {
            if let Some(reason) = &state.lost {
                return Err(CrashTestError::Lost(reason.clone()));
            }
            if stop.is_set() {
                return Ok(false);
            }
            if number <= state.confirmed[stream as usize].saturating_add(WINDOW) {
                return Ok(true);
            }
            let waited = self.shared.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
    }

    /// Ends the conversation: orderly, or with the reason of a failure. Waits until the other side has closed it, and so
    /// has finished its list.
    ///
    /// # Errors
    /// Where it may not have heard it.
    pub(crate) fn goodbye(self, failure: Option<&str>) -> Result<(), CrashTestError> {
        if let Some(reason) = &self.shared.state().lost {
            return Err(CrashTestError::Lost(reason.clone()));
        }
        self.shared.send(&Message::Goodbye(failure.map(String::from)))?;
        let began = Instant::now();
        let mut state = self.shared.state();
        while state.lost.is_none() && began.elapsed() < SILENCE {
            let waited = self.shared.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
        match state.lost.as_deref() {
            Some(CLOSED) => Ok(()),
            Some(reason) => Err(CrashTestError::Lost(reason.to_string())),
            None => Err(CrashTestError::Lost("it did not answer the goodbye".to_string())),
        }
    }

    /// Says goodbye before the first record; returns why.
    pub(crate) fn give_up(self, error: CrashTestError) -> CrashTestError {
        let text = error.to_string();
        let failure = match error {
            CrashTestError::Stopped => None,
            _ => text.lines().next(),
        };
        let _ = self.goodbye(failure);
        error
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.shared.state().done = true;
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// By a thread of its own: looking up a name and connecting wait for others.
fn connect(address: &str, stop: &Stop) -> Result<io::Result<TcpStream>, CrashTestError> {
    let (to, from) = sync_channel(1);
    let asked = address.to_string();
    std::thread::spawn(move || {
        let _ = to.send(reach(&asked));
    });
    loop {
        // A host that answers at once is told of the stop, and its list ends in order.
        match from.recv_timeout(TICK) {
            Ok(reached) => return Ok(reached),
            Err(RecvTimeoutError::Timeout) if stop.is_set() => return Err(CrashTestError::Stopped),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(Err(io::ErrorKind::Other.into())),
        }
    }
}

fn reach(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, LONGEST_CONNECT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn welcome(lines: &mut Lines, stop: &Stop) -> Result<Machine, CrashTestError> {
    let began = Instant::now();
    while began.elapsed() < SILENCE {
        match lines.next() {
            Received::Message(Message::Welcome(machine))
                if !machine.host.contains(char::is_control) =>
            {
                return Ok(machine);
            }
            Received::Message(Message::Refuse(reason)) => {
                return Err(CrashTestError::Refused(reason));
            }
            Received::Message(other) => {
                return Err(CrashTestError::Protocol(other.line().trim().to_string()));
            }
            Received::Odd(text) => return Err(CrashTestError::Protocol(text)),
            Received::Closed => {
                return Err(CrashTestError::Protocol("it closed the connection".to_string()));
            }
            Received::Nothing if stop.is_set() => return Err(CrashTestError::Stopped),
            Received::Nothing => {}
        }
    }
    Err(CrashTestError::Protocol("nothing, though it took the connection".to_string()))
}

/// Takes confirmations, says every second that we live, and notices when the other side no longer does.
fn read(shared: &Shared, mut lines: Lines) {
    let (mut last_heard, mut last_alive) = (Instant::now(), Instant::now());
    while !shared.state().done {
        match lines.next() {
            Received::Message(message) => {
                last_heard = Instant::now();
                match message {
                    Message::Confirmed { stream, number } => {
                        let mut state = shared.state();
                        if let Some(confirmed) = state.confirmed.get_mut(stream as usize) {
                            *confirmed = number.max(*confirmed);
                        }
                        drop(state);
                        shared.changed.notify_all();
                    }
                    Message::Alive => {}
                    other => return shared.lose(format!("it said `{}`", other.line().trim())),
                }
            }
            Received::Odd(text) => return shared.lose(format!("it said {text}")),
            Received::Closed => return shared.lose(CLOSED.to_string()),
            Received::Nothing if last_heard.elapsed() >= SILENCE => {
                let seconds = SILENCE.as_secs();
                return shared.lose(format!("nothing came for {seconds} s"));
            }
            Received::Nothing => {}
        }
        if last_alive.elapsed() >= ALIVE_EVERY {
            last_alive = Instant::now();
            if let Err(error) = shared.send(&Message::Alive) {
                return shared.lose(error.to_string());
            }
        }
    }
}
