//! DH-HMAC-CHAP from the controller's side, on each queue of a host that has to authenticate.
//!
//! Authentication Send gives a message, Authentication Receive asks for the next. What takes long, the maker of keys does; the
//! command that waits for it is answered when it is done, and the queue goes on with its others. A failure is told by Failure1, and
//! the connection ends. A host that has authenticated may do so again at any time, and its queue works on meanwhile.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use narrows_nvme::authentication::{
    Challenge, Explanation, Failure, Group, KeyPair, MOST_MESSAGE_BYTES, Message, Negotiate,
    PROTOCOL, Proof, Prover, Reply, SharedKey, Success1,
};
use narrows_nvme::{DataPointer, Nqn, Status, SubmissionEntry};

use super::respond::Payload;
use super::{Connection, Context, Phase};
use crate::controller::{Controller, Service};
use crate::credentials::Credentials;
use crate::key_maker::{KeyDone, KeyRequest, KeyWork, fill_random};
use crate::target::{Permit, Target};

/// Most that a host may ask for, bytes.
const MOST_ASKED: usize = 16 << 10;

/// What stands before a queue whose host has to authenticate.
#[derive(Debug)]
pub(super) struct Gate {
    credentials: Arc<Credentials>,
    /// The host has proved who it is.
    passed: bool,
    step: Step,
    /// When the exchange began, ns; before the first, when the queue was connected.
    begun_ns: u64,
    /// Until it has passed.
    permit: Option<Arc<Permit>>,
}

