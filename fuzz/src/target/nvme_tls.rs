//! TLS of NVMe/TCP: what a stranger says to a target first, what comes to either side at each stage of a connection, and what a network
//! does to both of them; cut anywhere.

use std::cell::RefCell;

use narrows_nvme::Nqn;
use narrows_nvme::tls::{ConfiguredKey, PskHash, PskIdentity, TlsPsk};
use narrows_nvme_tls::{KeyRing, NoKeys, RECORD_BYTES, Session, TlsError};

use super::text;
use crate::property;

/// Most bytes of a first message, with its records' headers.
const LONGEST_HELLO: usize = 8 << 10;
/// Names of keys that a target looks at.
const MOST_NAMES: usize = 16;
/// What a side has to say without data, at most, bytes: a first message, an answer, an alert.
const TALK: usize = 4096;
/// Of records: content type, version, length.
const HEADER: usize = 5;

/// Remembers by what names it was asked, and has no key.
#[derive(Default)]
struct Asked(RefCell<Vec<PskIdentity>>);

impl KeyRing for Asked {
    fn psk(&self, identity: &PskIdentity) -> Option<TlsPsk> {
        self.0.borrow_mut().push(identity.clone());
        None
    }
}

/// The key that both sides have.
fn key() -> ConfiguredKey {
    ConfiguredKey::new(Some(PskHash::Sha256), &[1; 32]).expect("a key")
}

struct Ours;

impl KeyRing for Ours {
    fn psk(&self, identity: &PskIdentity) -> Option<TlsPsk> {
        key().psk_of(identity)
    }
}

fn host_session() -> Session {
    let name =
        |name: &str| -> Nqn { format!("nqn.2026-11.org.example:{name}").parse().expect("a name") };
    Session::host(&key().psks(&name("host"), &name("disk"))).expect("a session")
}

fn sent_by(session: &mut Session) -> Vec<u8> {
    let mut bytes = Vec::new();
    session.take_output(&mut bytes);
    bytes
}

/// A stranger's first message: the first byte says in which pieces it comes, and with its lowest bit set the rest is only what a message of
/// the right form is made of.
pub fn hello(data: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    read(rest);
    let piece = 1 + usize::from(how >> 1) * 5;
    if how & 1 == 0 {
        heard_alike(rest, piece);
        return;
    }
    let names = names_of(rest);
    let bytes = records(&message(rest, &names), piece);
    if bytes.len() > LONGEST_HELLO {
        return;
    }
    let asked = heard_alike(&bytes, 1 + bytes.len() / 7);
    let looked_at = &names[..names.len().min(MOST_NAMES)];
    let told: Vec<String> = asked.iter().map(ToString::to_string).collect();
    assert_eq!(told, looked_at, "the names of a message of the right form");
}

/// Names and keys are written as they were read.
fn read(data: &[u8]) {
    if let Ok(identity) = PskIdentity::from_bytes(data) {
        assert_eq!(identity.to_string().as_bytes(), data);
    }
    let text = text(data);
    match text.parse::<ConfiguredKey>() {
        Ok(key) => assert_eq!(key.to_text(), text),
        Err(why) => property::told(&why.to_string(), ""),
    }
}

/// What a target without a key does with a first message is the same in pieces and at once; the names that it asked for.
fn heard_alike(bytes: &[u8], piece: usize) -> Vec<PskIdentity> {
    let (pieces, asked, said) = heard(bytes, piece);
    assert!(asked.len() <= MOST_NAMES && said.len() <= 7, "{} names", asked.len());
    let carried = contents(bytes);
    for identity in &asked {
        let name = identity.to_string();
        let stands = carried.windows(name.len()).any(|part| part == name.as_bytes());
        assert!(stands, "{name} stands nowhere in what came");
    }
    if bytes.len() <= LONGEST_HELLO {
        assert_eq!((pieces, asked.clone(), said), heard(bytes, usize::MAX));
    }
    asked
}

fn heard(bytes: &[u8], piece: usize) -> (Result<(), TlsError>, Vec<PskIdentity>, Vec<u8>) {
    let (asked, mut plain) = (Asked::default(), Vec::new());
    let mut target = Session::target();
    let mut taken = Ok(());
    for part in bytes.chunks(piece) {
        taken = taken.and(target.receive(part, &asked, &mut plain));
    }
    assert!(plain.is_empty() && !target.is_open() && !target.is_closed());
    if let Err(why) = &taken {
        let told = why.to_string();
        property::told(&told, "");
        assert!(told.len() <= TALK, "{} bytes of a stranger's for the journal", told.len());
    }
    (taken, asked.0.into_inner(), sent_by(&mut target))
}

