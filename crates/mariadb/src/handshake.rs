//! How a session begins: the server's greeting, our answer, and nothing secret in it. The server is ours, its socket lies in a folder
//! that admits its user alone, and its roles have no password ("Connecting", `mysql_native_password` with an empty one).

use crate::error::MariaError;
use crate::packet::{Body, begin, end};

/// `CLIENT_LONG_PASSWORD`, `CLIENT_PROTOCOL_41`, `CLIENT_TRANSACTIONS`, `CLIENT_SECURE_CONNECTION`, `CLIENT_PLUGIN_AUTH`. Not: several
/// statements in one, files of ours, compression, ends of rows without their packet.
const CAPABILITIES: u32 = 0x0000_0001 | 0x0000_0200 | 0x0000_2000 | 0x0000_8000 | 0x0008_0000;
/// Of all that a server could want of us those are needed.
const NEEDED: u32 = 0x0000_0200 | 0x0000_8000;
const PLUGIN: &[u8] = b"mysql_native_password";
/// `utf8mb4_general_ci`.
const UTF8: u8 = 45;

/// What a server says first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) version: String,
    pub(crate) connection: u32,
}

impl Greeting {
    pub(crate) fn read(bytes: &[u8]) -> Result<Greeting, MariaError> {
        if bytes.first() == Some(&0xff) {
            return Err(MariaError::Unexpected("a refusal to talk at all"));
        }
        let mut body = Body(bytes);
        let read = (|| {
            let protocol = body.u8()?;
            let version = String::from_utf8_lossy(body.text_to_zero()?).into_owned();
            let connection = body.u32()?;
            body.take(9)?;
            let low = u32::from(body.u16()?);
            body.take(3)?;
            let capabilities = low | u32::from(body.u16()?) << 16;
            Some((protocol, version, connection, capabilities))
        })();
        match read {
            Some((10, version, connection, capabilities)) if capabilities & NEEDED == NEEDED => {
                let version: String = narrows_units::shown(&version).chars().take(100).collect();
                Ok(Greeting { version, connection })
            }
            Some((10, ..)) => Err(MariaError::Unexpected("a protocol before version 4.1")),
            Some(_) => Err(MariaError::Unexpected("another protocol than version 10")),
            None => Err(MariaError::Unexpected("a greeting that is too short")),
        }
    }
}

/// Our answer, without a password.
pub(crate) fn answer(user: &str, sequence: u8) -> Vec<u8> {
    let mut out = Vec::new();
    let body = begin(&mut out, sequence);
    out.extend_from_slice(&CAPABILITIES.to_le_bytes());
    out.extend_from_slice(&(16u32 << 20).to_le_bytes());
    out.push(UTF8);
    out.extend_from_slice(&[0; 23]);
    out.extend_from_slice(user.as_bytes());
    out.push(0);
    // The answer to a scramble without a password is empty.
    out.push(0);
    out.extend_from_slice(PLUGIN);
    out.push(0);
    end(&mut out, body);
    out
}

/// Whether a request for another way to log in is one that we have.
pub(crate) fn is_native(switch: &[u8]) -> bool {
    switch.first() == Some(&0xfe) && Body(&switch[1..]).text_to_zero() == Some(PLUGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a 10.11 says it.
    fn greeting() -> Vec<u8> {
        let mut bytes = b"\x0a10.11.19-MariaDB\0".to_vec();
        bytes.extend(77u32.to_le_bytes());
        bytes.extend(b"12345678\0");
        bytes.extend(0xf7feu16.to_le_bytes());
        bytes.extend([45, 2, 0]);
        bytes.extend(0x81bfu16.to_le_bytes());
        bytes.extend([21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(b"123456789012\0mysql_native_password\0");
        bytes
    }

    #[test]
    fn a_greeting_is_read_and_none_that_is_cut_off_or_of_another_protocol() {
        let whole = greeting();
        let seen = Greeting::read(&whole).unwrap();
        assert_eq!((seen.version.as_str(), seen.connection), ("10.11.19-MariaDB", 77));
        for length in 0..35 {
            assert!(Greeting::read(&whole[..length]).is_err(), "{length}");
        }
        let mut other = whole.clone();
        other[0] = 9;
        assert!(Greeting::read(&other).is_err());
        assert!(Greeting::read(b"\xff\x10\x04Too many connections").is_err());
        let steering = [b"\x0a\x1b[2J\0".as_slice(), &whole[18..]].concat();
        assert!(!Greeting::read(&steering).unwrap().version.contains('\x1b'));
    }

    #[test]
    fn the_answer_says_who_we_are_and_nothing_secret() {
        let bytes = answer("bob", 1);
        assert_eq!(bytes[3], 1);
        assert_eq!(usize::from(bytes[0]), bytes.len() - 4);
        assert!(bytes.ends_with(b"bob\0\0mysql_native_password\0"));
        assert!(is_native(b"\xfemysql_native_password\0scramble"));
        assert!(
            !is_native(b"\xfemysql_clear_password\0") && !is_native(b"\xfe") && !is_native(b"")
        );
    }
}
