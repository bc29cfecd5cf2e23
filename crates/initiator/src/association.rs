//! A host and a controller, from Connect to the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use narrows_io::Arena;
use narrows_nvme::command::{Connect, ConnectData, DYNAMIC_CONTROLLER, Identify};
use narrows_nvme::digest::Digests;
use narrows_nvme::feature::{self, QueueCounts};
use narrows_nvme::identify::{IdentifyController, IdentifyNamespace, NamespaceIds};
use narrows_nvme::log::{ACTIVITY_BYTES, TargetActivity, page};
use narrows_nvme::property::{self, Capabilities, Configuration, ControllerStatus};
use narrows_nvme::{HostId, Status};

use crate::HostError;
use crate::address::Address;
use crate::admin::{CommandConnection, ConnectionParts};
use crate::authenticate::{Names, Secrets, satisfy};
use crate::command_queue::CommandQueue;
use crate::identity::Identity;
use crate::interface::interface_of;
use crate::link::Link;
use crate::path::{NvmeTcpPath, PathOptions, QueueParts};
use crate::reconnect::Outages;

/// How long a controller may take to be ready where it says nothing of that.
const READY_WITHIN: Duration = Duration::from_secs(10);
/// Most data of a command where the controller has no limit, bytes.
const MOST_DATA: u32 = 1 << 20;
/// How often and how far apart a queue's Connect is tried again.
const QUEUE_TRIES: u32 = 3;
const QUEUE_PAUSE: Duration = Duration::from_millis(50);
/// How long taking leave of a target may take that doesn't answer, each of two steps: who stops a run isn't to wait for it.
const LEAVE_WITHIN: Duration = Duration::from_secs(1);
/// Entries of the admin queue, less one.
const ADMIN_QUEUE_SIZE: u16 = 31;

/// What was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// What the controller says of itself.
    pub controller: IdentifyController,
    /// What the namespace is.
    pub namespace: IdentifyNamespace,
    /// What names it for good; none where the controller tells none. Linux's target has its UUID here and nowhere else.
    pub ids: NamespaceIds,
    /// Size of a block, bytes.
    pub block_bytes: u32,
    /// I/O queues that the controller granted.
    pub queues: u32,
    /// Entries of a queue.
    pub queue_entries: u32,
    /// The digests that are used.
    pub digests: Digests,
    /// The cipher suite of TLS; none where the connections go without.
    pub suite: Option<String>,
    /// Most data of a command, bytes.
    pub max_data: u32,
}

impl Reached {
    /// Size of the namespace, bytes.
    pub fn bytes(&self) -> u64 {
        self.namespace.blocks.saturating_mul(u64::from(self.block_bytes))
    }

    /// Refuses what isn't what was reached before, or can do less.
    pub(crate) fn check_same(&self, now: &Reached) -> Result<(), HostError> {
        let (before, after) = (&self.namespace, &now.namespace);
        let other = |what: &str| Err(HostError::Changed(what.to_string()));
        if (&self.controller.serial, &self.controller.model)
            != (&now.controller.serial, &now.controller.model)
        {
            return other("the subsystem has another serial number or model");
        }
        if (before.nguid, before.eui64, self.ids) != (after.nguid, after.eui64, now.ids) {
            return other("the namespace has another identifier (NGUID, EUI64, UUID)");
        }
        if (before.blocks, self.block_bytes) != (after.blocks, now.block_bytes) {
            return other("the namespace has another size");
        }
        if before.write_protected != after.write_protected {
            return other("the namespace's write protection is another one");
        }
        if self.controller.write_cache != now.controller.write_cache {
            return other("the controller says otherwise of its write cache");
        }
        if self.digests != now.digests {
            return other("the target agrees to other digests");
        }
        if self.suite != now.suite {
            return other("the connections are encrypted otherwise");
        }
        let less = now.queues < self.queues
            || now.queue_entries < self.queue_entries
            || now.max_data < self.max_data;
        if less {
            return other("the target grants less: queues, entries, or data per command");
        }
        Ok(())
    }
}