/// How far an exchange is.
#[derive(Debug)]
enum Step {
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
struct Challenged {
    transaction: u16,
    sequence: u32,
    challenge: Vec<u8>,
    key: Option<KeyPair>,
}

/// What a message leads to.
enum MessageEffect {
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
struct Wrong(Explanation, &'static str);

const OUT_OF_ORDER: Wrong = Wrong(Explanation::MESSAGE, "a message came out of order");
const NO_RANDOMNESS: Wrong = Wrong(Explanation::FAILED, "a key could not be made");

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
    fn pass(&mut self, target: &Target) {
        self.passed = true;
        self.permit = None;
        target.authenticated.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the exchange where it is; what was made for it is dropped.
    fn take_step(&mut self) -> Step {
        std::mem::replace(&mut self.step, Step::Idle)
    }

    /// Takes a message of the host.
    fn take(
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
    fn judge(
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
    fn challenge(
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

/// Host and subsystem.
fn names_of(controller: &Controller) -> (&Nqn, Option<&Nqn>) {
    match &controller.service {
        Service::Io(subsystem) => (&controller.host, Some(&subsystem.nqn)),
        Service::Discovery => (&controller.host, None),
    }
}

impl Connection {
    /// Whether the host may do what its queue is for.
    pub(super) fn is_open_to_host(&self) -> bool {
        self.gate.as_ref().is_none_or(|gate| gate.passed)
    }

    /// Whether an authentication failed here.
    pub(crate) fn failed_authentication(&self) -> bool {
        self.failed_authentication
    }

    /// Ends a connection whose host hasn't ended an exchange that began before `begun_ns`; whether it did that.
    pub(crate) fn end_late_exchange(&mut self, begun_ns: u64, target: &Target) -> bool {
        let late = self.gate.as_ref().is_some_and(|gate| {
            let under_way = !gate.passed || !matches!(gate.step, Step::Idle);
            under_way && gate.begun_ns < begun_ns
        });
        if late && !self.failed_authentication {
            self.authentication_failed("the host took too long", target);
        }
        late
    }

    /// An authentication failed; for the journal and the figures.
    fn authentication_failed(&mut self, why: &str, target: &Target) {
        self.failed_authentication = true;
        self.ended_by = Some(why.to_string());
        target.authentication_failures.fetch_add(1, Ordering::Relaxed);
    }

    /// The next Authentication Receive tells the host that it failed.
    fn refuse(&mut self, transaction: u16, wrong: &Wrong, target: &Target) {
        self.authentication_failed(wrong.1, target);
        if let Some(gate) = &mut self.gate {
            gate.step = Step::Refused { transaction, explanation: wrong.0 };
        }
    }

    /// Authentication Send with its data.
    pub(super) fn authentication_send(
        &mut self,
        entry: &SubmissionEntry,
        protocol: [u8; 3],
        length: u32,
        data: &[u8],
        context: &mut Context<'_>,
    ) {
        let Some(gate) = &mut self.gate else {
            return self.complete(entry, Status::INVALID_FIELD.for_good(), 0);
        };
        let whole = DataPointer::InCapsule { offset: 0, length };
        let fits = data.len() == length as usize && data.len() <= MOST_MESSAGE_BYTES;
        if protocol != PROTOCOL || length == 0 {
            return self.complete(entry, Status::INVALID_FIELD.for_good(), 0);
        }
        if entry.data() != whole || !fits {
            return self.complete(entry, Status::SGL_LENGTH_INVALID.for_good(), 0);
        }
        // One at a time: what the maker of keys has is not taken back.
        if matches!(gate.step, Step::Making { .. } | Step::Sharing { .. } | Step::Refused { .. }) {
            return self.complete(entry, Status::SEQUENCE_ERROR.for_good(), 0);
        }
        let message = match Message::parse(data) {
            Ok(Message::Failure2(failure)) => return self.host_refuses(entry, &failure, context),
            Ok(message) => message,
            Err(explanation) => {
                let transaction = gate.step.transaction();
                let wrong = Wrong(explanation, "a message is damaged");
                self.refuse(transaction, &wrong, context.target);
                return self.complete(entry, Status::SUCCESS, 0);
            }
        };
        let transaction = message.transaction();
        match gate.take(message, entry, context) {
            Ok(MessageEffect::Keys(work)) => {
                let permit = gate.permit.clone();
                context.keys.push(KeyRequest { work, permit });
            }
            Ok(MessageEffect::Judge) => self.judge_reply(None, context.target),
            Ok(MessageEffect::Nothing) => self.complete(entry, Status::SUCCESS, 0),
            Ok(MessageEffect::Done) => {
                gate.pass(context.target);
                self.complete(entry, Status::SUCCESS, 0);
            }
            Err(wrong) => {
                self.refuse(transaction, &wrong, context.target);
                self.complete(entry, Status::SUCCESS, 0);
            }
        }
    }

    /// The host didn't like what the target said, and ends the exchange.
    fn host_refuses(&mut self, entry: &SubmissionEntry, failure: &Failure, context: &Context<'_>) {
        self.complete(entry, Status::SUCCESS, 0);
        let why = format!("the host refused the target: {}", failure.explanation);
        self.authentication_failed(&why, context.target);
        self.phase = Phase::Ending;
    }

    /// The host's reply is here, and the key of both where there is one.
    fn judge_reply(
        &mut self,
        shared: Option<Result<SharedKey, narrows_nvme::authentication::UnusablePublicValue>>,
        target: &Target,
    ) {
        let (Some(gate), Some(queue)) = (&mut self.gate, &self.queue) else { return };
        let Step::Sharing { challenged, reply, asked } = gate.take_step() else { return };
        let (host, subsystem) = names_of(&queue.controller);
        let judged = match (shared.transpose(), subsystem) {
            (Ok(shared), Some(subsystem)) => {
                gate.judge(&challenged, &reply, shared.as_ref(), (host, subsystem))
            }
            _ => Err(Wrong(Explanation::PAYLOAD, "the host's public value is none of the group")),
        };
        // Not before the host has proved who it is: another would keep it from its own queues.
        let judged = judged.and_then(|step| self.claim_queue().map(|()| step));
        let Some(gate) = &mut self.gate else { return };
        match judged {
            Ok(step) => gate.step = step,
            Err(wrong) => self.refuse(challenged.transaction, &wrong, target),
        }
        self.complete(&asked, Status::SUCCESS, 0);
    }

    /// What the maker of keys was asked for.
    pub(crate) fn key_done(&mut self, done: KeyDone, context: &mut Context<'_>) {
        if self.phase != Phase::Open {
            return;
        }
        match done {
            KeyDone::Shared(shared) => self.judge_reply(Some(shared), context.target),
            KeyDone::Made(key) => {
                let Some(gate) = &mut self.gate else { return };
                let Step::Making { transaction, asked } = gate.take_step() else { return };
                self.tell_challenge(transaction, Some(key), &asked, context.target);
            }
            KeyDone::Failed => {
                let Some(gate) = &mut self.gate else { return };
                let transaction = gate.step.transaction();
                let step = gate.take_step();
                self.refuse(transaction, &NO_RANDOMNESS, context.target);
                match step {
                    Step::Making { asked, .. } => {
                        let failure = Failure { transaction, explanation: NO_RANDOMNESS.0 };
                        self.tell(&asked, &Message::Failure1(failure));
                        self.phase = Phase::Ending;
                    }
                    Step::Sharing { asked, .. } => self.complete(&asked, Status::SUCCESS, 0),
                    _ => {}
                }
            }
        }
    }

    /// Authentication Receive: the next message, if the host has room for it.
    pub(super) fn authentication_receive(
        &mut self,
        entry: &SubmissionEntry,
        protocol: [u8; 3],
        length: u32,
        context: &mut Context<'_>,
    ) {
        let Some(gate) = &mut self.gate else {
            return self.complete(entry, Status::INVALID_FIELD.for_good(), 0);
        };
        let Credentials { hash, group, .. } = *gate.credentials;
        let room = length as usize;
        // The longest that may come now, whatever it will be.
        let needed = 16 + hash.bytes() + group.bytes();
        if protocol != PROTOCOL || room < needed || room > MOST_ASKED {
            return self.complete(entry, Status::INVALID_FIELD.for_good(), 0);
        }
        if entry.data() != (DataPointer::Transport { length }) {
            return self.complete(entry, Status::SGL_LENGTH_INVALID.for_good(), 0);
        }
        match gate.take_step() {
            Step::Negotiated { transaction } if group == Group::Null => {
                self.tell_challenge(transaction, None, entry, context.target);
            }
            Step::Negotiated { transaction } => {
                gate.step = Step::Making { transaction, asked: *entry };
                let permit = gate.permit.clone();
                context.keys.push(KeyRequest { work: KeyWork::Make(group), permit });
            }
            Step::Accepted { transaction, response } => {
                if response.is_some() {
                    gate.step = Step::Answered { transaction };
                } else {
                    gate.pass(context.target);
                }
                self.tell(entry, &Message::Success1(Success1 { transaction, hash, response }));
            }
            step @ Step::Refused { .. } => {
                gate.step = step;
                self.tell_refusal(entry);
            }
            step => {
                let busy = matches!(step, Step::Making { .. } | Step::Sharing { .. });
                let transaction = step.transaction();
                gate.step = step;
                if busy {
                    return self.complete(entry, Status::SEQUENCE_ERROR.for_good(), 0);
                }
                self.refuse(transaction, &OUT_OF_ORDER, context.target);
                self.tell_refusal(entry);
            }
        }
    }

    fn tell_challenge(
        &mut self,
        transaction: u16,
        key: Option<KeyPair>,
        asked: &SubmissionEntry,
        target: &Target,
    ) {
        let Some(gate) = &mut self.gate else { return };
        match gate.challenge(transaction, key, target) {
            Ok(message) => self.tell(asked, &message),
            Err(wrong) => {
                self.refuse(transaction, &wrong, target);
                self.tell_refusal(asked);
            }
        }
    }

    fn tell_refusal(&mut self, entry: &SubmissionEntry) {
        let step = self.gate.as_ref().map(|gate| &gate.step);
        if let Some(&Step::Refused { transaction, explanation }) = step {
            self.tell(entry, &Message::Failure1(Failure { transaction, explanation }));
        }
        self.phase = Phase::Ending;
    }

    /// Answers an Authentication Receive.
    fn tell(&mut self, entry: &SubmissionEntry, message: &Message) {
        let room = entry.data().length() as usize;
        let mut bytes = message.to_bytes();
        bytes.resize(room, 0);
        let copy = |out: &mut Vec<u8>| out.extend_from_slice(&bytes);
        self.answer(entry, Payload::Copied(&copy), room, 0);
    }

    /// The connection becomes the queue that it wants to be, unless another has.
    fn claim_queue(&mut self) -> Result<(), Wrong> {
        let Some(queue) = &mut self.queue else { return Ok(()) };
        if queue.number > 0 && !queue.joined {
            queue.joined = queue.controller.registers().queues.insert(queue.number);
            if !queue.joined {
                let why = "another connection has become the same queue";
                return Err(Wrong(Explanation::FAILED, why));
            }
        }
        Ok(())
    }
}

impl Step {
    /// T_ID of the exchange; 0 before there is one.
    fn transaction(&self) -> u16 {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::SocketAddr;

    use narrows_nvme::authentication::{Hash, Secret};
    use narrows_nvme::log::TargetWait;

    use super::*;
    use crate::target::{Limits, Threads};

    #[test]
    fn an_exchange_that_takes_too_long_ends_its_connection() {
        let threads = Threads { wait: TargetWait::Sleep, counters: Vec::new() };
        let target = Target::new(BTreeMap::new(), Limits::default(), threads);
        let credentials = Arc::new(Credentials {
            host: Secret::new(None, &[1; 32]).unwrap(),
            controller: None,
            hash: Hash::Sha256,
            group: Group::Null,
        });
        let mut connection = Connection::new(SocketAddr::from(([127, 0, 0, 1], 4420)));
        assert!(!connection.end_late_exchange(u64::MAX, &target), "nothing is demanded");
        connection.gate = Some(Gate::new(&credentials, target.permit().unwrap(), 1000));
        assert!(!connection.end_late_exchange(1000, &target));
        assert!(connection.end_late_exchange(1001, &target));
        assert_eq!(connection.ended_by(), Some("the host took too long"));
        assert_eq!(target.authentication_failures.load(Ordering::Relaxed), 1);
        // One that has authenticated may take any time until it begins again.
        let mut connection = Connection::new(SocketAddr::from(([127, 0, 0, 1], 4420)));
        let mut gate = Gate::new(&credentials, target.permit().unwrap(), 1000);
        gate.pass(&target);
        connection.gate = Some(gate);
        assert!(!connection.end_late_exchange(u64::MAX, &target));
        connection.gate.as_mut().unwrap().step = Step::Negotiated { transaction: 1 };
        assert!(connection.end_late_exchange(u64::MAX, &target));
    }
}