/// What records carry, one behind the other, whatever their kind.
fn contents(mut records: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some((header, rest)) = records.split_at_checked(HEADER) {
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        let (content, rest) = rest.split_at(length.min(rest.len()));
        all.extend_from_slice(content);
        records = rest;
    }
    all
}

fn vector(length_bytes: usize, content: &[u8]) -> Vec<u8> {
    [&content.len().to_be_bytes()[8 - length_bytes..], content].concat()
}

fn extension(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &vector(2, content)].concat()
}

/// Up to twenty names, at least one.
fn names_of(data: &[u8]) -> Vec<String> {
    let count = data.first().map_or(1, |byte| 1 + usize::from(byte % 20));
    let name = |number: usize| {
        let letters = data.iter().skip(number * 3).take(1 + number % 5);
        let letters: String = letters.map(|byte| char::from(b'a' + byte % 26)).collect();
        format!("NVMe0R01 nqn.2026-11.org.example:{letters}h nqn.2026-11.org.example:{number}")
    };
    (0..count).map(name).collect()
}

/// A message (RFC 8446, section 4.1.2) that offers those names, with extensions that nobody knows around what has to be there.
fn message(data: &[u8], names: &[String]) -> Vec<u8> {
    const KNOWN: [u16; 3] = [41, 43, 45];
    let unknown = data.chunks(40).take(20).filter(|chunk| chunk.len() > 2).map(|chunk| {
        let kind = u16::from_be_bytes([chunk[0], chunk[1]]);
        (!KNOWN.contains(&kind)).then(|| extension(kind, &chunk[2..])).unwrap_or_default()
    });
    let mut extensions: Vec<Vec<u8>> = unknown.collect();
    let entry = |name: &String| [&vector(2, name.as_bytes())[..], &[0; 4]].concat();
    let identities: Vec<u8> = names.iter().flat_map(entry).collect();
    let binders: Vec<u8> = names.iter().flat_map(|_| vector(1, &[7; 32])).collect();
    let middle = extensions.len() / 2;
    extensions.insert(middle, extension(43, &vector(1, &[3, 4])));
    extensions.insert(middle / 2, extension(45, &vector(1, &[1])));
    extensions.push(extension(41, &[vector(2, &identities), vector(2, &binders)].concat()));
    let mut body = vec![3, 3];
    body.extend([9; 32]);
    body.extend(vector(1, &data[..data.len().min(32)]));
    body.extend(vector(2, &[0x13, 1]));
    body.extend(vector(1, &[0]));
    body.extend(vector(2, &extensions.concat()));
    [&[1][..], &vector(3, &body)].concat()
}

fn records(message: &[u8], fragment: usize) -> Vec<u8> {
    let record = |part: &[u8]| [&[22, 3, 1][..], &vector(2, part)].concat();
    message.chunks(fragment).flat_map(record).collect()
}

/// Both sides after a handshake.
fn opened() -> (Session, Session) {
    let (mut host, mut target) = (host_session(), Session::target());
    for _ in 0..2 {
        target.receive(&sent_by(&mut host), &Ours, &mut Vec::new()).expect("a host's");
        host.receive(&sent_by(&mut target), &NoKeys, &mut Vec::new()).expect("a target's");
    }
    assert!(host.is_open() && target.is_open());
    (host, target)
}

/// What comes to a target that has a key: as the first, after a host's first message, and in a session. The first byte says which, and in
/// which pieces.
pub fn target(data: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    let session = match how & 3 {
        0 => Session::target(),
        1 => {
            let mut target = Session::target();
            let hello = sent_by(&mut host_session());
            target.receive(&hello, &Ours, &mut Vec::new()).expect("a host's");
            target
        }
        _ => opened().1,
    };
    withstands(session, rest, 1 + usize::from(how >> 2) * 97);
}

/// What comes to a host: as the answer to its first message, behind a part of the right answer, and in a session.
pub fn host(data: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    let session = match how & 3 {
        0 => host_session(),
        1 => {
            let (mut host, mut target) = (host_session(), Session::target());
            target.receive(&sent_by(&mut host), &Ours, &mut Vec::new()).expect("a host's");
            let answer = sent_by(&mut target);
            let part = answer.len() * usize::from(how >> 2) / 64;
            host.receive(&answer[..part], &NoKeys, &mut Vec::new()).expect("a target's");
            host
        }
        _ => opened().0,
    };
    withstands(session, rest, 1 + usize::from(how >> 2) * 97);
}

