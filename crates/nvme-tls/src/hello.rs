//! A host's first message, ClientHello (RFC 8446, section 4.1.2), as far as a key is to be found by it.
//!
//! It comes from whoever reaches the port, before anything is proven. It is gathered up to a limit, every length is checked before it is
//! used, and of what it holds only the names of keys leave here. The message itself goes to the library as it came, which judges it anew.

use crate::TlsError;

/// Content types of records.
pub(crate) const HANDSHAKE: u8 = 22;
pub(crate) const ALERT: u8 = 21;
/// Length of a record's header, bytes.
pub(crate) const RECORD_HEADER: usize = 5;
/// Most bytes of a record that isn't encrypted.
const LONGEST_RECORD: usize = 1 << 14;
/// Most bytes that are gathered: those of a first message with its records' headers. One with two keys has some 1,500.
const LONGEST: usize = 8 << 10;
/// Names that are looked at.
const MOST_NAMES: usize = 16;

const CLIENT_HELLO: u8 = 1;
const SUPPORTED_VERSIONS: u16 = 43;
const KEY_EXCHANGE_MODES: u16 = 45;
const PRE_SHARED_KEY: u16 = 41;
const TLS_1_3: [u8; 2] = [3, 4];
const PSK_DHE_KE: u8 = 1;

/// A key that a host offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Its name.
    pub(crate) name: Vec<u8>,
    /// Length of the proof that the host has it (binder), as the hash's values are long; 0 where there is none.
    pub(crate) binder_bytes: usize,
}

/// A first message that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    /// As it came.
    pub(crate) bytes: Vec<u8>,
}

impl Gathering {
    /// Takes what came; the keys that are offered once the message is whole, in the host's order. What is beyond the limit stays with who gave it,
    /// as an error.
    pub(crate) fn take(&mut self, input: &[u8]) -> Result<Option<Vec<Offer>>, TlsError> {
        // More than a first message may come at once only from who doesn't wait for an answer.
        if self.bytes.len() + input.len() > LONGEST {
            return Err(TlsError::Hello("it is too long"));
        }
        self.bytes.extend_from_slice(input);
        match self.bytes.first() {
            Some(&HANDSHAKE) => {}
            Some(_) => return Err(TlsError::NotTls),
            None => return Ok(None),
        }
        match message_of(&self.bytes)? {
            Some(message) => offers_of(&message).map(Some),
            None => Ok(None),
        }
    }
}

/// The message that records carry, once it is whole.
fn message_of(mut records: &[u8]) -> Result<Option<Vec<u8>>, TlsError> {
    let mut message = Vec::new();
    while let Some((header, rest)) = records.split_first_chunk::<RECORD_HEADER>() {
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        if header[0] != HANDSHAKE || header[1] != 3 || length == 0 || length > LONGEST_RECORD {
            return Err(TlsError::Hello("a record's header is none of it"));
        }
        let Some((fragment, rest)) = rest.split_at_checked(length) else { break };
        message.extend_from_slice(fragment);
        records = rest;
        if message[0] != CLIENT_HELLO {
            return Err(TlsError::Hello("another message comes first"));
        }
        if let Some((header, body)) = message.split_first_chunk::<4>() {
            let length = u32::from_be_bytes([0, header[1], header[2], header[3]]) as usize;
            if length > LONGEST {
                return Err(TlsError::Hello("it is too long"));
            }
            if let Some(body) = body.get(..length) {
                return Ok(Some(body.to_vec()));
            }
        }
    }
    Ok(None)
}

/// Reads from the front of a message.
struct Reader<'a>(&'a [u8]);

const SHORT: TlsError = TlsError::Hello("it ends within a field");

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], TlsError> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or(SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self, bytes: usize) -> Result<usize, TlsError> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// What follows behind its length, which has so many bytes.
    fn vector(&mut self, length_bytes: usize) -> Result<Reader<'a>, TlsError> {
        let length = self.number(length_bytes)?;
        self.take(length).map(Reader)
    }
}

