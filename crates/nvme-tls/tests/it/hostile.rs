//! What a network or a stranger may do: cut, change, repeat and invent. Nothing panics, nothing hangs, nothing wrong comes out.

use narrows_nvme_tls::{Session, TlsError};
use proptest::prelude::*;

use crate::pair::{Keys, Pair, key, offer, sent_by};

/// A host's whole part of a handshake, and the target at each step.
fn flights() -> (Pair, Vec<u8>, Vec<u8>) {
    let mut pair = Pair::new(&offer(&key(1)), vec![key(1)]);
    let hello = sent_by(&mut pair.host);
    pair.target.receive(&hello, &pair.keys, &mut pair.at_target).unwrap();
    let answer = sent_by(&mut pair.target);
    (pair, hello, answer)
}

/// Whether a byte is of the version in the header of a record that isn't encrypted, which is to be ignored (RFC 8446, section 5.1).
fn is_version_in_plain(records: &[u8], at: usize) -> bool {
    let mut begin = 0;
    while let Some(header) = records.get(begin..begin + 5) {
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        if (begin + 1..begin + 3).contains(&at) {
            return header[0] != 23;
        }
        begin += 5 + length;
    }
    false
}

#[test]
fn a_handshake_that_is_cut_anywhere_opens_nothing() {
    let (_, hello, answer) = flights();
    assert!(hello.len() > 200 && answer.len() > 100);
    for cut in 0..hello.len() {
        let mut target = Session::target();
        target.receive(&hello[..cut], &Keys(vec![key(1)]), &mut Vec::new()).unwrap();
        assert!(!target.is_open() && target.output().is_empty(), "{cut}");
    }
    // Of the target's answer all but the end; its last bytes are its Finished.
    for cut in [1, answer.len() / 2, answer.len() - 1] {
        let (mut pair, _, answer) = flights();
        pair.host.receive(&answer[..cut], &pair.keys, &mut pair.at_host).unwrap();
        assert!(!pair.host.is_open() && pair.at_host.is_empty(), "{cut}");
    }
    // And a host that never ends it.
    let (mut pair, ..) = flights();
    assert!(!pair.target.is_open());
    assert!(
        pair.target.send(b"data").is_err(),
        "nothing is sent before the host has proved its key"
    );
}

#[test]
fn a_first_message_that_comes_again_opens_nothing_and_tells_nothing() {
    let (pair, hello, _) = flights();
    let mut again = Session::target();
    again.receive(&hello, &pair.keys, &mut Vec::new()).unwrap();
    // Who has recorded it has no key: what the target says is encrypted for another, and no data follows.
    assert!(!again.is_open());
    let (mut pair, ..) = flights();
    let error = pair.target.receive(&hello, &pair.keys, &mut pair.at_target).unwrap_err();
    assert!(matches!(error, TlsError::Failed(_)), "{error}");
}

#[test]
fn data_that_come_twice_or_out_of_order_end_the_session() {
    for order in [&[0, 0][..], &[1, 0], &[0, 2]] {
        let mut pair = Pair::open();
        let records: Vec<Vec<u8>> = (0..3u8)
            .map(|number| {
                pair.host.send(&[number; 10]).unwrap();
                sent_by(&mut pair.host)
            })
            .collect();
        let taken: Result<Vec<()>, TlsError> = order
            .iter()
            .map(|number| pair.target.receive(&records[*number], &pair.keys, &mut pair.at_target))
            .collect();
        assert!(matches!(taken, Err(TlsError::Failed(_))), "{order:?}");
        // At most what came in its order.
        assert!(pair.at_target == [0; 10] || pair.at_target.is_empty());
        assert!(!pair.target.is_open());
    }
}

