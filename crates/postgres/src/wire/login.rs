//! Who we are, in the way that the server asks for it.

use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::{md5_hash, sasl};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use narrows_tls::{ChannelBinding, Tls};

use super::{Connection, WireError};
use crate::address::{Address, Endpoint};

/// Iterations of SCRAM that are computed: under a second of time.
const MOST_ITERATIONS: u64 = 1_000_000;

/// What the address says of TLS; sockets have none.
fn tls(address: &Address) -> Option<&Tls> {
    match &address.endpoint {
        Endpoint::Tcp { tls, .. } => Some(tls),
        Endpoint::Unix { .. } => None,
    }
}

/// Whether a password may go out as it is: nobody between can read it, or the user said so.
fn may_be_clear(address: &Address, encrypted: bool) -> bool {
    let on_request = tls(address).is_some_and(|tls| tls.settings().plain_on_request);
    encrypted || on_request || address.is_local()
}

impl Connection {
    pub(super) fn authenticate(&mut self, address: &Address) -> Result<(), WireError> {
        let password =
            || address.password.as_ref().map(|secret| secret.reveal()).ok_or(WireError::Password);
        let binding = tls(address).map(|tls| tls.settings().binding).unwrap_or_default();
        let encrypted = self.stream.tls().is_some();
        loop {
            match self.next()? {
                Message::AuthenticationOk if binding == ChannelBinding::Require && !self.bound => {
                    return Err(WireError::Binding("the server asked for none"));
                }
                Message::AuthenticationOk => return Ok(()),
                Message::AuthenticationCleartextPassword
                | Message::AuthenticationMd5Password(_)
                    if binding == ChannelBinding::Require =>
                {
                    return Err(WireError::Binding("the server asks for another kind"));
                }
                Message::AuthenticationCleartextPassword if !may_be_clear(address, encrypted) => {
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
                    self.scram(password()?, &offered, binding)?;
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

    fn scram(
        &mut self,
        password: &str,
        offered: &[String],
        binding: ChannelBinding,
    ) -> Result<(), WireError> {
        let end_point = self.stream.tls().and_then(|tls| tls.end_point());
        let (mechanism, how) = mechanism(offered, end_point, binding)?;
        let mut exchange = sasl::ScramSha256::new(password.as_bytes(), how);
        frontend::sasl_initial_response(mechanism, exchange.message(), &mut self.outbox)?;
        self.send()?;
        let Message::AuthenticationSaslContinue(body) = self.next()? else {
            return Err(WireError::Unexpected("no continuation of SCRAM"));
        };
        affordable(body.data())?;
        exchange.update(body.data())?;
        frontend::sasl_response(exchange.message(), &mut self.outbox)?;
        self.send()?;
        let Message::AuthenticationSaslFinal(body) = self.next()? else {
            return Err(WireError::Unexpected("no end of SCRAM"));
        };
        exchange.finish(body.data())?;
        self.bound = mechanism == sasl::SCRAM_SHA_256_PLUS;
        Ok(())
    }
}

/// Refuses a number of iterations that would keep us at computing for minutes; `scram_iterations` is 4,096 unless somebody changed
/// it.
fn affordable(server_first: &[u8]) -> Result<(), WireError> {
    let mut fields = server_first.split(|byte| *byte == b',');
    let said = fields.find_map(|field| field.strip_prefix(b"i="));
    let number = said.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u64>().ok());
    match number {
        Some(number) if number > MOST_ITERATIONS => {
            Err(WireError::Unexpected("more iterations of SCRAM than any server needs"))
        }
        _ => Ok(()),
    }
}

/// The best of the offered mechanisms, and what we say of tying it to the certificate: so that nobody between can take the better
/// one from the offer, the server is told that we could have (RFC 5802, section 6).
fn mechanism(
    offered: &[String],
    end_point: Option<Vec<u8>>,
    binding: ChannelBinding,
) -> Result<(&'static str, sasl::ChannelBinding), WireError> {
    let has = |name| offered.iter().any(|offer| offer == name);
    let how = match (binding, end_point) {
        (ChannelBinding::Prefer | ChannelBinding::Require, Some(end_point))
            if has(sasl::SCRAM_SHA_256_PLUS) =>
        {
            let tied = sasl::ChannelBinding::tls_server_end_point(end_point);
            return Ok((sasl::SCRAM_SHA_256_PLUS, tied));
        }
        (ChannelBinding::Require, Some(_)) => {
            return Err(WireError::Binding("the server does not offer it"));
        }
        (ChannelBinding::Require, None) => {
            return Err(WireError::Binding(
                "there is no TLS, or its certificate gives nothing to tie it to",
            ));
        }
        (ChannelBinding::Prefer, Some(_)) => sasl::ChannelBinding::unrequested(),
        _ => sasl::ChannelBinding::unsupported(),
    };
    if !has(sasl::SCRAM_SHA_256) {
        return Err(WireError::Authentication("a SASL method other than SCRAM-SHA-256"));
    }
    Ok((sasl::SCRAM_SHA_256, how))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// What a server that asks for the password in clear text at that host got to read after its question.
    fn asked_in_clear_text(host: &str, sslmode: &str) -> (WireError, Vec<u8>) {
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
        let url = format!("postgres://bob:hunter2@{host}:{port}/shop?sslmode={sslmode}");
        let address = Address::parse(&url).unwrap();
        let Err(error) = Connection::open(&address, &[]) else { panic!("nobody let us in") };
        (error, server.join().unwrap())
    }

    #[test]
    fn a_password_crosses_no_network_in_clear_text() {
        // This address reaches this machine, and doesn't look like it.
        let (error, answer) = asked_in_clear_text("0.0.0.0", "allow");
        assert!(matches!(error, WireError::ClearText), "{error}");
        assert_eq!(answer, b"");
        // To this machine, and where the address says so.
        for (host, sslmode) in [("127.0.0.1", "allow"), ("0.0.0.0", "disable")] {
            let (error, answer) = asked_in_clear_text(host, sslmode);
            assert!(matches!(error, WireError::Io(_)), "{error}");
            assert_eq!(answer, b"p\0\0\0\x0chunter2\0");
        }
    }

    #[test]
    fn a_password_is_not_hashed_for_hours() {
        assert!(affordable(b"r=abc,s=c2FsdA==,i=4096").is_ok());
        assert!(affordable(b"r=abc,s=c2FsdA==").is_ok());
        for many in ["1000001", "2147483647", "4294967295"] {
            assert!(affordable(format!("r=abc,s=c2FsdA==,i={many}").as_bytes()).is_err());
        }
    }

    #[test]
    fn a_password_is_tied_to_the_certificate_where_both_sides_can() {
        use ChannelBinding::{Disable, Prefer, Require};
        let both = [sasl::SCRAM_SHA_256.to_string(), sasl::SCRAM_SHA_256_PLUS.to_string()];
        let plain = &both[..1];
        // What we say is the head of the first message (RFC 5802, section 7).
        let said = |offered: &[String], tls: bool, binding| {
            let (name, how) = mechanism(offered, tls.then(|| vec![1]), binding).ok()?;
            let exchange = sasl::ScramSha256::new(b"x", how);
            let message = String::from_utf8(exchange.message().to_vec()).unwrap();
            Some((name, message.split(",n=").next().unwrap().to_string()))
        };
        let is = |name, head: &str| Some((name, head.to_string()));
        let tied = is(sasl::SCRAM_SHA_256_PLUS, "p=tls-server-end-point,");
        assert_eq!(said(&both, true, Prefer), tied);
        assert_eq!(said(&both, true, Require), tied);
        assert_eq!(said(&both, true, Disable), is(sasl::SCRAM_SHA_256, "n,"));
        assert_eq!(said(plain, true, Prefer), is(sasl::SCRAM_SHA_256, "y,"));
        assert_eq!(said(plain, false, Prefer), is(sasl::SCRAM_SHA_256, "n,"));
        assert_eq!(said(plain, true, Require), None);
        assert_eq!(said(&both, false, Require), None);
        assert_eq!(said(&["OTHER".to_string()], true, Prefer), None);
    }
}