/// The keys that a message offers.
fn offers_of(message: &[u8]) -> Result<Vec<Offer>, TlsError> {
    let mut message = Reader(message);
    // Version of old and random number.
    message.take(2 + 32)?;
    // Session, cipher suites, compression.
    for length_bytes in [1, 2, 1] {
        message.vector(length_bytes)?;
    }
    let (mut version, mut mode, mut offers) = (false, false, None);
    let mut extensions = message.vector(2)?;
    while !extensions.0.is_empty() {
        let kind = extensions.number(2)?;
        let mut content = extensions.vector(2)?;
        match u16::try_from(kind) {
            Ok(SUPPORTED_VERSIONS) => {
                version = content.vector(1)?.0.chunks_exact(2).any(|each| *each == TLS_1_3);
            }
            Ok(KEY_EXCHANGE_MODES) => mode = content.vector(1)?.0.contains(&PSK_DHE_KE),
            Ok(PRE_SHARED_KEY) => offers = Some(keys_of(content)?),
            _ => {}
        }
    }
    if !version {
        return Err(TlsError::Unsuited("no TLS 1.3"));
    }
    match offers {
        Some(offers) if mode && !offers.is_empty() => Ok(offers),
        Some(_) => Err(TlsError::Unsuited("no pre-shared key with key exchange (psk_dhe_ke)")),
        None => Err(TlsError::Unsuited("no pre-shared key")),
    }
}

