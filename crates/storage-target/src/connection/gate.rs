//! What stands before a queue whose host has to authenticate, and how far its exchange is: messages in, what is to be said or
//! computed next out. Which commands carry the messages, `authenticate` knows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use narrows_nvme::authentication::{
    Challenge, Explanation, KeyPair, Message, Negotiate, Proof, Prover, Reply, SharedKey,
};
use narrows_nvme::{Nqn, SubmissionEntry};

use super::Context;
use crate::credentials::Credentials;
use crate::key_maker::{KeyWork, fill_random};
use crate::target::{Permit, Target};

/// What stands before a queue whose host has to authenticate.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) credentials: Arc<Credentials>,
    /// The host has proved who it is.
    pub(super) passed: bool,
    pub(super) step: Step,
    /// When the exchange began, ns; before the first, when the queue was connected.
    pub(super) begun_ns: u64,
    /// Until it has passed.
    pub(super) permit: Option<Arc<Permit>>,
}

/// How far an exchange is.
#[derive(Debug)]
pub(super) enum Step {
    /// Negotiate is to come.
    Idle,
    /// The host may ask for the challenge.
    Negotiated { transaction: u16 },
    /// It did, and the key is being made.
    Making { transaction: u16, asked: SubmissionEntry },
    /// Reply is to come.
    Challenged(Challenged),
    /// It came, and the key of both is being made.
    Sharing { challenged: Challenged, reply: Box<Reply>, asked: SubmissionEntry },
    /// The host may ask how it went: well.
    Accepted { transaction: u16, response: Option<Vec<u8>> },
    /// Success2 is to come.
    Answered { transaction: u16 },
    /// The host may ask how it went: badly.
    Refused { transaction: u16, explanation: Explanation },
}

/// What the host was challenged by.
#[derive(Debug)]
pub(super) struct Challenged {
    pub(super) transaction: u16,
    sequence: u32,
    challenge: Vec<u8>,
    key: Option<KeyPair>,
}

/// What a message leads to.
pub(super) enum MessageEffect {
    /// The host may go on.
    Nothing,
    /// The maker of keys is asked first.
    Keys(KeyWork),
    /// The host's response is judged.
    Judge,
    /// The exchange has ended well.
    Done,
}

