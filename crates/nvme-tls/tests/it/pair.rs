//! A host and a target with nothing but memory between them.

use narrows_nvme::Nqn;
use narrows_nvme::tls::{ConfiguredKey, PskHash, PskIdentity, TlsPsk};
use narrows_nvme_tls::{KeyRing, RECORD_BYTES, Session, TlsError};

pub(crate) const HOST: &str = "nqn.2026-11.org.example:host";
pub(crate) const SUBSYSTEM: &str = "nqn.2026-11.org.example:disk";

/// Keys that a side knows, whoever asks.
pub(crate) struct Keys(pub(crate) Vec<ConfiguredKey>);

impl KeyRing for Keys {
    fn psk(&self, identity: &PskIdentity) -> Option<TlsPsk> {
        self.0.iter().find_map(|key| key.psk_of(identity))
    }
}

pub(crate) fn key(byte: u8) -> ConfiguredKey {
    ConfiguredKey::new(Some(PskHash::Sha256), &[byte; 32]).unwrap()
}

pub(crate) fn names() -> (Nqn, Nqn) {
    (HOST.parse().unwrap(), SUBSYSTEM.parse().unwrap())
}

pub(crate) fn offer(key: &ConfiguredKey) -> Vec<TlsPsk> {
    let (host, subsystem) = names();
    key.psks(&host, &subsystem)
}

/// What a session has to say, as if it was sent.
pub(crate) fn sent_by(session: &mut Session) -> Vec<u8> {
    let bytes = session.output().to_vec();
    session.sent(bytes.len());
    bytes
}

/// Both sides, and what came out at each.
pub(crate) struct Pair {
    pub(crate) host: Session,
    pub(crate) target: Session,
    pub(crate) keys: Keys,
    pub(crate) at_host: Vec<u8>,
    pub(crate) at_target: Vec<u8>,
}

impl Pair {
    pub(crate) fn new(host: &[TlsPsk], keys: Vec<ConfiguredKey>) -> Pair {
        Pair {
            host: Session::host(host).unwrap(),
            target: Session::target(),
            keys: Keys(keys),
            at_host: Vec::new(),
            at_target: Vec::new(),
        }
    }

    pub(crate) fn open() -> Pair {
        let mut pair = Pair::new(&offer(&key(1)), vec![key(1)]);
        pair.exchange(usize::MAX).unwrap();
        assert!(pair.host.is_open() && pair.target.is_open());
        pair
    }

    /// Carries what each has to say in pieces of so many bytes, until nobody has more; who fails first.
    pub(crate) fn exchange(&mut self, piece: usize) -> Result<(), (&'static str, TlsError)> {
        loop {
            let up = sent_by(&mut self.host);
            for part in up.chunks(piece) {
                let taken = self.target.receive(part, &self.keys, &mut self.at_target);
                taken.map_err(|error| ("target", error))?;
            }
            let down = sent_by(&mut self.target);
            for part in down.chunks(piece) {
                let taken = self.host.receive(part, &self.keys, &mut self.at_host);
                taken.map_err(|error| ("host", error))?;
            }
            if up.is_empty() && down.is_empty() {
                return Ok(());
            }
        }
    }
}

#[test]
fn keys_of_every_kind_open_a_session_by_the_best_name() {
    for (transform, length) in
        [(None, 32), (None, 48), (Some(PskHash::Sha256), 32), (Some(PskHash::Sha384), 48)]
    {
        let key = ConfiguredKey::new(transform, &vec![5; length]).unwrap();
        let psks = offer(&key);
        let suite = if length == 32 { "TLS_AES_128_GCM_SHA256" } else { "TLS_AES_256_GCM_SHA384" };
        // Both names, then the one without digest as older hosts have it.
        for offered in [&psks[..], &psks[1..]] {
            let mut pair = Pair::new(offered, vec![key.clone()]);
            assert!(pair.host.identity().is_none() && pair.target.identity().is_none());
            pair.exchange(usize::MAX).unwrap();
            let first = Some(&offered[0].identity);
            assert_eq!((pair.host.identity(), pair.target.identity()), (first, first));
            assert_eq!((pair.host.suite(), pair.target.suite()), (Some(suite), Some(suite)));
        }
    }
}

#[test]
fn data_go_both_ways_over_many_records_however_they_are_cut() {
    let data: Vec<u8> = (0..3_000_000u32).map(|at| (at / 251) as u8 ^ at as u8).collect();
    for piece in [1 << 16, 16_411, 1999] {
        let mut pair = Pair::open();
        pair.host.send(&data).unwrap();
        pair.target.send(&data[1..]).unwrap();
        pair.exchange(piece).unwrap();
        assert!(pair.at_target == data && pair.at_host == data[1..], "{piece}");
    }
    let mut pair = Pair::open();
    for byte in 0..50u8 {
        pair.host.send(&[byte]).unwrap();
        pair.target.send(&[]).unwrap();
    }
    pair.exchange(1).unwrap();
    assert_eq!(pair.at_target, (0..50).collect::<Vec<u8>>());
}

#[test]
fn what_comes_out_of_a_piece_is_no_more_than_went_in_and_a_record() {
    let mut pair = Pair::open();
    pair.host.send(&vec![7; 1 << 20]).unwrap();
    let bytes = sent_by(&mut pair.host);
    for part in bytes.chunks(64 << 10) {
        let before = pair.at_target.len();
        pair.target.receive(part, &pair.keys, &mut pair.at_target).unwrap();
        assert!(pair.at_target.len() - before <= part.len() + RECORD_BYTES);
    }
    assert_eq!(pair.at_target.len(), 1 << 20);
}

#[test]
fn an_end_in_order_is_told_from_a_cut() {
    let mut pair = Pair::open();
    pair.host.send(b"the last").unwrap();
    pair.exchange(usize::MAX).unwrap();
    assert!(!pair.target.is_closed(), "a connection that is cut here is no end in order");
    pair.host.close();
    pair.exchange(usize::MAX).unwrap();
    assert!(pair.target.is_closed() && pair.at_target == b"the last");
    // The other direction goes on.
    pair.target.send(b"and an answer").unwrap();
    pair.exchange(usize::MAX).unwrap();
    assert!(!pair.host.is_closed() && pair.at_host == b"and an answer");
    assert!(pair.host.send(b"more").is_err(), "who said that it sends no more sends no more");
}

#[test]
fn a_session_goes_on_in_another_thread() {
    let mut pair = Pair::open();
    let pair = std::thread::spawn(move || {
        pair.host.send(b"moved").unwrap();
        pair.exchange(usize::MAX).unwrap();
        pair
    });
    assert_eq!(pair.join().unwrap().at_target, b"moved");
}
