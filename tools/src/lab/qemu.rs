//! Description → QEMU's command line. Pure.

use std::path::Path;

use super::guest::{Guest, Nvme, Used};

/// Where what a guest needs lies on the host.
pub struct Places<'a> {
    /// With the kernel, the initramfs and the modules.
    pub kernel: &'a Path,
    /// The guest's own; images are made here, and it writes its answers here.
    pub work: &'a Path,
}

/// A file that stands for a disk.
#[derive(Debug, PartialEq, Eq)]
pub struct Image {
    pub name: String,
    pub mib: u32,
}

/// The images of all disks and NVDIMMs.
pub fn images(guest: &Guest) -> Vec<Image> {
    let disks = guest.disks_mib().into_iter();
    let memory = guest.persistent.iter().filter(|part| part.used == Used::AsMemory);
    disks.chain(memory.map(|part| part.mib)).map(|mib| Image { name: image(mib), mib }).collect()
}

fn image(mib: u32) -> String {
    format!("{mib}.img")
}

/// All arguments.
pub fn arguments(guest: &Guest, places: &Places<'_>) -> Vec<String> {
    let mut line = Line { arguments: Vec::new(), places };
    line.machine(guest);
    line.kernel(guest);
    line.shares();
    line.nodes(guest);
    line.ports(guest);
    line.nvme(guest);
    line.others(guest);
    line.arguments
}

struct Line<'a> {
    arguments: Vec<String>,
    places: &'a Places<'a>,
}

