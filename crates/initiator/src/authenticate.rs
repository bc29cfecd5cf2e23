//! DH-HMAC-CHAP from the host's side: on each queue whose Connect is answered with that demand.

use std::path::{Path, PathBuf};

use narrows_nvme::authentication::{
    Challenge, Explanation, Failure, InvalidSecret, KeyPair, MOST_MESSAGE_BYTES, Message,
    Negotiate, Offer, PROTOCOL, Proof, Prover, Reply, Requirement, Secret, SharedKey, Success1,
};
use narrows_nvme::command::FabricsCommand;
use narrows_nvme::tls::{ConfiguredKey, InvalidKey, TlsPsk};
use narrows_nvme::{DataPointer, Nqn};
use ring::rand::{SecureRandom, SystemRandom};
use zeroize::Zeroizing;

use crate::HostError;
use crate::address::Address;
use crate::admin::CommandConnection;

/// Longest file of a secret, bytes.
const MOST: u64 = 4096;

/// Secrets of an address.
#[derive(Debug)]
pub(crate) struct Secrets {
    /// What this host proves.
    host: Option<Secret>,
    /// What the target has to prove.
    controller: Option<Secret>,
    /// What both prove to each other before anything is said.
    tls: Option<ConfiguredKey>,
}

impl Secrets {
    /// Reads the files that an address names.
    pub(crate) fn of(address: &Address) -> Result<Secrets, HostError> {
        let read = |file: &Option<PathBuf>| file.as_deref().map(secret_of).transpose();
        let tls = address.tls_key_file.as_deref().map(tls_key_of).transpose()?;
        let (host, controller) = (read(&address.key_file)?, read(&address.ctrl_key_file)?);
        Ok(Secrets { host, controller, tls })
    }

    /// What is offered in a handshake of TLS, where there is to be one.
    pub(crate) fn tls_offer(&self, names: Names<'_>) -> Option<Vec<TlsPsk>> {
        self.tls.as_ref().map(|key| key.psks(names.host, names.subsystem))
    }
}

fn secret_of(path: &Path) -> Result<Secret, HostError> {
    let text = narrows_files::read_private_text(path, MOST).map(Zeroizing::new);
    let text = text.map_err(|error| error.to_string());
    let secret =
        text.and_then(|text| text.trim().parse().map_err(|why: InvalidSecret| why.to_string()));
    secret.map_err(|reason| HostError::Secret { path: path.to_path_buf(), reason })
}

fn tls_key_of(path: &Path) -> Result<ConfiguredKey, HostError> {
    let text = narrows_files::read_private_text(path, MOST).map(Zeroizing::new);
    let text = text.map_err(|error| error.to_string());
    let key = text.and_then(|text| text.trim().parse().map_err(|why: InvalidKey| why.to_string()));
    key.map_err(|reason| HostError::TlsKey { path: path.to_path_buf(), reason })
}

/// Who authenticates at what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) host: &'a Nqn,
    pub(crate) subsystem: &'a Nqn,
}

/// Does what the answer to a Connect demands; the queue is ready for its commands after that.
///
/// # Errors
/// What stood in the way. The connection is of no more use then.
pub(crate) fn satisfy(
    connection: &mut CommandConnection,
    required: Requirement,
    secrets: &Secrets,
    names: Names<'_>,
) -> Result<(), HostError> {
    if required.secure_channel {
        return Err(HostError::SecureChannel);
    }
    if !required.authentication {
        // Who wants the target to prove itself is not to be told that it did.
        return match secrets.controller {
            Some(_) => Err(HostError::NoAuthentication),
            None => Ok(()),
        };
    }
    let Some(secret) = &secrets.host else {
        return Err(HostError::NoSecret { host: names.host.clone() });
    };
    let exchange = Exchange {
        connection,
        secret,
        controller: secrets.controller.as_ref(),
        names,
        transaction: u16::from_ne_bytes(random()?),
    };
    exchange.run()
}

fn random<const BYTES: usize>() -> Result<[u8; BYTES], HostError> {
    let mut bytes = [0; BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    let failed = |_| HostError::System {
        action: "have the system make random bytes",
        source: std::io::ErrorKind::Other.into(),
    };
    filled.map_err(failed).map(|()| bytes)
}

struct Exchange<'a> {
    connection: &'a mut CommandConnection,
    secret: &'a Secret,
    controller: Option<&'a Secret>,
    names: Names<'a>,
    transaction: u16,
}

/// What is needed to judge the target's answer.
struct HostChallenge {
    challenge: Vec<u8>,
    sequence: u32,
    shared: Option<SharedKey>,
}

