//! What happened, a line each on standard error: a word, then `key=value`, as systemd's journal and log shippers take it.

use std::fmt::Display;
use std::io::Write;

use narrows_nvme::tls::{PskHash, PskIdentity};
use narrows_units::shown;

use crate::connection::Connection;
use crate::controller::{Controller, Service};

/// A line.
pub(crate) fn line(event: &str, fields: &[(&str, &dyn Display)]) {
    let mut text = format!("narrows-target: {event}");
    for (key, value) in fields {
        let value = value.to_string();
        if value.contains([' ', '"']) {
            text.push_str(&format!(" {key}={value:?}"));
        } else {
            text.push_str(&format!(" {key}={value}"));
        }
    }
    // Nobody to tell is no reason to end.
    // What hosts say of themselves is shown without what steers a terminal.
    let _ = writeln!(std::io::stderr().lock(), "{}", shown(&text));
}

fn subsystem_of(controller: &Controller) -> &str {
    match &controller.service {
        Service::Io(subsystem) => subsystem.nqn.as_str(),
        Service::Discovery => narrows_nvme::DISCOVERY_NQN,
    }
}

/// A connection ended; queues of I/O are told only where something was wrong.
pub(crate) fn connection_ended(from: &str, connection: &Connection) {
    let reason = connection.ended_by();
    if reason.is_none() && !connection.is_admin() {
        return;
    }
    let reason = reason.unwrap_or("closed");
    let event =
        if connection.failed_authentication() { "authentication-failed" } else { "disconnected" };
    match connection.controller() {
        Some(controller) => line(
            event,
            &[
                ("from", &from),
                ("host", &controller.host),
                ("subsystem", &subsystem_of(controller)),
                ("controller", &controller.id),
                ("queue", &connection.queue_number().unwrap_or(0)),
                ("reason", &reason),
            ],
        ),
        None => line(event, &[("from", &from), ("reason", &reason)]),
    }
}

/// A host came by TLS.
pub(crate) fn encrypted(identity: &PskIdentity, suite: &str, controller: u16) {
    line(
        "encrypted",
        &[
            ("host", &identity.host),
            ("subsystem", &identity.subsystem),
            ("controller", &controller),
            ("suite", &suite),
        ],
    );
}

/// The cipher suite that goes with a key.
pub(crate) fn suite_of(hash: PskHash) -> &'static str {
    match hash {
        PskHash::Sha256 => "TLS_AES_128_GCM_SHA256",
        PskHash::Sha384 => "TLS_AES_256_GCM_SHA384",
    }
}

/// A host was silent for longer than it promised.
pub(crate) fn host_is_silent(controller: &Controller) {
    line(
        "keep-alive-expired",
        &[
            ("host", &controller.host),
            ("subsystem", &subsystem_of(controller)),
            ("controller", &controller.id),
        ],
    );
}
