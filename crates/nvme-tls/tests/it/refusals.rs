//! Who has no connection, and what each side is told.

use narrows_nvme::tls::{ConfiguredKey, PskHash, TlsPsk};
use narrows_nvme_tls::{KeyRing, Session, TlsError, is_begun_by};

use crate::pair::{HOST, Keys, Pair, SUBSYSTEM, key, offer, sent_by};

/// What the target says, and the host once it has heard of it.
fn refused(offered: &[TlsPsk], keys: Vec<ConfiguredKey>) -> (TlsError, TlsError) {
    let mut pair = Pair::new(offered, keys);
    let Err(("target", at_target)) = pair.exchange(usize::MAX) else { panic!("accepted") };
    let last = sent_by(&mut pair.target);
    let at_host = pair.host.receive(&last, &pair.keys, &mut pair.at_host).unwrap_err();
    assert!(!pair.host.is_open() && !pair.target.is_open());
    // After its end nothing is taken and nothing is sent.
    pair.target.receive(b"more", &pair.keys, &mut pair.at_target).unwrap();
    assert!(pair.at_target.is_empty() && pair.target.send(b"x").is_err());
    (at_target, at_host)
}

#[test]
fn a_name_without_a_key_is_told_to_both() {
    let (at_target, at_host) = refused(&offer(&key(1)), Vec::new());
    let TlsError::NoKey(name) = &at_target else { panic!("{at_target}") };
    assert!(name.contains(&format!("NVMe1R01 {HOST} {SUBSYSTEM}")), "{name}");
    assert!(name.contains(&format!(", or NVMe0R01 {HOST} {SUBSYSTEM}")), "{name}");
    assert!(at_host.to_string().contains("unknown_psk_identity"), "{at_host}");
    assert!(at_target.is_of_key() && at_host.is_of_key());
}

#[test]
fn another_key_under_the_same_name_is_told_to_both() {
    let (at_target, at_host) = refused(&offer(&key(1)), vec![key(2)]);
    // By the digest in its name the other key is told before it is tried; the name without one is the same.
    assert!(matches!(&at_target, TlsError::OtherKey(name) if name.starts_with("NVMe0R01")));
    assert!(at_host.to_string().contains("decrypt_error"), "{at_host}");
    assert!(at_target.is_of_key() && at_host.is_of_key());
    // The name with a digest alone says that there is no such key.
    let (at_target, _) = refused(&offer(&key(1))[..1], vec![key(2)]);
    assert!(matches!(at_target, TlsError::NoKey(_)), "{at_target}");
}

#[test]
fn a_key_of_another_length_has_another_name() {
    let longer = ConfiguredKey::new(Some(PskHash::Sha384), &[1; 48]).unwrap();
    let (at_target, _) = refused(&offer(&longer), vec![key(1)]);
    assert!(matches!(at_target, TlsError::NoKey(name) if name.contains("NVMe1R02")));
}

/// A key ring that answers another name than it was asked for.
struct Wrong;

impl KeyRing for Wrong {
    fn psk(&self, _: &narrows_nvme::tls::PskIdentity) -> Option<TlsPsk> {
        let other = "nqn.2026-11.org.example:other".parse().unwrap();
        key(1).psks(&other, &SUBSYSTEM.parse().unwrap()).pop()
    }
}

#[test]
fn a_key_is_used_under_the_name_that_was_offered_alone() {
    let mut host = Session::host(&offer(&key(1))).unwrap();
    let mut target = Session::target();
    let error = target.receive(&sent_by(&mut host), &Wrong, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, TlsError::NoKey(_)), "{error}");
}

#[test]
fn who_speaks_no_tls_is_told_from_who_has_another_key() {
    // NVMe/TCP's own first PDU at a target, and its answers at a host.
    assert!(is_begun_by(22) && !is_begun_by(0));
    let mut target = Session::target();
    let error = target.receive(&[0, 0, 128, 0], &Keys(vec![key(1)]), &mut Vec::new()).unwrap_err();
    assert_eq!(error, TlsError::NotTls);
    assert!(target.output().is_empty(), "nothing is said to who would not understand it");
    for answer in [&[1, 0, 128, 0][..], &[3, 0, 24, 0], b"SSH-2.0-"] {
        let mut host = Session::host(&offer(&key(1))).unwrap();
        let error = host.receive(answer, &Keys(Vec::new()), &mut Vec::new()).unwrap_err();
        assert_eq!(error, TlsError::NotTls);
        assert!(!error.is_of_key());
    }
}
