//! One connection, from its first byte to its last.

use std::fmt;
use std::sync::OnceLock;
use std::task::Poll;

use narrows_nvme::tls::{PskHash, PskIdentity, TlsPsk};
use s2n_tls::config::Config;
use s2n_tls::connection::Connection;
use s2n_tls::enums::{Blinding, Mode, PskHmac};
use s2n_tls::error::Error;
use s2n_tls::psk::Psk;
use s2n_tls::security::Policy;

use crate::TlsError;
use crate::error::CLOSE_NOTIFY;
use crate::hello::{ALERT, Gathering, HANDSHAKE, Offer};
use crate::pipes::{Pipes, PlacedPipes, receive, send};

/// Most bytes of a record's content.
pub const RECORD_BYTES: usize = 1 << 14;

/// TLS 1.3 alone; AES-128-GCM, AES-256-GCM and ChaCha20; X25519 and the curves P-256, P-384 and P-521. It doesn't change with the library.
const POLICY: &str = "AWS-CRT-SDK-TLSv1.3-2023";

/// Who knows keys by their names.
pub trait KeyRing {
    /// The key that a host means.
    fn psk(&self, identity: &PskIdentity) -> Option<TlsPsk>;
}

/// A host's: it asks the library for nothing but what it offered.
#[derive(Debug, Clone, Copy)]
pub struct NoKeys;

impl KeyRing for NoKeys {
    fn psk(&self, _: &PskIdentity) -> Option<TlsPsk> {
        None
    }
}

/// What the library has for a connection. The connection ends before what it reads from.
struct Machine {
    connection: Connection,
    pipes: PlacedPipes,
}

enum Step {
    /// A host is to say its first message.
    Hello(Gathering),
    /// Messages go to and fro.
    Handshake(Machine),
    /// Data may.
    Open(Machine),
    /// It is over; what is left is to be sent.
    Over(Box<Pipes>),
}

/// One side of a connection.
pub struct Session {
    step: Step,
    /// What this side knows, and of that what both use in the end.
    offered: Vec<PskIdentity>,
    identity: Option<PskIdentity>,
    is_host: bool,
    /// What is to be said and waits for more, up to a record.
    gathered: Vec<u8>,
    /// Something came already.
    heard: bool,
    /// A target has answered the first message: what it says next is encrypted.
    answered: bool,
    /// The other side has ended its direction in order.
    closed: bool,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = match &self.step {
            Step::Hello(_) => "hello",
            Step::Handshake(_) => "handshake",
            Step::Open(_) => "open",
            Step::Over(_) => "over",
        };
        f.debug_struct("Session").field("step", &step).field("identity", &self.identity).finish()
    }
}

fn failed(error: &Error) -> TlsError {
    TlsError::Failed(format!("{} ({})", error.message(), error.name()))
}

fn config() -> Result<Config, TlsError> {
    static CONFIG: OnceLock<Result<Config, TlsError>> = OnceLock::new();
    let make = || {
        let mut builder = Config::builder();
        // No certificate is ever trusted, so none is looked for.
        builder.with_system_certs(false)?;
        builder.set_security_policy(&Policy::from_version(POLICY)?)?;
        builder.build()
    };
    CONFIG.get_or_init(|| make().map_err(|error: Error| failed(&error))).clone()
}

/// Has the library ready, which takes some 10 ms once: it reads the machine's certificates at its start, whoever begins it. None of them is
/// ever trusted here.
///
/// # Errors
/// What the library says.
pub fn prepare() -> Result<(), TlsError> {
    config().map(drop)
}

impl Machine {
    fn new(mode: Mode, psks: &[TlsPsk]) -> Result<Machine, TlsError> {
        let config = config()?;
        let make = || {
            let mut connection = Connection::new(mode);
            let pipes = PlacedPipes::new();
            connection.set_config(config)?;
            // Who has the connection closes it at an error; the library is not to sleep in this thread.
            connection.set_blinding(Blinding::SelfService)?;
            connection.prefer_throughput()?;
            connection.set_receive_callback(Some(receive))?.set_send_callback(Some(send))?;
            let context = pipes.pointer();
            // SAFETY: the pipes stay where they are, where they were placed, until the connection beside them has ended.
            unsafe {
                connection.set_receive_context(context)?.set_send_context(context)?;
            }
            for psk in psks {
                connection.append_psk(&psk_of(psk)?)?;
            }
            Ok(Machine { connection, pipes })
        };
        make().map_err(|error: Error| failed(&error))
    }

