//! What answers a challenge.

use ring::{digest, hmac};

use super::{Hash, Secret, SharedKey};
use crate::Nqn;

/// Who proves something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prover {
    /// The host, to the controller.
    Host,
    /// The controller, to the host.
    Controller,
}

/// What a response is made of.
#[derive(Debug, Clone, Copy)]
pub struct Proof<'a> {
    /// Who responds.
    pub prover: Prover,
    /// The secret of who responds.
    pub secret: &'a Secret,
    /// The hash of the exchange.
    pub hash: Hash,
    /// NQN of the host.
    pub host: &'a Nqn,
    /// NQN of the subsystem.
    pub subsystem: &'a Nqn,
    /// T_ID.
    pub transaction: u16,
    /// SEQNUM that came with the challenge.
    pub sequence: u32,
    /// The challenge.
    pub challenge: &'a [u8],
    /// The key of both, where a group is used.
    pub shared: Option<&'a SharedKey>,
}

impl Proof<'_> {
    /// The response, as long as the hash's values.
    pub fn response(&self) -> Vec<u8> {
        self.context().sign().as_ref().to_vec()
    }

    /// Whether this is the response; the time that it takes tells nothing of the right one.
    pub fn is_given_by(&self, response: &[u8]) -> bool {
        let (nqn, _) = self.names();
        hmac::verify(&self.secret.key_of(nqn, self.hash), &self.text(), response).is_ok()
    }

    fn context(&self) -> hmac::Context {
        let (nqn, _) = self.names();
        let mut context = hmac::Context::with_key(&self.secret.key_of(nqn, self.hash));
        context.update(&self.text());
        context
    }

    /// Who responds, and to whom.
    fn names(&self) -> (&Nqn, &Nqn) {
        match self.prover {
            Prover::Host => (self.host, self.subsystem),
            Prover::Controller => (self.subsystem, self.host),
        }
    }

    fn text(&self) -> Vec<u8> {
        let (nqn, other) = self.names();
        let mut text = self.augmented();
        text.extend_from_slice(&self.sequence.to_le_bytes());
        text.extend_from_slice(&self.transaction.to_le_bytes());
        // SC_C: no secure channel is derived.
        text.push(0);
        text.extend_from_slice(match self.prover {
            Prover::Host => b"HostHost",
            Prover::Controller => b"Controller",
        });
        text.extend_from_slice(nqn.as_str().as_bytes());
        text.push(0);
        text.extend_from_slice(other.as_str().as_bytes());
        text
    }

    /// The challenge; with a group, under the hash of the key of both.
    fn augmented(&self) -> Vec<u8> {
        let Some(shared) = self.shared else { return self.challenge.to_vec() };
        let key = digest::digest(self.hash.digest(), &shared.0);
        let key = hmac::Key::new(self.hash.hmac(), key.as_ref());
        hmac::sign(&key, self.challenge).as_ref().to_vec()
    }
}
