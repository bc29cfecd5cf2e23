//! A folder that looks like a machine with drives.

use std::io::Cursor;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use narrows_facts::{Source, Tree};
use narrows_raw::{Device, Refusal, inspect_with, refusals};

/// Size of every drive and partition made here, bytes.
pub const SIZE_BYTES: u64 = 1 << 20;

/// A machine in the making.
pub struct Machine {
    folder: tempfile::TempDir,
    drives: u32,
}

impl Machine {
    /// Without drives; its root is a file system of its own number.
    pub fn new() -> Self {
        let machine = Machine { folder: tempfile::tempdir().unwrap(), drives: 0 };
        machine.file("/proc/self/mountinfo", "20 1 0:5 / /dev rw - devtmpfs devtmpfs rw\n");
        machine.file("/proc/swaps", "Filename Type Size Used Priority\n");
        for folder in ["/dev", "/sys/block", "/sys/class/block", "/sys/dev/block"] {
            std::fs::create_dir_all(machine.path(folder)).unwrap();
        }
        machine
    }

    /// The place of a path, whose links lead inside the folder and not to the machine that runs the test.
    fn path(&self, path: &str) -> PathBuf {
        let (tree, mut known, mut rest) = (self.tree(), path, "");
        let real = loop {
            match tree.real_path(if known.is_empty() { "/" } else { known }) {
                Ok(real) => break real,
                Err(_) => known = &known[..known.rfind('/').unwrap()],
            }
            rest = &path[known.len()..];
        };
        let inside = format!("{}{rest}", real.trim_end_matches('/'));
        self.folder.path().join(inside.trim_start_matches('/'))
    }

    /// The place of a path of that machine.
    pub fn at(&self, path: &str) -> PathBuf {
        self.path(path)
    }

    pub fn file(&self, path: &str, text: &str) -> &Self {
        self.bytes(path, text.as_bytes())
    }

    pub fn bytes(&self, path: &str, bytes: &[u8]) -> &Self {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    pub fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    /// Adds lines to the mounts that this process sees.
    pub fn mounts(&self, lines: &str) -> &Self {
        let old = std::fs::read_to_string(self.path("/proc/self/mountinfo")).unwrap();
        self.file("/proc/self/mountinfo", &(old + lines))
    }

    /// A process with a name.
    pub fn process(&self, pid: u32, name: &str) -> &Self {
        self.file(&format!("/proc/{pid}/comm"), &format!("{name}\n"));
        self.file(&format!("/proc/{pid}/stat"), &format!("{pid} ({name}) S 1 1 1 0\n"))
    }

    /// A whole device, with the number `8:16` times its turn; the first is `8:0`.
    pub fn drive(&mut self, name: &str) -> &Self {
        let number = format!("8:{}", 16 * self.drives);
        self.drives += 1;
        self.device(name, &number, &format!("/sys/devices/{name}/block/{name}"));
        self.file(&format!("/sys/class/block/{name}/queue/logical_block_size"), "512\n");
        self.link(&format!("/sys/block/{name}"), &format!("/sys/class/block/{name}"))
    }

    /// A partition; `number` is `major:minor`.
    pub fn partition(&self, disk: &str, name: &str, index: u32, number: &str) -> &Self {
        self.device(name, number, &format!("/sys/devices/{disk}/block/{disk}/{name}"));
        self.file(&format!("/sys/class/block/{name}/partition"), &format!("{index}\n"))
    }

    /// A device of the device mapper on others.
    pub fn mapper(&self, name: &str, number: &str, beneath: &[&str]) -> &Self {
        self.device(name, number, &format!("/sys/devices/virtual/block/{name}"));
        self.link(&format!("/sys/block/{name}"), &format!("/sys/class/block/{name}"));
        self.file(&format!("/sys/class/block/{name}/dm/uuid"), &format!("LVM-{name}\n"));
        for lower in beneath {
            self.link(&format!("/sys/class/block/{lower}/holders/{name}"), "/sys/unused");
            let to = format!("/sys/class/block/{lower}");
            self.link(&format!("/sys/class/block/{name}/slaves/{lower}"), &to);
        }
        self
    }

    fn device(&self, name: &str, number: &str, folder: &str) {
        self.file(&format!("{folder}/dev"), &format!("{number}\n"));
        self.file(&format!("{folder}/size"), &format!("{}\n", SIZE_BYTES / 512));
        self.file(&format!("{folder}/ro"), "0\n");
        self.link(&format!("/sys/class/block/{name}"), folder);
        self.link(&format!("/sys/dev/block/{number}"), folder);
        self.file(&format!("/dev/{name}"), "");
    }

    pub fn tree(&self) -> Tree {
        Tree::new(self.folder.path())
    }

    /// The device at a path, with nothing but zeros on it.
    pub fn inspect(&self, path: &str) -> Device {
        self.inspect_image(path, vec![0; SIZE_BYTES as usize])
    }

    /// The device at a path, with this on it.
    pub fn inspect_image(&self, path: &str, image: Vec<u8>) -> Device {
        inspect_with(&self.tree(), path, &mut Cursor::new(image)).unwrap()
    }

    /// Sentences about what speaks against writing to a device full of zeros. Drives made here are all of one size and without a
    /// serial, which is a test's own.
    pub fn refused(&self, path: &str) -> Vec<String> {
        let found = refusals(&self.inspect(path));
        let found = found.iter().filter(|reason| !matches!(reason, Refusal::SameIdentity(_)));
        found.map(Refusal::to_string).collect()
    }
}
