//! Nothing that names somebody is in an archive, and what was the same is still the same.

use narrows_capture::{Scrubbed, scrub};
use narrows_facts::{Recording, Replay, Source};

use crate::made::{HOME, SECRETS, everything, machine};
use crate::{archive, unpacked};

fn scrubbed() -> Scrubbed {
    let (_folder, tree) = machine();
    scrub(everything(&tree), "5a17", &[format!("{HOME}/pg")])
}

fn found(bytes: &[u8], secret: &str) -> bool {
    let secret = secret.to_ascii_lowercase();
    bytes.to_ascii_lowercase().windows(secret.len()).any(|window| window == secret.as_bytes())
}

#[test]
fn every_secret_is_in_the_machine_and_none_in_its_archive() {
    let (_folder, tree) = machine();
    let raw = unpacked(&archive(everything(&tree)));
    let Scrubbed { recording, .. } = scrubbed();
    let packed = archive(recording);
    let text = unpacked(&packed);
    for secret in SECRETS {
        assert!(found(&raw, secret), "{secret} is not in the machine, so nothing is shown");
        assert!(!found(&packed, secret), "{secret} is in the archive's bytes");
        let read = narrows_capture::read(packed.as_slice()).unwrap().recording;
        for (path, contents) in
            read.files.iter().filter_map(|(path, a)| Some((path, a.as_ref().ok()?)))
        {
            assert!(!found(&contents.bytes, secret), "{secret} is in {path}");
        }
        let shown = String::from_utf8_lossy(&text);
        let line = shown.lines().find(|line| found(line.as_bytes(), secret));
        assert_eq!(line, None, "{secret} is in the archive");
    }
}

#[test]
fn what_was_the_same_still_is() {
    let Scrubbed { recording, paths, replaced, left_out, machine } = scrubbed();
    let replay = Replay::new(recording);
    let source: &dyn Source = &replay;
    let text = |path: &str| source.text(path).unwrap_or_else(|| panic!("{path} is gone"));
    // One drive on two controllers; and its serial number in its model.
    let nvme = "/sys/devices/pci0000:00/nvme";
    let wwid = text(&format!("{nvme}/nvme0/nvme0n1/wwid"));
    assert_eq!(wwid, text(&format!("{nvme}/nvme1/nvme1n1/wwid")));
    assert!(wwid.starts_with("eui.id-"), "{wwid}");
    let serial = text(&format!("{nvme}/nvme0/serial"));
    assert_eq!(text(&format!("{nvme}/nvme0/model")), format!("SAMSUNG MZQL23T8HCLS {serial}"));
    assert_eq!(source.real_path("/sys/block/nvme0n1").unwrap(), format!("{nvme}/nvme0/nvme0n1"));
    assert!(text("/sys/block/dm-0/dm/uuid").starts_with("LVM-"));
    // An interface that is named by its address has the address's pseudonym.
    let names = source.list("/sys/class/net").unwrap();
    let [name] = names.as_slice() else { panic!("{names:?}") };
    let address = text(&format!("/sys/class/net/{name}/address"));
    assert_eq!(*name, format!("enx{}", address.replace(':', "")));
    // The server is found with its data, which are where the role is.
    assert_eq!(source.link("/proc/42/cwd").unwrap(), paths[0]);
    assert_eq!(
        source.read("/proc/42/cmdline").unwrap(),
        format!("postgres\0-D\0{}", paths[0]).as_bytes()
    );
    assert_eq!(source.list("/proc").unwrap().iter().filter(|name| *name == "77").count(), 0);
    // Its name is gone with it, and discovery, which asks who started a server, is told so.
    assert!(source.text("/proc/77/comm").is_none());
    assert!(replay.unasked().is_empty(), "{:?}", replay.unasked());
    // The own group's folder is where the membership says.
    let group = text("/proc/self/cgroup");
    let folder = format!("/sys/fs/cgroup{}", group.strip_prefix("0::").unwrap());
    assert_eq!(text(&format!("{folder}/cpu.max")), "max 100000");
    assert_eq!(text("/proc/cmdline"), "isolcpus=1");
    assert!(text("/run/udev/data/+dmi:id").contains("E:MEMORY_DEVICE_0_SIZE=17179869184"));
    for kind in ["serial", "host", "user", "id", "mac", "address"] {
        assert!(replaced.get(kind).is_some_and(|count| *count > 0), "{kind}: {replaced:?}");
    }
    let others = left_out.iter().find(|left| left.what.contains("processes")).unwrap();
    assert_eq!(others.count, 1, "{left_out:?}");
    assert!(machine.is_some());
}

#[test]
fn another_salt_gives_another_machine_and_the_same_pseudonyms() {
    let (_folder, tree) = machine();
    let recording: Recording = everything(&tree);
    let [a, b] = ["1", "2"].map(|salt| scrub(recording.clone(), salt, &[]));
    assert_ne!(a.machine, b.machine);
    let id = |scrubbed: &Scrubbed| scrubbed.recording.files["/etc/machine-id"].clone();
    assert_ne!(id(&a), id(&b), "two captures don't show that they are of one machine");
    assert_eq!(a.replaced, b.replaced);
}
