//! What is shipped: programs, each in a package of its own.

/// A program with what goes along. Its crate, its program and its package have one name.
#[derive(Debug)]
pub(super) struct Shipped {
    pub name: &'static str,
    /// Of the program, for people who only want to look.
    pub most_bytes: u64,
    /// Of the Debian package: section, what is good beside it, what it is in a line, and in more.
    pub section: &'static str,
    pub suggests: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    /// Files of the repository that go along as they are: from, and their ways below `/`.
    pub files: &'static [(&'static str, &'static str)],
    /// Whether the book goes along.
    pub has_book: bool,
    /// What dpkg runs, as deb-postinst(5) and its like name it, and the files.
    pub scripts: &'static [(&'static str, &'static str)],
}

/// Nobody lets a block server into a tool that measures: the target is a package of its own.
pub(super) const SHIPPED: [Shipped; 2] = [
    Shipped {
        name: "narrows",
        // Meant to be 15 MB; what came in since, by crate, is in the journal. 2.4 MB of it are TLS for NVMe/TCP.
        most_bytes: 19_000_000,
        section: "database",
        suggests: "postgresql",
        summary: "measures a database server layer by layer",
        description: "narrows measures memory, drives, WAL and PostgreSQL of one server, compares each with its\n \
                      physical limits, and names the bottleneck of each workload. It observes running servers too.",
        files: &[],
        has_book: true,
        scripts: &[],
    },
    Shipped {
        name: "narrows-target",
        most_bytes: 7_500_000,
        section: "net",
        suggests: "nvme-cli",
        summary: "storage target: files, drives and memory over NVMe/TCP",
        description: "narrows-target serves files, block devices and memory to hosts over NVMe/TCP, from user space.\n \
                      It refuses what is mounted, partitioned or otherwise used. Nothing is served until it is configured.",
        files: &[
            (
                "packaging/narrows-target/narrows-target.service",
                "usr/lib/systemd/system/narrows-target.service",
            ),
            ("packaging/narrows-target/target.toml", "usr/share/narrows-target/target.toml"),
            ("packaging/narrows-target/options", "usr/share/narrows-target/options"),
            ("packaging/narrows-target/alarms.yml", "usr/share/narrows-target/alarms.yml"),
            ("docs/src/guide/storage-target.md", "usr/share/doc/narrows-target/storage-target.md"),
        ],
        has_book: false,
        scripts: &[
            ("postinst", "packaging/narrows-target/postinst"),
            ("prerm", "packaging/narrows-target/prerm"),
            ("postrm", "packaging/narrows-target/postrm"),
        ],
    },
];

impl Shipped {
    /// Whether a page of `docs/man` is this program's: `narrows-run.1` is narrows', `narrows-target-serve.1` the target's.
    pub(super) fn has_page(&self, page: &str) -> bool {
        let owner = SHIPPED.iter().filter(|one| page.starts_with(one.name));
        owner.max_by_key(|one| one.name.len()).is_some_and(|one| one.name == self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_belongs_to_one_program() {
        let owners = |page: &str| -> Vec<&str> {
            SHIPPED.iter().filter(|one| one.has_page(page)).map(|one| one.name).collect()
        };
        assert_eq!(owners("narrows.1"), ["narrows"]);
        assert_eq!(owners("narrows-run.1"), ["narrows"]);
        assert_eq!(owners("narrows-target.1"), ["narrows-target"]);
        assert_eq!(owners("narrows-target-serve.1"), ["narrows-target"]);
    }
}