/// A host's connections to a controller. Their end is the end of its paths.
#[derive(Debug)]
pub struct Association {
    link: Arc<Link>,
    on_this_machine: bool,
    interface: Option<String>,
    keeper: Option<JoinHandle<()>>,
}

impl Association {
    /// Connects, and asks what is there, for up to `queues` I/O queues.
    ///
    /// # Errors
    /// What stood in the way.
    pub fn connect(address: &Address, queues: u16) -> Result<Association, HostError> {
        Association::of(address, queues, Identity::of(address.host_nqn.as_ref()))
    }

    /// The same as the host of this identifier, whatever this machine's is: what is reserved by it is none of this machine's other programs',
    /// nor of an earlier run of this one.
    ///
    /// # Errors
    /// As [`Association::connect`].
    pub fn connect_as(
        address: &Address,
        queues: u16,
        id: HostId,
    ) -> Result<Association, HostError> {
        let own = Identity::of(address.host_nqn.as_ref());
        Association::of(address, queues, Identity { id, ..own })
    }

    fn of(address: &Address, queues: u16, identity: Identity) -> Result<Association, HostError> {
        let credentials = Credentials {
            identity,
            secrets: Secrets::of(address)?,
            known_name: AtomicUsize::new(0),
        };
        let established = establish(address, &credentials, queues)?;
        let on_this_machine = established.admin.is_on_this_machine();
        let interface = established.admin.local_address().and_then(interface_of);
        let link = Arc::new(Link::new(address, credentials, established));
        let kept = Arc::clone(&link);
        let keeper = std::thread::Builder::new().name("keep-alive".to_string());
        let keeper = keeper.spawn(move || kept.keep());
        Ok(Association {
            link,
            on_this_machine,
            interface,
            keeper: Some(keeper.map_err(HostError::system("start a thread"))?),
        })
    }

    /// What was reached.
    pub fn reached(&self) -> &Reached {
        &self.link.reached
    }

    /// Where it is.
    pub fn address(&self) -> &Address {
        &self.link.address
    }

    /// Whether the target is reached at an address of this machine.
    pub fn is_on_this_machine(&self) -> bool {
        self.on_this_machine
    }

    /// The network interface by which the target is reached.
    pub fn interface(&self) -> Option<&str> {
        self.interface.as_deref()
    }

    /// How often the connections were lost so far, and for how long.
    pub fn outages(&self) -> Outages {
        self.link.outages()
    }

    /// Of the operations of all paths that ended since then: the longest that one took, from its submission, which was in flight when the
    /// connections were lost, or submitted while they were; zero without such.
    pub fn longest_stall_since(&self, since: Instant) -> Duration {
        self.link.longest_stall_since(since)
    }

    /// Has the completions of I/O commands carry how long the target took ([`narrows_nvme::feature::ServiceTime`]); whether
    /// the target can.
    pub fn ask_for_service_time(&self) -> bool {
        let can = self.link.admin().set_feature(feature::SERVICE_TIME, 1).is_ok();
        if can {
            self.link.tell_service_time();
        }
        can
    }

    /// What the target says of its threads and of what is behind the namespace, where it is narrows' own.
    pub fn target_activity(&self) -> Option<TargetActivity> {
        let mut data = [0; ACTIVITY_BYTES];
        let namespace = self.address().namespace;
        self.link.admin().log_page(page::ACTIVITY, namespace, &mut data).ok()?;
        TargetActivity::from_bytes(&data)
    }

    /// An I/O queue of its own as a way to the namespace, with `arena`'s slots.
    ///
    /// # Errors
    /// What stood in the way.
    pub fn path(
        self: &Arc<Association>,
        arena: Arena,
        options: PathOptions,
    ) -> Result<NvmeTcpPath, HostError> {
        let (reached, namespace) = (self.reached(), self.address().namespace);
        let number = self.link.take_number().ok_or_else(|| HostError::Namespace {
            namespace,
            reason: format!("the target grants {} queues, and all are in use", reached.queues),
        })?;
        let slots = u16::try_from(arena.slots()).ok().filter(|slots| *slots < u16::MAX);
        let Some(slots) = slots else {
            self.link.give_back(number);
            return Err(HostError::Namespace {
                namespace,
                reason: format!("a queue has no {} commands", arena.slots()),
            });
        };
        // A queue has room for one command less than it has entries; what is beyond waits on this side.
        let entries = (u32::from(slots) + 1).clamp(2, reached.queue_entries.max(2));
        let open = match self.link.open_line(number, slots, entries) {
            Ok(open) => open,
            Err(error) => {
                self.link.give_back(number);
                return Err(error);
            }
        };
        NvmeTcpPath::new(QueueParts {
            association: Arc::clone(self),
            number,
            open,
            room: entries - 1,
            arena,
            options,
        })
    }