    /// The name of the key that both use.
    fn negotiated(&self) -> Option<PskIdentity> {
        let length = self.connection.negotiated_psk_identity_length().ok()?;
        let mut bytes = vec![0; length];
        self.connection.negotiated_psk_identity(&mut bytes).ok()?;
        PskIdentity::from_bytes(&bytes).ok()
    }

    /// What an error of the library is to who has the connection.
    fn error(&self, error: &Error, identity: Option<&PskIdentity>) -> TlsError {
        match (self.connection.alert(), identity) {
            (Some(alert), _) if alert != CLOSE_NOTIFY => TlsError::Refused(alert),
            (_, Some(identity)) if error.name() == "S2N_ERR_BAD_PSK_BINDER" => {
                TlsError::OtherKey(identity.to_string())
            }
            _ => failed(error),
        }
    }
}

fn psk_of(psk: &TlsPsk) -> Result<Psk, Error> {
    let mut builder = Psk::builder()?;
    builder.set_identity(psk.identity.to_string().as_bytes())?;
    builder.set_secret(&psk.key)?;
    builder.set_hmac(match psk.identity.hash {
        PskHash::Sha256 => PskHmac::SHA256,
        PskHash::Sha384 => PskHmac::SHA384,
    })?;
    builder.build()
}

impl Session {
    /// A host's side, which offers these keys, the best first. What it says first is ready to be sent.
    ///
    /// # Errors
    /// What the library says.
    pub fn host(psks: &[TlsPsk]) -> Result<Session, TlsError> {
        let machine = Machine::new(Mode::Client, psks)?;
        let offered = psks.iter().map(|psk| psk.identity.clone()).collect();
        let mut session = Session::new(Step::Handshake(machine), offered, true);
        session.take(&[], &mut Vec::new())?;
        Ok(session)
    }

    /// A target's side.
    pub fn target() -> Session {
        Session::new(Step::Hello(Gathering::default()), Vec::new(), false)
    }

    fn new(step: Step, offered: Vec<PskIdentity>, is_host: bool) -> Session {
        Session {
            step,
            offered,
            identity: None,
            is_host,
            gathered: Vec::new(),
            heard: false,
            answered: false,
            closed: false,
        }
    }

    /// Whether the handshake has ended well: data may be sent.
    pub fn is_open(&self) -> bool {
        matches!(self.step, Step::Open(_))
    }

    /// The name of the key that both sides have, once it is proven.
    pub fn identity(&self) -> Option<&PskIdentity> {
        self.identity.as_ref().filter(|_| self.is_open())
    }

    /// The cipher suite, once the handshake has ended: TLS_AES_128_GCM_SHA256.
    pub fn suite(&self) -> Option<&str> {
        match &self.step {
            Step::Open(machine) => machine.connection.cipher_suite().ok(),
            Step::Hello(_) | Step::Handshake(_) | Step::Over(_) => None,
        }
    }

    /// Whether the other side said that it sends no more (close_notify). A connection that ends otherwise may have been cut.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Takes what came, all of it, and appends what was in it to `plain`: at most as many bytes, and a record's more.
    ///
    /// # Errors
    /// Why the connection is of no more use. What is left to be sent says so to the other side, where it can be told.
    pub fn receive(
        &mut self,
        input: &[u8],
        keys: &dyn KeyRing,
        plain: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        let taken = self.receive_some(input, keys, plain);
        if let Err(error) = &taken {
            self.end(error);
        }
        taken
    }

