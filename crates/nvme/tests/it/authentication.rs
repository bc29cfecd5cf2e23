//! Messages of in-band authentication, and what proves a secret.

use narrows_nvme::authentication::{
    Challenge, Explanation, Failure, Group, Hash, KeyPair, Message, Negotiate, Offer, PROTOCOL,
    Proof, Prover, Reply, Requirement, Secret, Success1,
};
use narrows_nvme::command::FabricsCommand;
use narrows_nvme::{DataPointer, Nqn};
use proptest::collection::vec;
use proptest::prelude::*;

fn hash() -> impl Strategy<Value = Hash> {
    prop::sample::select(Hash::ALL.to_vec())
}

fn bytes(length: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), length)
}

fn negotiate() -> impl Strategy<Value = Message> {
    let ids = || vec(any::<u8>(), 0..=30);
    let offer = (ids(), ids()).prop_map(|(hashes, groups)| Offer { hashes, groups });
    let parts = (any::<u16>(), any::<u8>(), prop::option::of(offer));
    parts.prop_map(|(transaction, secure_channel, offer)| {
        Message::Negotiate(Negotiate { transaction, secure_channel, offer })
    })
}

fn challenge() -> impl Strategy<Value = Message> {
    let group = prop::sample::select(Group::ALL.to_vec());
    let parts = (any::<u16>(), any::<u32>(), hash(), group).prop_flat_map(
        |(transaction, sequence, hash, group)| {
            (bytes(hash.bytes()), bytes(group.bytes())).prop_map(move |(challenge, public)| {
                Challenge { transaction, hash, group, sequence, challenge, public }
            })
        },
    );
    parts.prop_map(Message::Challenge)
}

fn reply() -> impl Strategy<Value = Message> {
    (any::<u16>(), any::<u32>(), hash(), 0usize..=1024).prop_flat_map(
        |(transaction, sequence, hash, public)| {
            let challenge = prop::option::of(bytes(hash.bytes()));
            (bytes(hash.bytes()), challenge, bytes(public)).prop_map(
                move |(response, challenge, public)| {
                    Message::Reply(Reply { transaction, sequence, response, challenge, public })
                },
            )
        },
    )
}

fn success1() -> impl Strategy<Value = Message> {
    (any::<u16>(), hash()).prop_flat_map(|(transaction, hash)| {
        prop::option::of(bytes(hash.bytes()))
            .prop_map(move |response| Message::Success1(Success1 { transaction, hash, response }))
    })
}

fn message() -> impl Strategy<Value = Message> {
    let failure = || {
        (any::<u16>(), any::<u8>())
            .prop_map(|(transaction, code)| Failure { transaction, explanation: Explanation(code) })
    };
    prop_oneof![
        negotiate(),
        challenge(),
        reply(),
        success1(),
        any::<u16>().prop_map(|transaction| Message::Success2 { transaction }),
        failure().prop_map(Message::Failure1),
        failure().prop_map(Message::Failure2),
    ]
}

proptest! {
    #[test]
    fn messages_are_read_as_they_were_written(message in message(), behind in vec(any::<u8>(), 0..64)) {
        let mut written = message.to_bytes();
        prop_assert_eq!(Message::parse(&written), Ok(message.clone()));
        prop_assert_eq!(message.transaction().to_le_bytes(), [written[4], written[5]]);
        // Whatever follows; and no part of it alone is a message, but for what an answer may leave out.
        for length in 0..written.len() {
            if let Ok(part) = Message::parse(&written[..length]) {
                prop_assert_eq!(part.transaction(), message.transaction());
                prop_assert!(length >= 8);
            }
        }
        written.extend(behind);
        prop_assert_eq!(Message::parse(&written), Ok(message));
    }

    #[test]
    fn any_bytes_are_a_message_or_a_reason(mut bytes in vec(any::<u8>(), 0..1400), kind in 0u8..5, common: bool) {
        if bytes.len() > 1 {
            bytes[0] = u8::from(!common);
            bytes[1] = if common && kind > 0 { 0xF0 + kind } else { kind };
        }
        if let Ok(message) = Message::parse(&bytes) {
            let written = message.to_bytes();
            prop_assert_eq!(Message::parse(&written), Ok(message));
        }
    }

    #[test]
    fn any_text_is_a_secret_or_a_reason(key in "[A-Za-z0-9+/=:*]{0,100}", id in 0u8..9) {
        let text = format!("DHHC-1:{id:02}:{key}:");
        if let Ok(secret) = text.parse::<Secret>() {
            prop_assert_eq!(secret.to_text(), text);
        }
    }

    #[test]
    fn what_a_result_demands_is_read_as_it_was_written(authentication: bool, secure_channel: bool, low: u16) {
        let demanded = Requirement { authentication, secure_channel };
        prop_assert_eq!(Requirement::of_result(demanded.to_result() | u64::from(low)), demanded);
    }
}

/// Bytes 41 to 43 of Linux's `struct nvmf_auth_send_command`: spsp0, spsp1, secp.
#[test]
fn the_protocol_stands_where_linux_has_it() {
    let send = FabricsCommand::AuthenticationSend { protocol: PROTOCOL, length: 72 };
    let receive = FabricsCommand::AuthenticationReceive { protocol: PROTOCOL, length: 72 };
    for (command, kind) in [(send, 5), (receive, 6)] {
        let entry = command.to_entry(1, DataPointer::NONE);
        let bytes = entry.as_bytes();
        assert_eq!((bytes[4], &bytes[40..48]), (kind, &[0, 1, 1, 0xE9, 72, 0, 0, 0][..]));
    }
}