    /// An I/O queue of its own for one command after another.
    ///
    /// # Errors
    /// What stood in the way.
    pub fn command_queue(self: &Arc<Association>) -> Result<CommandQueue, HostError> {
        let (reached, namespace) = (self.reached(), self.address().namespace);
        let number = self.link.take_number().ok_or_else(|| HostError::Namespace {
            namespace,
            reason: format!("the target grants {} queues, and all are in use", reached.queues),
        })?;
        match self.link.open_commands(number) {
            Ok(connection) => Ok(CommandQueue::new(Arc::clone(self), number, connection)),
            Err(error) => {
                self.link.give_back(number);
                Err(error)
            }
        }
    }

    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.link
    }
}

impl Drop for Association {
    fn drop(&mut self) {
        self.link.stop();
        if self.link.is_lost() {
            // Nobody is there to take leave of, and what the keeper tries may take long; it ends by itself.
            return;
        }
        self.link.take_leave(LEAVE_WITHIN);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

/// Who connects, and how that is proven.
#[derive(Debug)]
pub(crate) struct Credentials {
    identity: Identity,
    secrets: Secrets,
    /// Which of the names of its TLS key the target knew.
    known_name: AtomicUsize,
}

impl Credentials {
    fn names<'a>(&'a self, address: &'a Address) -> Names<'a> {
        Names { host: &self.identity.nqn, subsystem: &address.subsystem }
    }
}

/// A new association.
pub(crate) struct Established {
    pub(crate) admin: CommandConnection,
    /// The controller's number.
    pub(crate) controller: u16,
    pub(crate) reached: Reached,
}

/// Opens a connection; by TLS where there is a key. Its names are tried one after the other, the newer first, as Linux does: there are
/// targets that look at the first of several alone (GnuTLS).
fn open_connection(
    address: &Address,
    credentials: &Credentials,
    slots: u16,
    most_data: u32,
) -> Result<CommandConnection, HostError> {
    let Some(psks) = credentials.secrets.tls_offer(credentials.names(address)) else {
        return CommandConnection::open(address, None, slots, most_data);
    };
    let first = credentials.known_name.load(Ordering::Relaxed);
    let mut failed = HostError::TlsUnanswered;
    for at in (0..psks.len()).map(|step| (first + step) % psks.len()) {
        match CommandConnection::open(address, Some(&psks[at..=at]), slots, most_data) {
            Err(HostError::Tls(error)) if error.is_of_key() => failed = HostError::Tls(error),
            Err(HostError::TlsUnanswered) => {}
            opened => {
                if opened.is_ok() {
                    credentials.known_name.store(at, Ordering::Relaxed);
                }
                return opened;
            }
        }
    }
    Err(failed)
}

/// Connects the admin queue, and asks what is there.
pub(crate) fn establish(
    address: &Address,
    credentials: &Credentials,
    queues: u16,
) -> Result<Established, HostError> {
    let mut admin = open_connection(address, credentials, 1, MOST_DATA)?;
    let data = connect_data(address, &credentials.identity, DYNAMIC_CONTROLLER);
    let keep_alive_ms = address.keep_alive_s.saturating_mul(1000);
    let (controller, required) =
        admin.connect(connect_of(0, ADMIN_QUEUE_SIZE, keep_alive_ms), &data)?;
    satisfy(&mut admin, required, &credentials.secrets, credentials.names(address))?;
    let queue_entries = enable(&mut admin)?;
    let reached = reach(&mut admin, address, queues, queue_entries)?;
    Ok(Established { admin, controller, reached })
}

/// Connects an I/O queue: its number, slots and entries. A target may still be busy with the end of one that had its number.
pub(crate) fn open_queue(
    address: &Address,
    credentials: &Credentials,
    controller: u16,
    queue: (u16, u16, u32),
    most_data: u32,
) -> Result<ConnectionParts, HostError> {
    for _ in 0..QUEUE_TRIES {
        match try_open_queue(address, credentials, controller, queue, most_data) {
            Err(HostError::Failed { .. }) => std::thread::sleep(QUEUE_PAUSE),
            opened => return opened,
        }
    }
    try_open_queue(address, credentials, controller, queue, most_data)
}

fn try_open_queue(
    address: &Address,
    credentials: &Credentials,
    controller: u16,
    queue: (u16, u16, u32),
    most_data: u32,
) -> Result<ConnectionParts, HostError> {
    let opened = open_io_connection(address, credentials, controller, queue, most_data)?;
    Ok(opened.into_parts())
}

/// The connection of an I/O queue, ready for commands: its number, slots and entries.
pub(crate) fn open_io_connection(
    address: &Address,
    credentials: &Credentials,
    controller: u16,
    (number, slots, entries): (u16, u16, u32),
    most_data: u32,
) -> Result<CommandConnection, HostError> {
    let mut connection = open_connection(address, credentials, slots.max(1), most_data)?;
    let data = connect_data(address, &credentials.identity, controller);
    let (_, required) = connection.connect(connect_of(number, (entries - 1) as u16, 0), &data)?;
    satisfy(&mut connection, required, &credentials.secrets, credentials.names(address))?;
    Ok(connection)
}

fn connect_of(queue: u16, queue_size: u16, keep_alive_ms: u32) -> Connect {
    Connect { format: 0, queue, queue_size, priority: 0, no_flow_control: true, keep_alive_ms }
}

fn connect_data(address: &Address, identity: &Identity, controller: u16) -> ConnectData {
    ConnectData {
        host_id: identity.id,
        controller,
        subsystem: address.subsystem.clone(),
        host: identity.nqn.clone(),
    }
}

/// Enables the controller and waits until it is ready; the entries of its queues.
fn enable(admin: &mut CommandConnection) -> Result<u32, HostError> {
    let capabilities = Capabilities::from_bits(admin.property(property::CAP, true)?);
    admin.set_property(property::CC, Configuration::ENABLED.0)?;
    let said = Duration::from_millis(500 * u64::from(capabilities.ready_timeout));
    let limit = if said.is_zero() { READY_WITHIN } else { said };
    let begun = Instant::now();
    loop {
        let status = ControllerStatus::from_bits(admin.property(property::CSTS, false)? as u32);
        if status.ready {
            return Ok(capabilities.queue_entries);
        }
        if status.fatal || begun.elapsed() > limit {
            return Err(HostError::Broken("the controller does not become ready".to_string()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn reach(
    admin: &mut CommandConnection,
    address: &Address,
    queues: u16,
    queue_entries: u32,
) -> Result<Reached, HostError> {
    let controller = admin.identify(Identify::CONTROLLER, 0)?;
    let controller = IdentifyController::from_bytes(&controller)
        .map_err(|why| HostError::Broken(format!("its subsystem's name: {why}")))?;
    if controller.capsule_data_offset != 0 {
        return Err(HostError::Broken("data in capsules begin elsewhere (ICDOFF)".to_string()));
    }
    let wanted = QueueCounts { submission: queues.into(), completion: queues.into() };
    let granted = admin.set_feature(feature::NUMBER_OF_QUEUES, wanted.to_value())?;
    let granted = QueueCounts::from_value(granted as u32);
    let number = address.namespace;
    let absent = |reason: &str| HostError::Namespace { namespace: number, reason: reason.into() };
    let none = || absent("the subsystem has none with this number");
    // Zeros for a number that could have one; this status for one above the highest.
    let is_none = |error: &HostError| {
        let invalid = Status::INVALID_NAMESPACE.code();
        matches!(error, HostError::Failed { status, .. } if status.code() == invalid)
    };
    let told = admin.identify(Identify::NAMESPACE, number);
    let told = told.map_err(|error| if is_none(&error) { none() } else { error })?;
    let namespace = IdentifyNamespace::from_bytes(&told);
    if namespace.blocks == 0 {
        return Err(none());
    }
    let ids = match admin.identify(Identify::DESCRIPTORS, number) {
        Ok(told) => NamespaceIds::from_bytes(&told),
        // Controllers before NVMe 1.3 have no such list.
        Err(HostError::Failed { .. }) => NamespaceIds::default(),
        Err(error) => return Err(error),
    };
    let block_bytes = namespace.block_bytes().ok_or_else(|| absent("its block size can't be"))?;
    if namespace.blocks.checked_mul(u64::from(block_bytes)).is_none() {
        return Err(absent("its size can't be"));
    }
    let most = controller.max_transfer_bytes().unwrap_or(u64::from(MOST_DATA));
    let max_commands = match controller.max_commands {
        0 => queue_entries,
        commands => queue_entries.min(u32::from(commands).max(2)),
    };
    Ok(Reached {
        controller,
        namespace,
        ids,
        block_bytes,
        queues: granted.submission.min(granted.completion).min(u32::from(queues)),
        queue_entries: max_commands,
        digests: admin.digests(),
        suite: admin.suite().map(str::to_string),
        max_data: u32::try_from(most).unwrap_or(MOST_DATA).min(MOST_DATA),
    })
}

#[cfg(test)]
mod tests {
    use narrows_nvme::Nqn;
    use narrows_nvme::identify::IDENTIFY_BYTES;

    use super::*;

    fn reached() -> Reached {
        let mut data = [0; IDENTIFY_BYTES];
        let nqn: Nqn = "nqn.2026-11.org.example:disk".parse().unwrap();
        data[768..1024].copy_from_slice(&nqn.to_field());
        data[525] = 1;
        Reached {
            controller: IdentifyController::from_bytes(&data).unwrap(),
            namespace: IdentifyNamespace { blocks: 2048, ..IdentifyNamespace::default() },
            ids: NamespaceIds { uuid: Some([1; 16]), ..NamespaceIds::default() },
            block_bytes: 512,
            queues: 4,
            queue_entries: 128,
            digests: Digests { header: false, data: true },
            suite: None,
            max_data: 1 << 20,
        }
    }

    #[test]
    fn what_is_there_after_a_reconnect_is_what_was_there_before_and_can_do_as_much() {
        let before = reached();
        assert!(before.check_same(&before).is_ok());
        let more = Reached { queues: 8, max_data: 2 << 20, queue_entries: 256, ..reached() };
        assert!(before.check_same(&more).is_ok());
        type Change = fn(&mut Reached);
        let changes: [(&str, Change); 14] = [
            ("serial number", |now| now.controller.serial = "B".to_string()),
            ("model", |now| now.controller.model = "B".to_string()),
            ("another identifier", |now| now.namespace.nguid = [1; 16]),
            ("another identifier", |now| now.namespace.eui64 = [1; 8]),
            // All that Linux's target tells.
            ("another identifier", |now| now.ids.uuid = Some([2; 16])),
            ("another identifier", |now| now.ids.uuid = None),
            ("another size", |now| now.namespace.blocks = 2047),
            ("another size", |now| now.block_bytes = 4096),
            ("write protection", |now| now.namespace.write_protected = true),
            ("write cache", |now| now.controller.write_cache = 0),
            ("other digests", |now| now.digests.data = false),
            ("encrypted otherwise", |now| now.suite = Some("TLS_AES_128_GCM_SHA256".to_string())),
            ("grants less", |now| now.max_data = 128 << 10),
            ("grants less", |now| now.queues = 3),
        ];
        for (says, change) in changes {
            let mut now = reached();
            change(&mut now);
            let error = before.check_same(&now).unwrap_err();
            assert!(error.is_for_good(), "{error}");
            assert!(error.to_string().contains(says), "{error}, not {says}");
        }
    }
}