impl Line<'_> {
    fn add(&mut self, option: &str, value: impl Into<String>) {
        self.arguments.extend([option.to_string(), value.into()]);
    }

    fn device(&mut self, value: impl Into<String>) {
        self.add("-device", value);
    }

    fn machine(&mut self, guest: &Guest) {
        let on = |yes: bool, what: &str| if yes { format!(",{what}=on") } else { String::new() };
        let hmat = on(guest.nodes.iter().any(|node| node.way.is_some()), "hmat");
        let nvdimm = on(!guest.persistent.is_empty(), "nvdimm");
        self.arguments.extend(["-nodefaults", "-no-reboot"].map(str::to_string));
        self.add("-display", "none");
        self.add("-serial", "stdio");
        self.add("-machine", format!("q35{hmat}{nvdimm}"));
        self.add("-accel", "tcg,thread=multi");
        // Dies are told by a leaf of CPUID that Intel's processors alone have.
        let hypervisor = if guest.says_hypervisor { "" } else { ",hypervisor=off" };
        self.add("-cpu", format!("max,vendor=GenuineIntel{hypervisor}"));
        let c = &guest.cpus;
        self.add(
            "-smp",
            format!(
                "cpus={},maxcpus={},sockets={},dies={},cores={},threads={}",
                c.count(),
                c.count() + c.empty_places,
                c.sockets + c.empty_places / (c.dies * c.cores * c.threads),
                c.dies,
                c.cores,
                c.threads
            ),
        );
        let persistent: u32 = guest.persistent.iter().map(|part| part.mib).sum();
        let room = match guest.persistent.len() {
            0 => String::new(),
            slots => format!(",slots={slots},maxmem={}M", guest.memory_mib() + persistent + 4096),
        };
        self.add("-m", format!("{}M{room}", guest.memory_mib()));
    }

    fn kernel(&mut self, guest: &Guest) {
        let kernel = self.places.kernel;
        self.add("-kernel", kernel.join("vmlinuz").display().to_string());
        self.add("-initrd", kernel.join("initramfs.gz").display().to_string());
        // A TSC that the kernel is told to trust: under emulation it would now and then be given up.
        self.add(
            "-append",
            format!(
                "console=ttyS0 panic=-1 quiet loglevel=4 net.ifnames=0 mitigations=off tsc=reliable clocksource={}",
                guest.clock
            ),
        );
    }

    fn shares(&mut self) {
        let (work, modules) = (self.places.work, self.places.kernel.join("modules"));
        for (name, path, only_read) in
            [("host", Path::new("/"), true), ("work", work, false), ("modules", &modules, true)]
        {
            let path = quoted(path);
            let only_read = if only_read { ",readonly=on" } else { "" };
            self.add(
                "-fsdev",
                format!(
                    "local,id={name},path={path},security_model=none,multidevs=remap{only_read}"
                ),
            );
            self.device(format!("virtio-9p-pci,fsdev={name},mount_tag={name}"));
        }
    }

    fn nodes(&mut self, guest: &Guest) {
        for (id, node) in guest.nodes.iter().enumerate() {
            let mut text = format!("node,nodeid={id}");
            if let Some((first, last)) = node.cpus {
                text += &format!(",cpus={first}-{last}");
            }
            // Processors that aren't there yet belong to a node as well.
            if id == 0 && guest.cpus.empty_places > 0 {
                let first = guest.cpus.count();
                text += &format!(",cpus={first}-{}", first + guest.cpus.empty_places - 1);
            }
            if node.memory_mib > 0 {
                let mib = node.memory_mib;
                self.add("-object", format!("memory-backend-ram,id=memory{id},size={mib}M"));
                text += &format!(",memdev=memory{id}");
            }
            if let (Some(way), None) = (node.way, node.cpus) {
                text += &format!(",initiator={}", way.from);
            }
            self.add("-numa", text);
        }
        for (from, row) in guest.distances.iter().enumerate() {
            for (to, distance) in row.iter().enumerate() {
                self.add("-numa", format!("dist,src={from},dst={to},val={distance}"));
            }
        }
        for (id, node) in guest.nodes.iter().enumerate() {
            let Some(way) = node.way else { continue };
            let lb = |from: u32, what: &str| {
                format!("hmat-lb,initiator={from},target={id},hierarchy=memory,data-type={what}")
            };
            let initiators = guest.nodes.iter().zip(0..).filter(|(node, _)| node.cpus.is_some());
            for from in initiators.map(|(_, from)| from) {
                // From any other node it is half as good.
                let worse = if from == way.from { 1 } else { 2 };
                let latency = way.latency_ns * worse;
                self.add("-numa", format!("{},latency={latency}", lb(from, "access-latency")));
                let mib = way.gib_per_s * 1024 / worse;
                self.add("-numa", format!("{},bandwidth={mib}M", lb(from, "access-bandwidth")));
            }
        }
        for (id, node) in guest.nodes.iter().enumerate() {
            let Some(cache) = node.cache else { continue };
            self.add(
                "-numa",
                format!(
                    "hmat-cache,node-id={id},size={}M,level=1,associativity=direct,policy=write-back,line={}",
                    cache.mib, cache.line_bytes
                ),
            );
        }
    }

    fn ports(&mut self, guest: &Guest) {
        let nodes: std::collections::BTreeSet<u32> =
            guest.ports.iter().filter_map(|port| port.node).collect();
        for node in &nodes {
            let bus = 64 * (node + 1);
            self.device(format!("pxb-pcie,id=root{node},bus_nr={bus},numa_node={node},bus=pcie.0"));
        }
        for (index, port) in guest.ports.iter().enumerate() {
            let root = port.node.map_or("pcie.0".to_string(), |node| format!("root{node}"));
            let link = port.link;
            self.device(format!(
                "pcie-root-port,id=port{index},bus={root},chassis={},slot={},x-speed={},x-width={}",
                index + 1,
                index + 1,
                link.gts,
                link.lanes
            ));
            if port.switch {
                self.device(format!("x3130-upstream,id=up{index},bus=port{index}"));
            }
        }
    }

    /// The bus that a device is to be put on; behind a switch each gets a port of its own.
    fn bus(&mut self, guest: &Guest, port: usize, device: usize) -> String {
        if !guest.ports[port].switch {
            return format!("port{port}");
        }
        let id = format!("down{port}-{device}");
        let slot = 100 + 10 * port + device;
        self.device(format!("xio3130-downstream,id={id},bus=up{port},chassis={slot},slot={slot}"));
        id
    }

    fn disk(&mut self, mib: u32) -> String {
        let id = format!("disk{mib}");
        let path = quoted(&self.places.work.join(image(mib)));
        self.add("-drive", format!("if=none,id={id},format=raw,file={path}"));
        id
    }

    fn nvme(&mut self, guest: &Guest) {
        for (index, drive) in guest.nvme.iter().enumerate() {
            let Nvme { ports, queues, namespaces_mib, .. } = drive;
            let shared = ports.len() > 1;
            if shared {
                self.device(format!("nvme-subsys,id=subsystem{index},nqn=lab{index}"));
            }
            for (way, port) in ports.iter().enumerate() {
                let bus = self.bus(guest, *port, index);
                let of = if shared { format!(",subsys=subsystem{index}") } else { String::new() };
                self.device(format!(
                    "nvme,id=nvme{index}-{way},serial=lab{index},bus={bus},max_ioqpairs={queues}{of}"
                ));
            }
            for (number, mib) in namespaces_mib.iter().enumerate() {
                let disk = self.disk(*mib);
                let number = number + 1;
                self.device(format!("nvme-ns,bus=nvme{index}-0,drive={disk},nsid={number}"));
            }
        }
    }

    fn others(&mut self, guest: &Guest) {
        for (index, port) in guest.ethernet.iter().enumerate() {
            let bus = self.bus(guest, port.port, 9);
            self.add("-netdev", format!("hubport,id=net{index},hubid={index}"));
            self.device(format!("e1000e,netdev=net{index},bus={bus},romfile="));
        }
        for virtio in &guest.virtio_disks {
            let disk = self.disk(virtio.mib);
            self.device(format!("virtio-blk-pci,drive={disk},num-queues={}", virtio.queues));
        }
        if let Some(scsi) = &guest.scsi {
            self.device(format!("virtio-scsi-pci,id=scsi,num_queues={}", scsi.queues));
            for mib in &scsi.disks_mib {
                let disk = self.disk(*mib);
                self.device(format!("scsi-hd,drive={disk},bus=scsi.0"));
            }
        }
        // The firmware lists them as QEMU's table of names does, these backwards, and the kernel numbers nodes as they are
        // listed.
        for (part, name) in guest.persistent.iter().zip((1..=guest.persistent.len()).rev()) {
            let path = quoted(&self.places.work.join(image(part.mib)));
            let (mib, node) = (part.mib, part.node);
            self.add(
                "-object",
                format!("memory-backend-file,id=dimm{node},share=on,mem-path={path},size={mib}M"),
            );
            self.device(format!("nvdimm,id=nvdimm{name},memdev=dimm{node},node={node}"));
        }
    }
}

