//! What a MariaDB server says, or something that answers on its socket: login, text rows, a statement prepared and run in binary.

use narrows_engine::Stop;
use narrows_layer_database::Value;
use narrows_layer_database::kind::{KindError, Sessions};
use narrows_mariadb::MariaDb;

use super::wire::{SOCKET, say};
use crate::property;

/// Talks to it until it has said everything.
pub fn check(data: &[u8]) {
    let socket = say(data).join(SOCKET);
    if let Err(error) = talk(&MariaDb { socket, pid: None }) {
        property::told(&error.to_string(), "");
    }
}

fn talk(server: &MariaDb) -> Result<(), KindError> {
    let settings = ["autocommit = 1".to_string()];
    let statements = ["SELECT v FROM t WHERE k = ?".to_string()];
    let mut session = server.open(&settings, &statements, &[&Stop::new()])?;
    for key in 0..3 {
        session.begin().run(0, &[Value::Int8(key)]);
        session.send()?;
        // It has hung up: what it said is there, and then the end.
        while !session.receive()? {}
        if let (Err(refusal), _) = session.heard() {
            property::harmless(&refusal.message);
        }
        if session.in_transaction() {
            session.send_rollback()?;
        }
    }
    Ok(())
}