    fn receive_some(
        &mut self,
        input: &[u8],
        keys: &dyn KeyRing,
        plain: &mut Vec<u8>,
    ) -> Result<(), TlsError> {
        if let Some(first) = input.first().filter(|_| !self.heard) {
            self.heard = true;
            if ![HANDSHAKE, ALERT].contains(first) {
                return Err(TlsError::NotTls);
            }
        }
        let Step::Hello(gathering) = &mut self.step else { return self.take(input, plain) };
        let Some(offers) = gathering.take(input)? else { return Ok(()) };
        let known = offers.iter().find_map(|offer| {
            let identity = PskIdentity::from_bytes(&offer.name).ok()?;
            let psk = keys.psk(&identity).filter(|psk| psk.identity == identity);
            psk.map(|psk| (psk, offer.binder_bytes))
        });
        let Some((psk, binder_bytes)) = known else { return Err(TlsError::NoKey(told(&offers))) };
        if binder_bytes != psk.identity.hash.bytes() {
            return Err(TlsError::Unsuited(
                "a key with a proof by another hash, as GnuTLS before 3.8.11 does it for every key of 48 bytes",
            ));
        }
        let bytes = std::mem::take(&mut gathering.bytes);
        self.step = Step::Handshake(Machine::new(Mode::Server, std::slice::from_ref(&psk))?);
        self.offered = vec![psk.identity];
        self.take(&bytes, plain)
    }

    /// Gives the library what came.
    fn take(&mut self, input: &[u8], plain: &mut Vec<u8>) -> Result<(), TlsError> {
        let known = self.offered.first().filter(|_| !self.is_host);
        let machine = match &mut self.step {
            Step::Handshake(machine) | Step::Open(machine) => machine,
            Step::Hello(_) | Step::Over(_) => return Ok(()),
        };
        machine.pipes.lend(input);
        let result = drive(machine, plain);
        machine.pipes.take_back();
        match result {
            Ok(Progress::Waits) => self.answered |= !machine.pipes.output().is_empty(),
            Ok(Progress::Closed) => self.closed = true,
            Err(error) => return Err(machine.error(&error, known)),
        }
        self.opened()
    }

    /// Looks whether the handshake has ended, and by what key.
    fn opened(&mut self) -> Result<(), TlsError> {
        let Step::Handshake(machine) = &self.step else { return Ok(()) };
        if !machine.connection.handshake_complete() {
            return Ok(());
        }
        let identity = machine.negotiated().filter(|identity| self.offered.contains(identity));
        // A handshake by a certificate is none here.
        self.identity = Some(identity.ok_or(TlsError::Unproven)?);
        let over = Step::Over(Box::new(Pipes::new()));
        if let Step::Handshake(machine) = std::mem::replace(&mut self.step, over) {
            self.step = Step::Open(machine);
        }
        Ok(())
    }

    /// Encrypts what is to be said, all of it.
    ///
    /// # Errors
    /// The handshake hasn't ended well, or what the library says.
    pub fn send(&mut self, plain: &[u8]) -> Result<(), TlsError> {
        self.gather(plain)?;
        self.flush()
    }

