//! The other side of an echo, on the machine of a storage target.

use std::net::{SocketAddr, TcpListener};

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
    serve(&listener, &stop, &|event| match event {
        EchoEvent::Connected(from) => ui.say(&format!("{from} connected")),
        EchoEvent::Ended(_, None) => {}
        EchoEvent::Ended(from, Some(error)) => ui.say(&format!("{from} was let go: {error}")),
        EchoEvent::NotAccepted(error) => ui.say(&format!("cannot accept: {error}")),
        EchoEvent::Refused(from) => ui.say(&format!("{from} was refused: too many connections")),
    })?;
    signals.explain();
    Ok(Exit::Done)
}
