//! The other side of an echo, on the machine of a storage target.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use narrows_engine::Stop;
use narrows_layer_fabric::echo::{EchoEvent, serve};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt;
use crate::ui::Ui;

/// Answers at that address until it is stopped.
///
/// # Errors
/// Nobody can listen there.
pub fn echo(address: SocketAddr, ui: &(dyn Ui + Sync)) -> Result<Exit> {
    let listener = TcpListener::bind(address).map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::AddrInUse => "another program listens there; `ss -ltnp` shows it",
            std::io::ErrorKind::AddrNotAvailable => "`ip address` shows this machine's addresses",
            _ => "try another port, above 1023",
        };
        Failure::hinted(format!("cannot listen at {address}: {error}"), hint)
    })?;
    let stop = Stop::new();
    let signals = interrupt::install(&stop, ui.speaker())?;
    ui.say(&format!("echo at {}; Ctrl-C ends it", listener.local_addr().unwrap_or(address)));
    if !address.ip().is_loopback() {
        ui.say("whoever reaches this port can have messages sent back to them, and keep CPUs busy with that; end it after the test");
    }
    let seen = Mutex::new(ConnectionCounts::default());
    serve(&listener, &stop, &|event| match event {
        EchoEvent::Connected(from) => {
            let first = seen.lock().unwrap_or_else(PoisonError::into_inner).add(from.ip());
            if first {
                ui.say(&format!("{} connected", from.ip()));
            }
        }
        EchoEvent::Ended(_, None) => {}
        EchoEvent::Ended(from, Some(error)) => ui.say(&format!("{from} was let go: {error}")),
        EchoEvent::NotAccepted(error) => ui.say(&format!("cannot accept: {error}")),
        EchoEvent::Refused(from) => ui.say(&format!("{from} was refused: too many connections")),
    })?;
    for line in seen.into_inner().unwrap_or_else(PoisonError::into_inner).lines() {
        ui.say(&line);
    }
    signals.explain();
    Ok(Exit::Done)
}

/// Addresses that are kept apart: whoever has a network of IPv6 has more than fit into any memory.
const ADDRESSES: usize = 256;

/// Who connected, and how often. A measurement opens many connections, and is one line.
#[derive(Debug, Default)]
struct ConnectionCounts {
    connections: BTreeMap<IpAddr, u64>,
    others: u64,
}

impl ConnectionCounts {
    /// Counts a connection; whether it is the first of an address that is kept.
    fn add(&mut self, from: IpAddr) -> bool {
        if self.connections.len() >= ADDRESSES && !self.connections.contains_key(&from) {
            self.others += 1;
            return false;
        }
        let count = self.connections.entry(from).or_default();
        *count += 1;
        *count == 1
    }

    fn lines(&self) -> Vec<String> {
        let of_all = self.connections.iter().map(|(from, count)| (from.to_string(), *count));
        let others = (self.others > 0).then(|| ("other addresses".to_string(), self.others));
        let line = |(from, count)| format!("connections from {from}: {count}");
        of_all.chain(others).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_once_and_counted_to_the_end() {
        let mut seen = ConnectionCounts::default();
        let one = IpAddr::from([192, 0, 2, 1]);
        let other = IpAddr::from([192, 0, 2, 2]);
        assert!(seen.add(one) && !seen.add(one) && seen.add(other) && !seen.add(one));
        assert_eq!(
            seen.lines(),
            ["connections from 192.0.2.1: 3", "connections from 192.0.2.2: 1"]
        );
    }

    #[test]
    fn more_addresses_than_are_kept_are_counted_together() {
        let mut seen = ConnectionCounts::default();
        for low in 0..=u8::MAX {
            assert!(seen.add(IpAddr::from([198, 51, 100, low])));
        }
        assert!(
            !seen.add(IpAddr::from([203, 0, 113, 1])) && !seen.add(IpAddr::from([203, 0, 113, 2]))
        );
        assert_eq!(seen.lines().len(), ADDRESSES + 1);
        assert_eq!(seen.lines()[ADDRESSES], "connections from other addresses: 2");
    }
}