#[test]
fn lengths_that_do_not_fit_are_told() {
    let wrong = |message: &Message, at: usize, value: u8| {
        let mut bytes = message.to_bytes();
        bytes[at] = value;
        Message::parse(&bytes).unwrap_err()
    };
    let challenge = Message::Challenge(Challenge {
        transaction: 1,
        hash: Hash::Sha256,
        group: Group::Ffdhe2048,
        sequence: 1,
        challenge: vec![1; 32],
        public: vec![2; 256],
    });
    assert_eq!(wrong(&challenge, 6, 48), Explanation::HASH);
    assert_eq!(wrong(&challenge, 8, 9), Explanation::HASH);
    assert_eq!(wrong(&challenge, 9, 6), Explanation::GROUP);
    assert_eq!(wrong(&challenge, 9, 5), Explanation::GROUP);
    assert_eq!(wrong(&challenge, 11, 0), Explanation::GROUP);
    let reply = Message::Reply(Reply {
        transaction: 1,
        sequence: 1,
        response: vec![1; 32],
        challenge: None,
        public: vec![2; 256],
    });
    assert_eq!(wrong(&reply, 6, 33), Explanation::PAYLOAD);
    assert_eq!(wrong(&reply, 6, 64), Explanation::PAYLOAD);
    assert_eq!(wrong(&reply, 11, 4), Explanation::PAYLOAD);
    let negotiate = Message::Negotiate(Negotiate {
        transaction: 1,
        secure_channel: 0,
        offer: Some(Offer::all()),
    });
    assert_eq!(wrong(&negotiate, 7, 2), Explanation::PAYLOAD);
    assert_eq!(wrong(&negotiate, 10, 31), Explanation::PAYLOAD);
    assert_eq!(wrong(&negotiate, 11, 255), Explanation::PAYLOAD);
    assert_eq!(wrong(&negotiate, 1, 0x77), Explanation::MESSAGE);
}

/// Every part of what is proved changes the proof.
#[test]
fn a_response_is_of_all_that_it_was_made_of() {
    let name = |text: &str| -> Nqn { text.parse().unwrap() };
    let (host, subsystem, other) = (name("nqn.x:host"), name("nqn.x:subsystem"), name("nqn.x:h"));
    let secret = |hash, byte| Secret::new(hash, &[byte; 32]).unwrap();
    let (plain, bound) = (secret(None, 1), secret(Some(Hash::Sha256), 1));
    let (challenge, changed) = ([3; 48], [4; 48]);
    let keys = [9, 10].map(|byte| KeyPair::new(Group::Ffdhe2048, &[byte; 64]).unwrap());
    let shared = keys[0].shared(keys[1].public()).unwrap();
    let proof = Proof {
        prover: Prover::Host,
        secret: &bound,
        hash: Hash::Sha384,
        host: &host,
        subsystem: &subsystem,
        transaction: 5,
        sequence: 6,
        challenge: &challenge,
        shared: None,
    };
    let response = proof.response();
    assert!(response.len() == 48 && proof.is_given_by(&response));
    for (what, changed) in [
        ("prover", Proof { prover: Prover::Controller, ..proof }),
        ("secret", Proof { secret: &plain, ..proof }),
        ("host", Proof { host: &other, ..proof }),
        ("subsystem", Proof { subsystem: &other, ..proof }),
        ("transaction", Proof { transaction: 6, ..proof }),
        ("sequence", Proof { sequence: 5, ..proof }),
        ("challenge", Proof { challenge: &changed, ..proof }),
        ("key of both", Proof { shared: Some(&shared), ..proof }),
    ] {
        assert!(!changed.is_given_by(&response), "{what}");
    }
    assert!(!proof.is_given_by(&response[..47]) && !proof.is_given_by(&[]));
}

/// What Linux 6.12 answered to challenges, in the lab: its host, and its target.
#[test]
fn responses_of_linux_are_proofs() {
    let text = include_str!("../transcripts/authentication.txt");
    let bytes = |hex: &str| -> Vec<u8> {
        let pair = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(pair).collect()
    };
    let mut seen = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let of = |name: &str| -> &str {
            let field =
                line.split(' ').find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
            field.unwrap_or_else(|| panic!("no {name} in {line}"))
        };
        let group = Group::from_id(of("group").parse().unwrap()).unwrap();
        let exponent = bytes(of("exponent")).try_into().unwrap();
        let key = KeyPair::new(group, &exponent);
        let shared = key.map(|key| key.shared(&bytes(of("public"))).unwrap());
        let secret: Secret = of("secret").parse().unwrap();
        assert_eq!(secret.to_text(), of("secret"), "as nvme gen-dhchap-key prints it");
        let prover = match of("by") {
            "linux-host" => Prover::Host,
            _ => Prover::Controller,
        };
        let proof = Proof {
            prover,
            secret: &secret,
            hash: Hash::from_id(of("hash").parse().unwrap()).unwrap(),
            host: &of("host").parse().unwrap(),
            subsystem: &of("subsystem").parse().unwrap(),
            transaction: of("transaction").parse().unwrap(),
            sequence: of("sequence").parse().unwrap(),
            challenge: &bytes(of("challenge")),
            shared: shared.as_ref(),
        };
        let response = bytes(of("response"));
        assert_eq!(proof.response(), response, "{prover:?} with {} and {group}", proof.hash);
        assert!(proof.is_given_by(&response));
        seen.push((prover, proof.hash, group));
    }
    // Each hash of each side, without a group and with the largest.
    for prover in [Prover::Host, Prover::Controller] {
        for hash in Hash::ALL {
            assert!(seen.iter().any(|one| (one.0, one.1) == (prover, hash)), "{prover:?} {hash}");
        }
        for group in [Group::Null, Group::Ffdhe8192] {
            assert!(seen.iter().any(|one| (one.0, one.2) == (prover, group)), "{prover:?} {group}");
        }
    }
}
