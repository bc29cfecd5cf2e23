//! What stands between a host and a target and cuts their connections at a named PDU, or loses it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Types of PDUs.
pub(crate) const COMMAND: u8 = 4;
pub(crate) const RESPONSE: u8 = 5;
pub(crate) const DATA_TO_TARGET: u8 = 6;
pub(crate) const DATA_TO_HOST: u8 = 7;
pub(crate) const READY: u8 = 9;

/// Where QID stands in a Connect command's PDU.
const QUEUE_AT: usize = 8 + 42;

/// All connections end at the `number`th PDU of a type (from 1, of I/O queues), of which so many hundredths still pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) pdu: u8,
    pub(crate) number: u32,
    pub(crate) passes: usize,
}

#[derive(Debug, Default)]
struct State {
    cut: Option<Cut>,
    /// The type of the PDU of which the next doesn't pass, while all others do.
    withheld: Option<u8>,
    seen: u32,
    cuts: u32,
    sockets: Vec<TcpStream>,
}

/// Listens before the target at that port, and hands each connection's two ends over, the host's first; where it listens.
fn stand_before(target: u16, mut each: impl FnMut([TcpStream; 2]) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for host in listener.incoming().map_while(Result::ok) {
            let Ok(target) = TcpStream::connect(("127.0.0.1", target)) else { continue };
            each([host, target]);
        }
    });
    port
}

fn clones(ends: &[TcpStream; 2]) -> [TcpStream; 2] {
    ends.each_ref().map(|end| end.try_clone().unwrap())
}

fn swapped([host, target]: [TcpStream; 2]) -> (TcpStream, TcpStream) {
    (target, host)
}

/// The cutter.
pub(crate) struct Cutter {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

impl Cutter {
    /// One before the target at that port.
    pub(crate) fn before(target: u16) -> Cutter {
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        let port = stand_before(target, move |ends| {
            shared.lock().unwrap().sockets.extend(clones(&ends));
            let is_io = Arc::new(Mutex::new(false));
            let [host, target] = clones(&ends);
            for (from, to) in [(host, target), swapped(ends)] {
                let (state, is_io) = (Arc::clone(&shared), Arc::clone(&is_io));
                std::thread::spawn(move || pass(&from, &to, &state, &is_io));
            }
        });
        Cutter { port, state }
    }

    /// The next cut.
    pub(crate) fn plan(&self, cut: Cut) {
        let mut state = self.state.lock().unwrap();
        (state.cut, state.seen) = (Some(cut), 0);
    }

    /// The next PDU of that type, of an I/O queue, is lost, and nothing else.
    pub(crate) fn withhold(&self, pdu: u8) {
        self.state.lock().unwrap().withheld = Some(pdu);
    }

    /// Whether it still waits for what it is to withhold.
    pub(crate) fn waits_to_withhold(&self) -> bool {
        self.state.lock().unwrap().withheld.is_some()
    }

    /// Cuts now.
    pub(crate) fn cut(&self) {
        self.state.lock().unwrap().cut_all();
    }

