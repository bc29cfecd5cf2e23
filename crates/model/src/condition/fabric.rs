//! Keys of measurements over a storage fabric.

use super::keys;

keys! { ALL:

/// The run that measured the drive behind the target on the target's own machine.
pub const DEVICE_RUN: Key<str> = Key::new("device_run");
/// Digests in use: `none`, `header`, `data`, `both`.
pub const DIGESTS: Key<str> = Key::new("digests");
/// Whether the data of a write go with its command.
pub const IN_CAPSULE: Key<bool> = Key::new("in_capsule");
/// Most data that go with a command, bytes.
pub const IN_CAPSULE_BYTES: Key<f64> = Key::new("in_capsule_bytes");
/// The network interface by which the target is reached.
pub const INTERFACE: Key<str> = Key::new("interface");
/// I/O queues used.
pub const QUEUES: Key<f64> = Key::new("queues");
/// Whether host and target are one machine.
pub const SAME_MACHINE: Key<bool> = Key::new("same_machine");
/// What answers reads at the target, where it tells: `memory`, `page cache`, `cache in front`, `direct`.
pub const TARGET_STORAGE: Key<str> = Key::new("target_storage");
/// How the target's threads wait: `sleeps`, `polls`, or for how long they poll before they sleep.
pub const TARGET_WAIT: Key<str> = Key::new("target_wait");

}