/// Why an exchange fails: for the host, and for whoever reads the journal.
pub(super) struct Wrong(pub(super) Explanation, pub(super) &'static str);

pub(super) const OUT_OF_ORDER: Wrong = Wrong(Explanation::MESSAGE, "a message came out of order");
pub(super) const NO_RANDOMNESS: Wrong = Wrong(Explanation::FAILED, "a key could not be made");

impl Gate {
    pub(super) fn new(credentials: &Arc<Credentials>, permit: Permit, now_ns: u64) -> Gate {
        Gate {
            credentials: Arc::clone(credentials),
            passed: false,
            step: Step::Idle,
            begun_ns: now_ns,
            permit: Some(Arc::new(permit)),
        }
    }

    /// An exchange has ended well.
    pub(super) fn pass(&mut self, target: &Target) {
        self.passed = true;
        self.permit = None;
        target.authenticated.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the exchange where it is; what was made for it is dropped.
    pub(super) fn take_step(&mut self) -> Step {
        std::mem::replace(&mut self.step, Step::Idle)
    }

    /// Takes a message of the host.
    pub(super) fn take(
        &mut self,
        message: Message,
        entry: &SubmissionEntry,
        context: &Context<'_>,
    ) -> Result<MessageEffect, Wrong> {
        if let Message::Negotiate(negotiate) = &message {
            if !matches!(self.step, Step::Idle) {
                return Err(OUT_OF_ORDER);
            }
            self.begun_ns = if self.passed { context.now_ns } else { self.begun_ns };
            self.negotiate(negotiate)?;
            self.step = Step::Negotiated { transaction: negotiate.transaction };
            return Ok(MessageEffect::Nothing);
        }
        match (self.take_step(), message) {
            (Step::Challenged(challenged), Message::Reply(reply)) => {
                same(challenged.transaction, reply.transaction)?;
                self.replied(challenged, reply, entry)
            }
            (Step::Answered { transaction }, Message::Success2 { transaction: its }) => {
                same(transaction, its)?;
                Ok(MessageEffect::Done)
            }
            _ => Err(OUT_OF_ORDER),
        }
    }

    fn negotiate(&self, asked: &Negotiate) -> Result<(), Wrong> {
        if asked.secure_channel != 0 {
            let why = "the host wants TLS to follow, which is not there";
            return Err(Wrong(Explanation::SECURE_CHANNEL, why));
        }
        let protocol = Wrong(Explanation::PROTOCOL, "the host doesn't offer DH-HMAC-CHAP");
        let offer = asked.offer.as_ref().ok_or(protocol)?;
        if !offer.hashes.contains(&self.credentials.hash.id()) {
            let why = "the host doesn't offer the hash that is wanted here (dhchap-hash)";
            return Err(Wrong(Explanation::HASH, why));
        }
        if !offer.groups.contains(&self.credentials.group.id()) {
            let why = "the host doesn't offer the group that is wanted here (dhchap-group)";
            return Err(Wrong(Explanation::GROUP, why));
        }
        Ok(())
    }

    fn replied(
        &mut self,
        mut challenged: Challenged,
        reply: Reply,
        entry: &SubmissionEntry,
    ) -> Result<MessageEffect, Wrong> {
        let wrong = Wrong(Explanation::PAYLOAD, "the host's reply has values of another length");
        let group = self.credentials.group.bytes();
        if reply.response.len() != self.credentials.hash.bytes() || reply.public.len() != group {
            return Err(wrong);
        }
        let key = challenged.key.take();
        let work = key.map(|key| KeyWork::Share(key, reply.public.clone()));
        self.step = Step::Sharing { challenged, reply: Box::new(reply), asked: *entry };
        Ok(work.map_or(MessageEffect::Judge, MessageEffect::Keys))
    }

    /// Looks whether the host's response is the one that its secret gives.
    pub(super) fn judge(
        &self,
        challenged: &Challenged,
        reply: &Reply,
        shared: Option<&SharedKey>,
        names: (&Nqn, &Nqn),
    ) -> Result<Step, Wrong> {
        let proof = Proof {
            prover: Prover::Host,
            secret: &self.credentials.host,
            hash: self.credentials.hash,
            host: names.0,
            subsystem: names.1,
            transaction: challenged.transaction,
            sequence: challenged.sequence,
            challenge: &challenged.challenge,
            shared,
        };
        if !proof.is_given_by(&reply.response) {
            return Err(Wrong(Explanation::FAILED, "the host has another secret"));
        }
        let Some(challenge) = &reply.challenge else {
            return Ok(Step::Accepted { transaction: challenged.transaction, response: None });
        };
        // Our own challenge given back would have us answer for the host.
        if *challenge == challenged.challenge {
            return Err(Wrong(Explanation::FAILED, "the host gave our own challenge back"));
        }
        let none = "the host wants the target to authenticate, and it has no secret (dhchap-ctrl-key-file)";
        let secret = self.credentials.controller.as_ref();
        let secret = secret.ok_or(Wrong(Explanation::FAILED, none))?;
        let proof = Proof {
            prover: Prover::Controller,
            secret,
            sequence: reply.sequence,
            challenge,
            ..proof
        };
        let response = Some(proof.response());
        Ok(Step::Accepted { transaction: challenged.transaction, response })
    }

    /// The challenge, with a key where a group is used.
    pub(super) fn challenge(
        &mut self,
        transaction: u16,
        key: Option<KeyPair>,
        target: &Target,
    ) -> Result<Message, Wrong> {
        let Credentials { hash, group, .. } = *self.credentials;
        let mut challenge = vec![0; hash.bytes()];
        fill_random(&mut challenge).ok_or(NO_RANDOMNESS)?;
        let sequence = target.next_sequence();
        let public = key.as_ref().map_or_else(Vec::new, |key| key.public().to_vec());
        let message = Message::Challenge(Challenge {
            transaction,
            hash,
            group,
            sequence,
            challenge: challenge.clone(),
            public,
        });
        self.step = Step::Challenged(Challenged { transaction, sequence, challenge, key });
        Ok(message)
    }
}

fn same(transaction: u16, other: u16) -> Result<(), Wrong> {
    let wrong = Wrong(Explanation::PAYLOAD, "a message is of another exchange");
    if transaction == other { Ok(()) } else { Err(wrong) }
}

impl Step {
    /// T_ID of the exchange; 0 before there is one.
    pub(super) fn transaction(&self) -> u16 {
        match self {
            Step::Idle => 0,
            Step::Negotiated { transaction }
            | Step::Making { transaction, .. }
            | Step::Accepted { transaction, .. }
            | Step::Answered { transaction }
            | Step::Refused { transaction, .. } => *transaction,
            Step::Challenged(challenged) | Step::Sharing { challenged, .. } => {
                challenged.transaction
            }
        }
    }
}