impl Exchange<'_> {
    fn run(mut self) -> Result<(), HostError> {
        let negotiate = Negotiate {
            transaction: self.transaction,
            secure_channel: 0,
            offer: Some(Offer::all()),
        };
        self.send(&Message::Negotiate(negotiate))?;
        let Message::Challenge(challenge) = self.receive()? else {
            return Err(self.fail(Explanation::MESSAGE, "another message than its challenge"));
        };
        let asked = self.reply(&challenge)?;
        let Message::Success1(success) = self.receive()? else {
            return Err(self.fail(Explanation::MESSAGE, "another message than its success"));
        };
        self.judge(&challenge, &asked, &success)
    }

    /// Answers the target's challenge, with one for it where it has to prove itself.
    fn reply(&mut self, challenge: &Challenge) -> Result<HostChallenge, HostError> {
        let key = KeyPair::new(challenge.group, &Zeroizing::new(random()?));
        let shared = match key.as_ref().map(|key| key.shared(&challenge.public)).transpose() {
            Ok(shared) => shared,
            Err(why) => return Err(self.fail(Explanation::PAYLOAD, &why.to_string())),
        };
        // 0 would say that there is none.
        let sequence = u32::from_ne_bytes(random()?).max(1);
        let random: [u8; 64] = random()?;
        let asked = HostChallenge {
            challenge: random[..challenge.hash.bytes()].to_vec(),
            sequence,
            shared,
        };
        let response = self.proof(Prover::Host, self.secret, challenge, &asked).response();
        let reply = Reply {
            transaction: self.transaction,
            sequence,
            response,
            challenge: self.controller.map(|_| asked.challenge.clone()),
            public: key.map_or_else(Vec::new, |key| key.public().to_vec()),
        };
        self.send(&Message::Reply(reply))?;
        Ok(asked)
    }

    fn proof<'b>(
        &'b self,
        prover: Prover,
        secret: &'b Secret,
        challenge: &'b Challenge,
        asked: &'b HostChallenge,
    ) -> Proof<'b> {
        let (sequence, question) = match prover {
            Prover::Host => (challenge.sequence, &challenge.challenge),
            Prover::Controller => (asked.sequence, &asked.challenge),
        };
        Proof {
            prover,
            secret,
            hash: challenge.hash,
            host: self.names.host,
            subsystem: self.names.subsystem,
            transaction: self.transaction,
            sequence,
            challenge: question,
            shared: asked.shared.as_ref(),
        }
    }

    fn judge(
        mut self,
        challenge: &Challenge,
        asked: &HostChallenge,
        success: &Success1,
    ) -> Result<(), HostError> {
        let Some(secret) = self.controller else { return Ok(()) };
        let proof = self.proof(Prover::Controller, secret, challenge, asked);
        let given = success.response.as_ref();
        if given.is_some_and(|response| proof.is_given_by(response)) {
            let transaction = self.transaction;
            return self.send(&Message::Success2 { transaction });
        }
        let answered = given.is_some();
        self.tell_failure(Explanation::FAILED);
        Err(HostError::TargetUnproven { answered })
    }

    fn send(&mut self, message: &Message) -> Result<(), HostError> {
        let bytes = message.to_bytes();
        let length = bytes.len() as u32;
        let command = FabricsCommand::AuthenticationSend { protocol: PROTOCOL, length };
        let entry = command.to_entry(0, DataPointer::NONE);
        self.connection.execute("Authentication Send", entry, &bytes, 0).map(drop)
    }

    /// The next message of this exchange.
    fn receive(&mut self) -> Result<Message, HostError> {
        let length = MOST_MESSAGE_BYTES as u32;
        let command = FabricsCommand::AuthenticationReceive { protocol: PROTOCOL, length };
        let entry = command.to_entry(0, DataPointer::NONE);
        let (_, data) = self.connection.execute("Authentication Receive", entry, &[], length)?;
        match Message::parse(data) {
            Ok(Message::Failure1(Failure { explanation, .. })) => {
                Err(HostError::Refused { host: self.names.host.clone(), explanation })
            }
            Ok(message) if message.transaction() != self.transaction => {
                Err(self.fail(Explanation::PAYLOAD, "a message of another authentication"))
            }
            Ok(message) => Ok(message),
            Err(explanation) => Err(self.fail(explanation, "a damaged message")),
        }
    }

    /// Tells the target that it did something wrong, and what is to be told of that here.
    fn fail(&mut self, explanation: Explanation, what: &str) -> HostError {
        self.tell_failure(explanation);
        HostError::Broken(format!("authentication: {what} ({explanation})"))
    }

    fn tell_failure(&mut self, explanation: Explanation) {
        let failure = Failure { transaction: self.transaction, explanation };
        // It is over in any case.
        let _ = self.send(&Message::Failure2(failure));
    }
}