    /// The same for a part of what is to be said: small parts share a record, and the last of them waits for [`flush`](Session::flush).
    ///
    /// # Errors
    /// As [`send`](Session::send).
    pub fn gather(&mut self, mut plain: &[u8]) -> Result<(), TlsError> {
        while !plain.is_empty() {
            if self.gathered.is_empty() && plain.len() >= RECORD_BYTES {
                let (whole, rest) = plain.split_at(plain.len() / RECORD_BYTES * RECORD_BYTES);
                self.encrypt(whole)?;
                plain = rest;
                continue;
            }
            let (part, rest) = plain.split_at(plain.len().min(RECORD_BYTES - self.gathered.len()));
            self.gathered.extend_from_slice(part);
            plain = rest;
            if self.gathered.len() == RECORD_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Encrypts what was gathered.
    ///
    /// # Errors
    /// As [`send`](Session::send).
    pub fn flush(&mut self) -> Result<(), TlsError> {
        let mut gathered = std::mem::take(&mut self.gathered);
        let encrypted = if gathered.is_empty() { Ok(()) } else { self.encrypt(&gathered) };
        gathered.clear();
        self.gathered = gathered;
        encrypted
    }

    fn encrypt(&mut self, mut plain: &[u8]) -> Result<(), TlsError> {
        let Step::Open(machine) = &mut self.step else {
            return Err(TlsError::Failed("nothing is sent outside of a session".to_string()));
        };
        while !plain.is_empty() {
            match machine.connection.poll_send(plain) {
                Poll::Ready(Ok(bytes @ 1..)) => plain = &plain[bytes.min(plain.len())..],
                Poll::Ready(Err(error)) => return Err(machine.error(&error, None)),
                // What it writes to takes everything.
                Poll::Ready(Ok(0)) | Poll::Pending => {
                    return Err(TlsError::Failed("what is to be sent isn't taken".to_string()));
                }
            }
        }
        Ok(())
    }

    /// What goes over the network next.
    pub fn output(&self) -> &[u8] {
        match &self.step {
            Step::Hello(_) => &[],
            Step::Handshake(machine) | Step::Open(machine) => machine.pipes.output(),
            Step::Over(pipes) => pipes.output(),
        }
    }

    /// Takes what goes over the network next, all of it, into an empty vector, whose room is used in its place: what is taken stays where it
    /// is, whatever comes meanwhile.
    pub fn take_output(&mut self, into: &mut Vec<u8>) {
        let pipes = match &mut self.step {
            Step::Hello(_) => return,
            Step::Handshake(machine) | Step::Open(machine) => &mut *machine.pipes,
            Step::Over(pipes) => pipes,
        };
        pipes.take_output(into);
    }

    /// So many bytes of that went.
    pub fn sent(&mut self, bytes: usize) {
        match &mut self.step {
            Step::Hello(_) => {}
            Step::Handshake(machine) | Step::Open(machine) => machine.pipes.sent(bytes),
            Step::Over(pipes) => pipes.sent(bytes),
        }
    }

    /// Says that this side sends no more.
    pub fn close(&mut self) {
        if let Step::Open(machine) = &mut self.step {
            // Who doesn't hear it sees the connection's end.
            let _ = machine.connection.poll_shutdown_send();
        }
    }

    /// Ends it: what the library had to say goes, or a reason, where nothing is encrypted yet.
    fn end(&mut self, error: &TlsError) {
        let mut pipes = Box::new(Pipes::new());
        let before = std::mem::replace(&mut self.step, Step::Over(Box::new(Pipes::new())));
        let is_plain = match &before {
            Step::Hello(_) => true,
            Step::Handshake(machine) => {
                !self.is_host && !self.answered && machine.pipes.output().is_empty()
            }
            Step::Open(_) | Step::Over(_) => false,
        };
        match before {
            Step::Handshake(machine) | Step::Open(machine) => pipes.append(machine.pipes.output()),
            Step::Over(earlier) => pipes.append(earlier.output()),
            Step::Hello(_) => {}
        }
        if let Some(alert) = error.alert().filter(|_| is_plain) {
            const FATAL: u8 = 2;
            pipes.append(&[ALERT, 3, 3, 0, 2, FATAL, alert]);
        }
        self.step = Step::Over(pipes);
    }
}

enum Progress {
    Waits,
    Closed,
}

/// Has the library do what it can with what it was lent.
fn drive(machine: &mut Machine, plain: &mut Vec<u8>) -> Result<Progress, Error> {
    let connection = &mut machine.connection;
    if !connection.handshake_complete() {
        match connection.poll_negotiate() {
            Poll::Ready(Ok(_)) => {}
            Poll::Ready(Err(error)) => return Err(error),
            Poll::Pending => return Ok(Progress::Waits),
        }
    }
    loop {
        plain.reserve(RECORD_BYTES);
        match connection.poll_recv_uninitialized(plain.spare_capacity_mut()) {
            Poll::Ready(Ok(0)) => return Ok(Progress::Closed),
            Poll::Ready(Ok(bytes)) => {
                // SAFETY: the library wrote as many behind what was there.
                unsafe { plain.set_len(plain.len() + bytes) };
            }
            Poll::Ready(Err(error)) => return Err(error),
            Poll::Pending => return Ok(Progress::Waits),
        }
    }
}

/// Names that a host offers, as far as they can be shown: a line that somebody reads, and that whoever reaches the port can have written.
fn told(offers: &[Offer]) -> String {
    /// As long as a name can be that is one: two NQNs and a digest.
    const SHOWN_BYTES: usize = 521;
    let one = |offer: &Offer| {
        let shown = &offer.name[..offer.name.len().min(SHOWN_BYTES)];
        String::from_utf8_lossy(shown).into_owned()
    };
    let shown: Vec<String> = offers.iter().take(2).map(one).collect();
    shown.join(", or ")
}