    /// How often it did.
    pub(crate) fn cuts(&self) -> u32 {
        self.state.lock().unwrap().cuts
    }
}

impl State {
    fn cut_all(&mut self) {
        self.cuts += 1;
        self.cut = None;
        for socket in self.sockets.drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

/// Hands PDUs on, until one of them is where the connections are cut.
fn pass(from: &TcpStream, to: &TcpStream, state: &Mutex<State>, is_io: &Mutex<bool>) {
    while let Some(pdu) = next_pdu(from) {
        // A connection's first command is Connect.
        if pdu[0] == COMMAND && pdu[8] == 0x7F && pdu[8 + 4] == 1 {
            *is_io.lock().unwrap() = pdu[QUEUE_AT..QUEUE_AT + 2] != [0, 0];
        } else if *is_io.lock().unwrap() {
            let mut state = state.lock().unwrap();
            if state.withheld == Some(pdu[0]) {
                state.withheld = None;
                continue;
            }
            if let Some(cut) = state.cut.filter(|cut| cut.pdu == pdu[0]) {
                state.seen += 1;
                if state.seen == cut.number {
                    let mut to = to;
                    let _ = to.write_all(&pdu[..pdu.len() * cut.passes / 100]);
                    state.cut_all();
                    break;
                }
            }
        }
        let mut to = to;
        if to.write_all(&pdu).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// The next PDU, whole; `None` at the end.
pub(crate) fn next_pdu(mut from: &TcpStream) -> Option<Vec<u8>> {
    let mut header = [0; 8];
    from.read_exact(&mut header).ok()?;
    let length = u32::from_le_bytes(header[4..].try_into().unwrap()) as usize;
    let mut pdu = header.to_vec();
    pdu.resize(length, 0);
    from.read_exact(&mut pdu[8..]).ok()?;
    Some(pdu)
}

/// What stands between a host and a target, hands on what it doesn't understand, and changes a byte of it or cuts it.
pub(crate) struct Relay {
    pub(crate) port: u16,
    state: Arc<Mutex<RelayState>>,
}

#[derive(Debug, Default)]
struct RelayState {
    /// Bytes of a direction (up to the target or not), of one connection, behind which one is changed.
    damage: Option<(u64, bool)>,
    damaged: u32,
    sockets: Vec<TcpStream>,
}

impl Relay {
    /// One before the target at that port.
    pub(crate) fn before(target: u16) -> Relay {
        let state: Arc<Mutex<RelayState>> = Arc::default();
        let shared = Arc::clone(&state);
        let port = stand_before(target, move |ends| {
            shared.lock().unwrap().sockets.extend(clones(&ends));
            let [host, target] = clones(&ends);
            for ((from, to), up) in [((host, target), true), (swapped(ends), false)] {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || hand_on(&from, &to, up, &state));
            }
        });
        Relay { port, state }
    }

    /// Of the next connection that carries more than so many bytes from now on, one is changed: up to the target, or down from it.
    pub(crate) fn damage_after(&self, bytes: u64, up: bool) {
        self.state.lock().unwrap().damage = Some((bytes, up));
    }

    /// How many were.
    pub(crate) fn damaged(&self) -> u32 {
        self.state.lock().unwrap().damaged
    }

    /// Ends all connections.
    pub(crate) fn cut(&self) {
        for socket in self.state.lock().unwrap().sockets.drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

fn hand_on(mut from: &TcpStream, mut to: &TcpStream, up: bool, state: &Mutex<RelayState>) {
    let mut bytes = vec![0; 16 << 10];
    while let Ok(came @ 1..) = from.read(&mut bytes) {
        let mut state = state.lock().unwrap();
        if let Some((left, direction)) = &mut state.damage
            && *direction == up
        {
            match usize::try_from(*left).ok().filter(|at| *at < came) {
                Some(at) => {
                    bytes[at] ^= 0x10;
                    state.damage = None;
                    state.damaged += 1;
                }
                None => *left -= came as u64,
            }
        }
        drop(state);
        if to.write_all(&bytes[..came]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// What stands between a host and a target, or whatever else listens, as a long way does: each byte arrives so much later, either way, however
/// many are under way. Where it listens.
pub(crate) fn long_way(target: u16, later: Duration) -> u16 {
    stand_before(target, move |ends| {
        for end in &ends {
            // A part of an answer waits for no acknowledgement of another.
            end.set_nodelay(true).unwrap();
        }
        let [host, target] = clones(&ends);
        for (mut from, mut to) in [(host, target), swapped(ends)] {
            let (sender, under_way) = channel::<(Instant, Vec<u8>)>();
            std::thread::spawn(move || {
                let mut bytes = vec![0; 64 << 10];
                while let Ok(came @ 1..) = from.read(&mut bytes) {
                    if sender.send((Instant::now() + later, bytes[..came].to_vec())).is_err() {
                        break;
                    }
                }
            });
            std::thread::spawn(move || {
                for (due, bytes) in under_way {
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    if to.write_all(&bytes).is_err() {
                        break;
                    }
                }
                let _ = to.shutdown(Shutdown::Both);
            });
        }
    })
}
