//! A host and a controller, from Connect to the end.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use narrows_io::Arena;
use narrows_nvme::Status;
use narrows_nvme::command::{Connect, ConnectData, DYNAMIC_CONTROLLER, Identify};
use narrows_nvme::digest::Digests;
use narrows_nvme::feature::{self, QueueCounts};
use narrows_nvme::identify::{IdentifyController, IdentifyNamespace};
use narrows_nvme::log::{ACTIVITY_BYTES, TargetActivity, page};
use narrows_nvme::property::{self, Capabilities, Configuration, ControllerStatus};

use crate::HostError;
use crate::address::Address;
use crate::admin::CommandConnection;
use crate::authenticate::{Names, Secrets, satisfy};
use crate::identity::Identity;
use crate::interface::interface_of;
use crate::path::{NvmeTcpPath, PathOptions, QueueParts};

/// KATO, ms.
const KEEP_ALIVE_MS: u32 = 15_000;
/// How often this host says that it lives.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(5);
/// How long a controller may take to be ready where it says nothing of that.
const READY_WITHIN: Duration = Duration::from_secs(10);
/// Most data of a command where the controller has no limit, bytes.
const MOST_DATA: u32 = 1 << 20;
/// How often and how far apart a queue's Connect is tried again.
const QUEUE_TRIES: u32 = 3;
const QUEUE_PAUSE: Duration = Duration::from_millis(50);
/// Entries of the admin queue, less one.
const ADMIN_QUEUE_SIZE: u16 = 31;

/// What was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// What the controller says of itself.
    pub controller: IdentifyController,
    /// What the namespace is.
    pub namespace: IdentifyNamespace,
    /// Size of a block, bytes.
    pub block_bytes: u32,
    /// I/O queues that the controller granted.
    pub queues: u32,
    /// Entries of a queue.
    pub queue_entries: u32,
    /// The digests that are used.
    pub digests: Digests,
    /// Most data of a command, bytes.
    pub max_data: u32,
}

impl Reached {
    /// Size of the namespace, bytes.
    pub fn bytes(&self) -> u64 {
        self.namespace.blocks.saturating_mul(u64::from(self.block_bytes))
    }
}