/// Whoever has no key opens no session, gets nothing into one and doesn't end it in order, and what is said to him has a bound.
fn withstands(mut session: Session, bytes: &[u8], piece: usize) {
    let was_open = session.is_open();
    let mut plain = Vec::new();
    for part in bytes.chunks(piece) {
        let taken = session.receive(part, &Ours, &mut plain);
        assert!(plain.is_empty() && !session.is_closed());
        assert!(session.output().len() <= TALK, "{} bytes to a stranger", session.output().len());
        assert!(was_open || !session.is_open(), "a session without a key");
        if let Err(why) = taken {
            property::told(&why.to_string(), "");
            assert!(!session.is_open() && session.identity().is_none());
            assert!(session.send(b"data").is_err(), "nothing follows an end");
            let said = session.output().len();
            session.receive(bytes, &Ours, &mut plain).expect("what comes late is passed over");
            assert!(plain.is_empty() && session.output().len() == said);
            return;
        }
    }
}

/// One direction of a connection.
#[derive(Default)]
struct Way {
    /// What the network has of it.
    wire: Vec<u8>,
    sent: usize,
    plain: Vec<u8>,
    damaged: bool,
    /// Its sender has said that no more comes; its receiver has gone.
    closed: bool,
    over: bool,
}

/// Data by their place.
fn data_at(from: usize, bytes: usize) -> Vec<u8> {
    (from..from + bytes).map(|at| (at % 251) as u8 ^ (at >> 10) as u8).collect()
}

impl Way {
    /// Sends so many bytes, or ends the direction.
    fn send(&mut self, from: &mut Session, bytes: usize) {
        let sent = from.send(&data_at(self.sent, bytes));
        let may = from.is_open() && !self.closed;
        assert_eq!(sent.is_ok(), may || bytes == 0, "{sent:?}");
        self.sent += if may { bytes } else { 0 };
        self.wire.extend(sent_by(from));
    }

    fn close(&mut self, from: &mut Session) {
        from.close();
        self.closed |= from.is_open();
        self.wire.extend(sent_by(from));
    }

    /// A byte that is under way is another one.
    fn damage(&mut self, at: usize) {
        let bytes = self.wire.len();
        if let Some(byte) = self.wire.get_mut(at % bytes.max(1)) {
            *byte ^= 0x10;
            self.damaged = true;
        }
    }

    fn deliver(&mut self, to: &mut Session, bytes: usize) {
        let part: Vec<u8> = self.wire.drain(..bytes.min(self.wire.len())).collect();
        let before = self.plain.len();
        let taken = to.receive(&part, &NoKeys, &mut self.plain);
        assert!(self.plain.len() - before <= part.len() + RECORD_BYTES);
        let new = &self.plain[before..];
        assert!(new == data_at(before, new.len()) && self.plain.len() <= self.sent);
        self.over |= taken.is_err();
        assert!(taken.is_ok() || self.damaged, "{taken:?}");
        // Of a direction that arrived nothing is missing.
        if self.wire.is_empty() && !self.damaged && !self.over {
            assert_eq!((self.plain.len(), to.is_closed()), (self.sent, self.closed));
        }
    }
}

/// A session in which both sides send, and a network that delivers in pieces and changes bytes. Each step is a byte: what, and how much.
pub fn pair(data: &[u8]) {
    const MOST_STEPS: usize = 100;
    let (mut host, mut target) = opened();
    let (mut up, mut down) = (Way::default(), Way::default());
    for step in data.iter().take(MOST_STEPS) {
        let much = usize::from(step >> 3);
        match step & 7 {
            0 => up.send(&mut host, much * much * much),
            1 => down.send(&mut target, much * much * much),
            2 => up.deliver(&mut target, 1 + much * much * 40),
            3 => down.deliver(&mut host, 1 + much * much * 40),
            4 if much < 4 => up.close(&mut host),
            4 => up.deliver(&mut target, much),
            5 if much < 4 => down.close(&mut target),
            5 => down.deliver(&mut host, much),
            6 if much < 8 => up.damage(much * 997),
            7 if much < 8 => down.damage(much * 997),
            _ => {}
        }
    }
    up.deliver(&mut target, usize::MAX);
    down.deliver(&mut host, usize::MAX);
}