fn keys_of(mut content: Reader<'_>) -> Result<Vec<Offer>, TlsError> {
    let (mut names, mut binders) = (content.vector(2)?, content.vector(2)?);
    let mut offers = Vec::new();
    while !names.0.is_empty() && offers.len() < MOST_NAMES {
        let name = names.vector(2)?.0.to_vec();
        // Age of a ticket.
        names.take(4)?;
        let binder_bytes = if binders.0.is_empty() { 0 } else { binders.vector(1)?.0.len() };
        offers.push(Offer { name, binder_bytes });
    }
    Ok(offers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(length_bytes: usize, content: &[u8]) -> Vec<u8> {
        let length = (content.len() as u64).to_be_bytes();
        [&length[8 - length_bytes..], content].concat()
    }

    fn extension(kind: u16, content: &[u8]) -> Vec<u8> {
        [&kind.to_be_bytes()[..], &vector(2, content)].concat()
    }

    fn versions(version: [u8; 2]) -> Vec<u8> {
        extension(SUPPORTED_VERSIONS, &vector(1, &version))
    }

    fn modes(mode: u8) -> Vec<u8> {
        extension(KEY_EXCHANGE_MODES, &vector(1, &[mode]))
    }

    fn keys(names: &[&str]) -> Vec<u8> {
        let entry = |name: &&str| [&vector(2, name.as_bytes())[..], &[0; 4]].concat();
        let identities: Vec<u8> = names.iter().flat_map(entry).collect();
        let binders: Vec<u8> = names.iter().flat_map(|_| vector(1, &[7; 32])).collect();
        let binders = vector(2, &binders);
        extension(PRE_SHARED_KEY, &[vector(2, &identities), binders].concat())
    }

    fn message(extensions: &[Vec<u8>]) -> Vec<u8> {
        let mut body = vec![3, 3];
        body.extend([9; 32]);
        body.extend(vector(1, &[1; 32]));
        body.extend(vector(2, &[0x13, 1, 0x13, 2]));
        body.extend(vector(1, &[0]));
        body.extend(vector(2, &extensions.concat()));
        [&[CLIENT_HELLO][..], &vector(3, &body)].concat()
    }

    fn records(message: &[u8], fragment: usize) -> Vec<u8> {
        let record = |part: &[u8]| [&[HANDSHAKE, 3, 1][..], &vector(2, part)].concat();
        message.chunks(fragment).flat_map(record).collect()
    }

    fn good() -> Vec<u8> {
        message(&[versions(TLS_1_3), modes(PSK_DHE_KE), keys(&["one", "two"])])
    }

    fn taken(bytes: &[u8]) -> Result<Option<Vec<Offer>>, TlsError> {
        Gathering::default().take(bytes)
    }

    #[test]
    fn names_are_found_however_the_message_is_cut() {
        let names = [b"one", b"two"].map(|name| Offer { name: name.to_vec(), binder_bytes: 32 });
        let names = names.to_vec();
        for fragment in [1, 3, 50, 10_000] {
            let bytes = records(&good(), fragment);
            assert_eq!(taken(&bytes), Ok(Some(names.clone())), "{fragment}");
            // And byte by byte: not before the last.
            let mut gathering = Gathering::default();
            for (at, byte) in bytes.iter().enumerate() {
                let expected = (at + 1 == bytes.len()).then(|| names.clone());
                assert_eq!(gathering.take(&[*byte]), Ok(expected), "{at}");
            }
            assert_eq!(gathering.bytes, bytes);
        }
    }

    #[test]
    fn what_does_not_suit_is_told_apart() {
        let unsuited = |extensions: &[Vec<u8>]| match taken(&records(&message(extensions), 9000)) {
            Err(TlsError::Unsuited(what)) => what,
            other => panic!("{other:?}"),
        };
        assert_eq!(unsuited(&[]), "no TLS 1.3");
        assert_eq!(unsuited(&[versions([3, 3]), modes(1), keys(&["a"])]), "no TLS 1.3");
        assert_eq!(unsuited(&[versions(TLS_1_3), modes(1)]), "no pre-shared key");
        for bad in
            [[versions(TLS_1_3), modes(0), keys(&["a"])], [versions(TLS_1_3), modes(1), keys(&[])]]
        {
            assert!(unsuited(&bad).contains("psk_dhe_ke"));
        }
        assert_eq!(taken(b"\0\0\x80\0"), Err(TlsError::NotTls));
        assert_eq!(taken(b"GET / HTTP/1.1"), Err(TlsError::NotTls));
        assert!(matches!(taken(&[22, 3, 1, 0, 1, 2]), Err(TlsError::Hello(_))), "a ServerHello");
        assert!(matches!(taken(&[22, 2, 1, 0, 1, 1]), Err(TlsError::Hello(_))), "another version");
        assert!(matches!(taken(&[22, 3, 1, 0, 0]), Err(TlsError::Hello(_))), "an empty record");
        assert!(
            matches!(taken(&[22, 3, 1, 0, 4, 1, 1, 0, 0]), Err(TlsError::Hello(_))),
            "too long"
        );
        assert_eq!(taken(&[22, 3, 1, 0, 4, 1, 0, 1, 0]), Ok(None));
    }

    #[test]
    fn no_more_is_gathered_than_the_limit() {
        let mut gathering = Gathering::default();
        // A record that never ends, byte by byte, and records of one byte each.
        gathering.take(&[22, 3, 1, 0x40, 0, 1, 0, 31, 0]).unwrap();
        let mut least = gathering.bytes.len();
        while gathering.take(&[0]).is_ok() {
            least += 1;
            assert!(least <= LONGEST);
        }
        assert_eq!(gathering.bytes.len(), LONGEST);
        let many: Vec<&str> = vec!["name"; 100];
        let names = taken(&records(&message(&[versions(TLS_1_3), modes(1), keys(&many)]), 9000));
        assert_eq!(names.unwrap().unwrap().len(), MOST_NAMES);
    }

    #[test]
    fn of_a_stranger_s_long_names_a_part_is_told() {
        let long = "x".repeat(3000);
        let bytes = records(&message(&[versions(TLS_1_3), modes(1), keys(&[&long, &long])]), 9000);
        let taken = crate::Session::target().receive(&bytes, &crate::NoKeys, &mut Vec::new());
        let Err(TlsError::NoKey(told)) = taken else { panic!("{taken:?}") };
        assert!(told.starts_with("xxx") && told.len() < 1100, "{} bytes", told.len());
    }

    proptest! {
        #[test]
        fn changed_and_cut_messages_are_read_or_refused(
            at in 0usize..200, byte: u8, cut in 0usize..200, fragment in 1usize..300,
        ) {
            let mut bytes = records(&good(), fragment);
            let (at, cut) = (at % bytes.len(), cut % bytes.len());
            bytes[at] = byte;
            let _ = taken(&bytes[..cut]);
            if let Ok(Some(names)) = taken(&bytes) {
                prop_assert!(names.len() <= MOST_NAMES);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(mut bytes in proptest::collection::vec(any::<u8>(), 1..400)) {
            let _ = taken(&bytes);
            bytes.splice(0..0, [HANDSHAKE, 3, 1, 0, 200, CLIENT_HELLO, 0, 0, 150]);
            let _ = taken(&bytes);
        }
    }
}