#[test]
fn what_waits_to_be_sent_stays_bounded_by_what_was_given() {
    let mut pair = Pair::open();
    // A host that takes only part of what there is, for ever.
    for _ in 0..2000 {
        pair.target.send(&[7; 4096]).unwrap();
        let waiting = pair.target.output().len();
        pair.target.sent(waiting - 100.min(waiting));
        assert!(waiting < 8192, "{waiting}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A byte of a host's first message is another one.
    #[test]
    fn a_changed_first_message_opens_nothing(at: prop::sample::Index, bit in 0u8..8) {
        let mut pair = Pair::new(&offer(&key(1)), vec![key(1)]);
        let mut hello = sent_by(&mut pair.host);
        let (at, whole) = (at.index(hello.len()), hello.clone());
        hello[at] ^= 1 << bit;
        let taken = pair.target.receive(&hello, &pair.keys, &mut pair.at_target);
        if taken.is_ok() {
            // The rest is still awaited, or the change is in what a header says of old versions.
            let answer = sent_by(&mut pair.target);
            let _ = pair.host.receive(&answer, &pair.keys, &mut pair.at_host);
            let end = sent_by(&mut pair.host);
            let _ = pair.target.receive(&end, &pair.keys, &mut pair.at_target);
            let ignored = is_version_in_plain(&whole, at);
            prop_assert!(!pair.target.is_open() || ignored, "byte {at}, bit {bit}");
        }
        prop_assert!(pair.at_target.is_empty());
    }

    /// A byte of the target's answer is another one.
    #[test]
    fn a_changed_answer_opens_nothing(at: prop::sample::Index, bit in 0u8..8) {
        let (mut pair, _, mut answer) = flights();
        let (at, whole) = (at.index(answer.len()), answer.clone());
        answer[at] ^= 1 << bit;
        let _ = pair.host.receive(&answer, &pair.keys, &mut pair.at_host);
        let end = sent_by(&mut pair.host);
        let _ = pair.target.receive(&end, &pair.keys, &mut pair.at_target);
        let ignored = is_version_in_plain(&whole, at);
        prop_assert!(!(pair.host.is_open() && pair.target.is_open()) || ignored, "byte {at}");
        prop_assert!(pair.at_host.is_empty() && pair.at_target.is_empty());
    }

    /// A byte of data on their way is another one: what comes out is what was sent, up to there.
    #[test]
    fn changed_data_never_come_out(at: prop::sample::Index, bit in 0u8..8, piece in 1usize..40_000) {
        let mut pair = Pair::open();
        let data: Vec<u8> = (0..60_000u32).map(|at| at as u8).collect();
        pair.host.send(&data).unwrap();
        let mut bytes = sent_by(&mut pair.host);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let mut result = Ok(());
        for part in bytes.chunks(piece) {
            result = result.and(pair.target.receive(part, &pair.keys, &mut pair.at_target));
        }
        prop_assert!(data.starts_with(&pair.at_target) && pair.at_target.len() < data.len());
        // A longer record may still be awaited.
        prop_assert!(result.is_err() || pair.at_target.len() < data.len());
    }

    /// Anything at all, at both sides and at every stage.
    #[test]
    fn anything_is_taken_or_refused(bytes in proptest::collection::vec(any::<u8>(), 1..3000), stage in 0..3) {
        let (mut pair, hello, answer) = flights();
        if stage == 0 {
            pair.target = Session::target();
        }
        if stage == 2 {
            pair.host.receive(&answer, &pair.keys, &mut pair.at_host).unwrap();
            pair.exchange(usize::MAX).unwrap();
        }
        let mut both = bytes.clone();
        both.splice(0..0, [22, 3, 3]);
        for input in [&bytes, &both, &hello] {
            let _ = pair.target.receive(input, &pair.keys, &mut pair.at_target);
            let _ = pair.host.receive(input, &pair.keys, &mut pair.at_host);
        }
        prop_assert!(pair.at_host.is_empty() && pair.at_target.is_empty());
        prop_assert!(pair.target.output().len() < 4096 && pair.host.output().len() < 4096);
    }
}