/// A comma ends a value, two are one.
fn quoted(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::guests;

    fn line(name: &str) -> Vec<String> {
        let guest = guests::all().into_iter().find(|guest| guest.name == name).unwrap();
        let places = Places { kernel: Path::new("/k"), work: Path::new("/a,b") };
        arguments(&guest, &places)
    }

    fn has(line: &[String], option: &str, value: &str) -> bool {
        line.windows(2).any(|pair| pair[0] == option && pair[1] == value)
    }

    #[test]
    fn nodes_ways_and_caches_as_described() {
        let line = line("memory-tiers");
        for (option, value) in [
            ("-machine", "q35,hmat=on"),
            ("-smp", "cpus=4,maxcpus=4,sockets=2,dies=1,cores=2,threads=1"),
            ("-m", "1536M"),
            ("-numa", "node,nodeid=0,cpus=0-1,memdev=memory0"),
            ("-numa", "node,nodeid=2,memdev=memory2,initiator=1"),
            ("-numa", "dist,src=2,dst=1,val=17"),
            (
                "-numa",
                "hmat-lb,initiator=1,target=2,hierarchy=memory,data-type=access-latency,latency=250",
            ),
            (
                "-numa",
                "hmat-lb,initiator=0,target=2,hierarchy=memory,data-type=access-bandwidth,bandwidth=15360M",
            ),
            (
                "-numa",
                "hmat-cache,node-id=2,size=128M,level=1,associativity=direct,policy=write-back,line=64",
            ),
        ] {
            assert!(has(&line, option, value), "{value} in {line:#?}");
        }
    }

    #[test]
    fn drives_in_ports_behind_switches_and_with_two_ways() {
        let links = line("links");
        for device in [
            "pcie-root-port,id=port2,bus=pcie.0,chassis=3,slot=3,x-speed=2_5,x-width=1",
            "x3130-upstream,id=up3,bus=port3",
            "xio3130-downstream,id=down3-4,bus=up3,chassis=134,slot=134",
            "nvme,id=nvme4-0,serial=lab4,bus=down3-4,max_ioqpairs=8",
        ] {
            assert!(has(&links, "-device", device), "{device} in {links:#?}");
        }
        assert!(has(&links, "-cpu", "max,vendor=GenuineIntel,hypervisor=off"));
        assert!(has(&links, "-drive", "if=none,id=disk72,format=raw,file=/a,,b/72.img"));
        let ways = line("two-ways");
        let of = "subsys=subsystem0";
        assert_eq!(ways.iter().filter(|text| text.ends_with(of)).count(), 2, "{ways:#?}");
        assert!(has(&ways, "-device", "pxb-pcie,id=root1,bus_nr=128,numa_node=1,bus=pcie.0"));
    }

    #[test]
    fn nothing_of_the_host_but_its_working_folder_may_be_written() {
        for guest in guests::all() {
            let line = line(guest.name);
            let shares: Vec<&String> = line.iter().filter(|t| t.starts_with("local,")).collect();
            assert_eq!(shares.len(), 3);
            let writable = shares.iter().filter(|share| !share.ends_with(",readonly=on"));
            assert!(writable.into_iter().all(|share| share.contains("path=/a,,b,")));
        }
    }
}
