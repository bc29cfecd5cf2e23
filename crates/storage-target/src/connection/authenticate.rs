//! DH-HMAC-CHAP from the controller's side, on each queue of a host that has to authenticate.
//!
//! Authentication Send gives a message, Authentication Receive asks for the next. What takes long, the maker of keys does; the
//! command that waits for it is answered when it is done, and the queue goes on with its others. A failure is told by Failure1, and
//! the connection ends. A host that has authenticated may do so again at any time, and its queue works on meanwhile.

use std::sync::atomic::Ordering;

use narrows_nvme::authentication::{
    Explanation, Failure, Group, KeyPair, MOST_MESSAGE_BYTES, Message, PROTOCOL, SharedKey,
    Success1, UnusablePublicValue,
};
use narrows_nvme::{DataPointer, Nqn, Status, SubmissionEntry};

use super::gate::{MessageEffect, NO_RANDOMNESS, OUT_OF_ORDER, Step, Wrong};
use super::respond::Payload;
use super::{Connection, Context, Phase};
use crate::controller::{Controller, Service};
use crate::credentials::Credentials;
use crate::key_maker::{KeyDone, KeyRequest, KeyWork};
use crate::target::Target;

/// Most that a host may ask for, bytes.
const MOST_ASKED: usize = 16 << 10;

/// Host and subsystem.
fn names_of(controller: &Controller) -> (&Nqn, Option<&Nqn>) {
    match &controller.service {
        Service::Io(subsystem) => (&controller.host, Some(&subsystem.nqn)),
        Service::Discovery => (&controller.host, None),
    }
}

impl Connection {
    /// Whether the host may do what its queue is for.
    pub(crate) fn is_open_to_host(&self) -> bool {
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
        shared: Option<Result<SharedKey, UnusablePublicValue>>,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::SocketAddr;
    use std::sync::Arc;

    use narrows_nvme::authentication::{Hash, Secret};
    use narrows_nvme::log::TargetWait;

    use super::super::gate::Gate;
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
