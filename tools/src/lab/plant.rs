//! Descriptions that are wrong in one place: what a check that can't fail would let pass.

use super::guest::{Guest, Link, Used};

/// What is made wrong, and how; `None` where the guest has no such thing.
type Plant = (&'static str, fn(&mut Guest) -> Option<()>);

/// One for each kind of fact.
pub const ALL: &[Plant] = &[
    ("one distance is one more", |guest| {
        let farthest = guest.distances.first_mut()?.last_mut()?;
        *farthest += 1;
        Some(())
    }),
    ("two nodes have each other's memory", |guest| {
        let [first, second, ..] = &mut guest.nodes[..] else { return None };
        (first.memory_mib != second.memory_mib && second.memory_mib > 0).then_some(())?;
        std::mem::swap(&mut first.memory_mib, &mut second.memory_mib);
        Some(())
    }),
    ("a node's last CPU is in no node", |guest| {
        let cpus = guest.nodes.first_mut()?.cpus.as_mut()?;
        (cpus.0 < cpus.1).then(|| cpus.1 -= 1)
    }),
    ("the first node has no memory", |guest| {
        guest.nodes.first_mut()?.memory_mib = 0;
        Some(())
    }),
    ("cores are one more per die and threads fewer", |guest| {
        (guest.cpus.threads == 2).then(|| {
            guest.cpus.threads = 1;
            guest.cpus.cores *= 2;
        })
    }),
    ("dies are packages", |guest| {
        (guest.cpus.dies > 1).then(|| {
            guest.cpus.sockets *= guest.cpus.dies;
            guest.cpus.dies = 1;
        })
    }),
    ("all CPUs are on-line", |guest| {
        (!guest.cpus.offline.is_empty()).then(|| guest.cpus.offline.clear())
    }),
    ("a latency is one nanosecond more", |guest| {
        guest.nodes.last_mut()?.way.as_mut()?.latency_ns += 1;
        Some(())
    }),
    ("a bandwidth is one GiB/s more", |guest| {
        guest.nodes.last_mut()?.way.as_mut()?.gib_per_s += 1;
        Some(())
    }),
    ("another node has the best way", |guest| {
        guest.nodes.last_mut()?.way.as_mut()?.from ^= 1;
        Some(())
    }),
    ("a memory-side cache is twice as large", |guest| {
        guest.nodes.last_mut()?.cache.as_mut()?.mib *= 2;
        Some(())
    }),
    ("a memory-side cache has other lines", |guest| {
        guest.nodes.last_mut()?.cache.as_mut()?.line_bytes *= 2;
        Some(())
    }),
    ("a port has more lanes", |guest| {
        guest.ports.first_mut()?.link.lanes *= 2;
        Some(())
    }),
    ("a port is of another generation", |guest| {
        guest.ports.first_mut()?.link.gts = "5";
        Some(())
    }),
    ("a port is at another node", |guest| {
        let node = guest.ports.first_mut()?.node.as_mut()?;
        *node ^= 1;
        Some(())
    }),
    ("a drive could more than it says", |guest| {
        guest.nvme.first_mut()?.claims = Some(Link { gts: "16", lanes: 4 });
        Some(())
    }),
    ("a controller has a queue fewer", |guest| {
        let drive = guest.nvme.first_mut()?;
        drive.queues = drive.queues.min(guest.cpus.count()) - 1;
        Some(())
    }),
    ("a namespace is a MiB larger", |guest| {
        *guest.nvme.first_mut()?.namespaces_mib.first_mut()? += 1;
        Some(())
    }),
    ("a drive has a way fewer", |guest| {
        let ports = &mut guest.nvme.first_mut()?.ports;
        (ports.len() > 1).then(|| ports.truncate(1))
    }),
    ("a port of a network is in another slot", |guest| {
        guest.ethernet.first_mut()?.port = 1;
        Some(())
    }),
    ("there is no port of a network", |guest| guest.ethernet.pop().map(|_| ())),
    ("a virtio disk has another size", |guest| {
        guest.virtio_disks.first_mut()?.mib += 1;
        Some(())
    }),
    ("there is a virtio disk fewer", |guest| guest.virtio_disks.pop().map(|_| ())),
    ("an adapter has a queue fewer", |guest| {
        guest.scsi.as_mut()?.queues -= 1;
        Some(())
    }),
    ("an array is of another level", |guest| {
        guest.array.as_mut()?.level = "raid5";
        Some(())
    }),
    ("an array has other chunks", |guest| {
        guest.array.as_mut()?.chunk_kib += 64;
        Some(())
    }),
    ("an array lacks one disk more", |guest| {
        guest.array.as_mut()?.missing += 1;
        Some(())
    }),
    ("persistent memory is at another node", |guest| {
        guest.persistent.first_mut()?.node = 0;
        Some(())
    }),
    ("persistent memory is used otherwise", |guest| {
        let part = guest.persistent.last_mut()?;
        part.used = Used::AsDrive;
        Some(())
    }),
    ("the database's files are elsewhere", |guest| guest.data.take().map(|_| ())),
    ("the processor is silent about a hypervisor, or not", |guest| {
        guest.says_hypervisor ^= true;
        Some(())
    }),
    ("there is another clock", |guest| {
        guest.clock = if guest.clock == "tsc" { "hpet" } else { "tsc" };
        Some(())
    }),
    ("a rule that fires is not expected", |guest| guest.rules.pop().map(|_| ())),
    ("a rule is said to fire about another disk", |guest| {
        let fires = guest.rules.iter_mut().find(|fires| !fires.disks_mib.is_empty())?;
        fires.disks_mib[0] += 1;
        Some(())
    }),
];

/// The first that the guest has, made wrong.
pub fn first(guest: &Guest) -> (&'static str, Guest) {
    let made = ALL.iter().find_map(|(what, plant)| {
        let mut guest = guest.clone();
        plant(&mut guest).map(|()| (*what, guest))
    });
    made.unwrap_or_else(|| ("nothing", guest.clone()))
}