/// An association. Its end is the end of its paths.
#[derive(Debug)]
pub struct Association {
    address: Address,
    identity: Identity,
    secrets: Secrets,
    controller: u16,
    reached: Reached,
    on_this_machine: bool,
    interface: Option<String>,
    /// Numbers of queues that are free.
    free_queues: Mutex<VecDeque<u16>>,
    admin: Arc<Mutex<CommandConnection>>,
    /// The target didn't answer that it lives.
    lost: Arc<AtomicBool>,
    stop: Option<Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

impl Association {
    /// Connects, and asks what is there, for up to `queues` I/O queues.
    ///
    /// # Errors
    /// What stood in the way.
    pub fn connect(address: &Address, queues: u16) -> Result<Association, HostError> {
        let identity = Identity::of(address.host_nqn.as_ref());
        let secrets = Secrets::of(address)?;
        let mut admin = CommandConnection::open(address, 1, MOST_DATA)?;
        let on_this_machine = admin.is_on_this_machine();
        let interface = admin.local_address().and_then(interface_of);
        let data = connect_data(address, &identity, DYNAMIC_CONTROLLER);
        let (controller, required) =
            admin.connect(connect_of(0, ADMIN_QUEUE_SIZE, KEEP_ALIVE_MS), &data)?;
        satisfy(&mut admin, required, &secrets, names(&identity, address))?;
        let queue_entries = enable(&mut admin)?;
        let reached = reach(&mut admin, address, queues, queue_entries)?;
        let free_queues = (1..=reached.queues.min(u32::from(u16::MAX)) as u16).collect();
        let admin = Arc::new(Mutex::new(admin));
        let (stop, stopped) = mpsc::channel();
        let kept = Arc::clone(&admin);
        let lost = Arc::new(AtomicBool::new(false));
        let loss = Arc::clone(&lost);
        let keeper = std::thread::Builder::new().name("keep-alive".to_string()).spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(KEEP_ALIVE_EVERY) {
                let mut admin = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if admin.keep_alive().is_err() {
                    loss.store(true, Ordering::Release);
                    return;
                }
            }
        });
        Ok(Association {
            address: address.clone(),
            identity,
            secrets,
            controller,
            reached,
            on_this_machine,
            interface,
            free_queues: Mutex::new(free_queues),
            admin,
            lost,
            stop: Some(stop),
            keeper: Some(keeper.map_err(HostError::system("start a thread"))?),
        })
    }

    /// What was reached.
    pub fn reached(&self) -> &Reached {
        &self.reached
    }

    /// Where it is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Whether the target is reached at an address of this machine.
    pub fn is_on_this_machine(&self) -> bool {
        self.on_this_machine
    }

    /// The network interface by which the target is reached.
    pub fn interface(&self) -> Option<&str> {
        self.interface.as_deref()
    }

    /// Has the completions of I/O commands carry how long the target took ([`narrows_nvme::feature::ServiceTime`]); whether
    /// the target can.
    pub fn ask_for_service_time(&self) -> bool {
        let mut admin = self.admin.lock().unwrap_or_else(PoisonError::into_inner);
        admin.set_feature(feature::SERVICE_TIME, 1).is_ok()
    }

    /// What the target says of its threads, where it is narrows' own.
    pub fn target_activity(&self) -> Option<TargetActivity> {
        let mut admin = self.admin.lock().unwrap_or_else(PoisonError::into_inner);
        let mut data = [0; ACTIVITY_BYTES];
        admin.log_page(page::ACTIVITY, &mut data).ok()?;
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
        let taken = self.free_queues.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let number = taken.ok_or_else(|| HostError::Namespace {
            namespace: self.address.namespace,
            reason: format!("the target grants {} queues, and all are in use", self.reached.queues),
        })?;
        let slots = u16::try_from(arena.slots()).ok().filter(|slots| *slots < u16::MAX);
        let Some(slots) = slots else {
            self.give_back(number);
            return Err(HostError::Namespace {
                namespace: self.address.namespace,
                reason: format!("a queue has no {} commands", arena.slots()),
            });
        };
        // A queue has room for one command less than it has entries; what is beyond waits on this side.
        let entries = (u32::from(slots) + 1).clamp(2, self.reached.queue_entries.max(2));
        let (stream, queue) = match self.open_queue_patiently(number, slots, entries) {
            Ok(opened) => opened,
            Err(error) => {
                self.give_back(number);
                return Err(error);
            }
        };
        NvmeTcpPath::new(QueueParts {
            association: Arc::clone(self),
            number,
            stream,
            queue,
            room: entries - 1,
            arena,
            options,
        })
    }

    /// A target may still be busy with the end of a queue that had this number.
    fn open_queue_patiently(
        &self,
        number: u16,
        slots: u16,
        entries: u32,
    ) -> Result<(std::net::TcpStream, crate::queue::HostQueue), HostError> {
        for _ in 0..QUEUE_TRIES {
            match self.open_queue(number, slots, entries) {
                Err(HostError::Failed { .. }) => std::thread::sleep(QUEUE_PAUSE),
                opened => return opened,
            }
        }
        self.open_queue(number, slots, entries)
    }

    fn open_queue(
        &self,
        number: u16,
        slots: u16,
        entries: u32,
    ) -> Result<(std::net::TcpStream, crate::queue::HostQueue), HostError> {
        let mut connection =
            CommandConnection::open(&self.address, slots.max(1), self.reached.max_data)?;
        let data = connect_data(&self.address, &self.identity, self.controller);
        let (_, required) =
            connection.connect(connect_of(number, (entries - 1) as u16, 0), &data)?;
        let names = names(&self.identity, &self.address);
        satisfy(&mut connection, required, &self.secrets, names)?;
        let (stream, mut queue) = connection.into_parts();
        queue.set_in_capsule(self.reached.controller.in_capsule_bytes());
        Ok((stream, queue))
    }

    /// Whether the target is gone as far as its admin queue shows.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    pub(crate) fn give_back(&self, queue: u16) {
        self.free_queues.lock().unwrap_or_else(PoisonError::into_inner).push_back(queue);
    }
}

fn names<'a>(identity: &'a Identity, address: &'a Address) -> Names<'a> {
    Names { host: &identity.nqn, subsystem: &address.subsystem }
}

impl Drop for Association {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        let mut admin = self.admin.lock().unwrap_or_else(PoisonError::into_inner);
        // A target that is gone needs no leave.
        let _ = admin.set_property(property::CC, Configuration::ENABLED.shutdown().0);
    }
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
        block_bytes,
        queues: granted.submission.min(granted.completion).min(u32::from(queues)),
        queue_entries: max_commands,
        digests: admin.digests(),
        max_data: u32::try_from(most).unwrap_or(MOST_DATA).min(MOST_DATA),
    })
}
