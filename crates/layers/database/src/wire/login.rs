//! Who we are, in the way that the server asks for it.

use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::{md5_hash, sasl};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::{Connection, WireError};
use crate::address::Address;

impl Connection {
    pub(super) fn authenticate(&mut self, address: &Address) -> Result<(), WireError> {
        let password =
            || address.password.as_ref().map(|secret| secret.reveal()).ok_or(WireError::Password);
        loop {
            match self.next()? {
                Message::AuthenticationOk => return Ok(()),
                Message::AuthenticationCleartextPassword if !address.is_local() => {
                    return Err(WireError::ClearText);
                }
                Message::AuthenticationCleartextPassword => {
                    frontend::password_message(password()?.as_bytes(), &mut self.outbox)?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let hash =
                        md5_hash(address.user.as_bytes(), password()?.as_bytes(), body.salt());
                    frontend::password_message(hash.as_bytes(), &mut self.outbox)?;
                }
                Message::AuthenticationSasl(body) => {
                    let offered: Vec<String> =
                        body.mechanisms().map(|m| Ok(m.to_string())).collect()?;
                    if !offered.iter().any(|m| m == sasl::SCRAM_SHA_256) {
                        return Err(WireError::Authentication(
                            "a SASL method other than SCRAM-SHA-256",
                        ));
                    }
                    self.scram(password()?)?;
                    continue;
                }
                Message::AuthenticationGss | Message::AuthenticationKerberosV5 => {
                    return Err(WireError::Authentication("Kerberos"));
                }
                Message::AuthenticationSspi => return Err(WireError::Authentication("SSPI")),
                _ => return Err(WireError::Unexpected("a message during authentication")),
            }
            self.send()?;
        }
    }

    fn scram(&mut self, password: &str) -> Result<(), WireError> {
        let mut exchange =
            sasl::ScramSha256::new(password.as_bytes(), sasl::ChannelBinding::unsupported());
        frontend::sasl_initial_response(sasl::SCRAM_SHA_256, exchange.message(), &mut self.outbox)?;
        self.send()?;
        let Message::AuthenticationSaslContinue(body) = self.next()? else {
            return Err(WireError::Unexpected("no continuation of SCRAM"));
        };
        exchange.update(body.data())?;
        frontend::sasl_response(exchange.message(), &mut self.outbox)?;
        self.send()?;
        let Message::AuthenticationSaslFinal(body) = self.next()? else {
            return Err(WireError::Unexpected("no end of SCRAM"));
        };
        Ok(exchange.finish(body.data())?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// What a server that asks for the password in clear text at that host got to read after its question.
    fn asked_in_clear_text(host: &str) -> (WireError, Vec<u8>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut start = [0; 4];
            stream.read_exact(&mut start).unwrap();
            let mut rest = vec![0; u32::from_be_bytes(start) as usize - 4];
            stream.read_exact(&mut rest).unwrap();
            stream.write_all(b"R\0\0\0\x08\0\0\0\x03").unwrap();
            let mut answer = vec![0; 256];
            let length = stream.read(&mut answer).unwrap();
            answer.truncate(length);
            answer
        });
        let address =
            Address::parse(&format!("postgres://bob:hunter2@{host}:{port}/shop")).unwrap();
        let Err(error) = Connection::open(&address, &[]) else { panic!("nobody let us in") };
        (error, server.join().unwrap())
    }

    #[test]
    fn a_password_crosses_no_network_in_clear_text() {
        // This address reaches this machine, and doesn't look like it.
        let (error, answer) = asked_in_clear_text("0.0.0.0");
        assert!(matches!(error, WireError::ClearText), "{error}");
        assert_eq!(answer, b"");
        let (error, answer) = asked_in_clear_text("127.0.0.1");
        assert!(matches!(error, WireError::Io(_)), "{error}");
        assert_eq!(answer, b"p\0\0\0\x0chunter2\0");
    }
}
