//! A Debian package, written without Debian's tools: an ar(1) archive of two compressed tar archives (deb(5)). Its program is static, so
//! it depends on nothing. All times in it are that of the last commit.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::shipped::Shipped;

/// A file in it, with its way below `/`.
struct Packed {
    path: String,
    bytes: Vec<u8>,
    mode: u32,
}

/// The whole package of a program.
pub(super) fn package(
    root: &Path,
    shipped: &Shipped,
    arch: &str,
    program: &[u8],
    contents: &str,
) -> Result<Vec<u8>> {
    let files = files(root, shipped, program, contents)?;
    let time_s = time_of_commit(root);
    let installed_kib =
        files.iter().map(|file| file.bytes.len() as u64).sum::<u64>().div_ceil(1024);
    let text = control(shipped, arch, installed_kib);
    let mut control = vec![Packed { path: "control".into(), bytes: text.into(), mode: 0o644 }];
    for (name, from) in shipped.scripts {
        control.push(Packed { path: (*name).into(), bytes: read(root, from)?, mode: 0o755 });
    }
    Ok(archive(
        &[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", packed(&control, time_s)?),
            ("data.tar.gz", packed(&files, time_s)?),
        ],
        time_s,
    ))
}

fn control(shipped: &Shipped, arch: &str, installed_kib: u64) -> String {
    let Shipped { name, section, suggests, summary, description, .. } = shipped;
    format!(
        "Package: {name}\nVersion: {}\nArchitecture: {arch}\nMaintainer: The narrows developers <narrows@localhost>\n\
         Installed-Size: {installed_kib}\nSection: {section}\nPriority: optional\nSuggests: {suggests}\n\
         Description: {summary}\n {description}\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn read(root: &Path, path: &str) -> Result<Vec<u8>> {
    std::fs::read(root.join(path)).with_context(|| path.to_string())
}

fn files(root: &Path, shipped: &Shipped, program: &[u8], contents: &str) -> Result<Vec<Packed>> {
    let read = |path: &str| read(root, path);
    let program_name = shipped.name;
    let mut files = vec![Packed {
        path: format!("usr/bin/{program_name}"),
        bytes: program.to_vec(),
        mode: 0o755,
    }];
    let mut add = |path: String, bytes: Vec<u8>| files.push(Packed { path, bytes, mode: 0o644 });
    let pages = root.join("docs/man");
    let mut names: Vec<String> = std::fs::read_dir(&pages)
        .with_context(|| pages.display().to_string())?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| shipped.has_page(name))
        .collect();
    names.sort();
    for name in names {
        let page = compressed(&read(&format!("docs/man/{name}"))?)?;
        add(format!("usr/share/man/man1/{name}.gz"), page);
    }
    for (shell, path) in [
        ("bash", format!("usr/share/bash-completion/completions/{program_name}")),
        ("zsh", format!("usr/share/zsh/vendor-completions/_{program_name}")),
        ("fish", format!("usr/share/fish/vendor_completions.d/{program_name}.fish")),
    ] {
        add(path, read(&format!("docs/completions/{program_name}.{shell}"))?);
    }
    for (from, to) in shipped.files {
        add((*to).into(), read(from)?);
    }
    let doc = |name: &str| format!("usr/share/doc/{program_name}/{name}");
    add(doc("changelog.gz"), compressed(&read("CHANGELOG.md")?)?);
    add(doc("contents"), contents.as_bytes().to_vec());
    if shipped.has_book {
        for page in crate::book::pages(root)? {
            add(doc(&format!("book/{}", page.path.display())), page.bytes);
        }
    }
    let licences = [read("LICENSE-MIT")?, b"\n\n".to_vec(), read("LICENSE-APACHE")?].concat();
    add(doc("copyright"), licences);
    Ok(files)
}

/// Seconds since 1970; where there is no git, 0.
fn time_of_commit(root: &Path) -> u64 {
    let output = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

fn compressed(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(gzip.finish()?)
}

/// A compressed tar archive of the files and the folders above them, all of root.
fn packed(files: &[Packed], time_s: u64) -> Result<Vec<u8>> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let mut made = std::collections::BTreeSet::new();
    let header = |kind: tar::EntryType, mode: u32, bytes: usize| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_mtime(time_s);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(bytes as u64);
        header
    };
    for file in files {
        let folders: Vec<&Path> = Path::new(&file.path).ancestors().skip(1).collect();
        for folder in folders.iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
            if made.insert(folder.to_path_buf()) {
                let name = format!("./{}/", folder.display());
                tar.append_data(&mut header(tar::EntryType::Directory, 0o755, 0), name, &[][..])?;
            }
        }
        let name = format!("./{}", file.path);
        tar.append_data(
            &mut header(tar::EntryType::Regular, file.mode, file.bytes.len()),
            name,
            &file.bytes[..],
        )?;
    }
    Ok(tar.into_inner()?.finish()?)
}

/// An ar(1) archive: a line for each member, then its bytes, on even places.
fn archive(members: &[(&str, Vec<u8>)], time_s: u64) -> Vec<u8> {
    let mut all = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        all.extend(
            format!("{name:<16}{time_s:<12}0     0     100644  {:<10}`\n", bytes.len()).as_bytes(),
        );
        all.extend(bytes);
        if bytes.len() % 2 == 1 {
            all.push(b'\n');
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Read as _;

    use super::super::shipped::SHIPPED;
    use super::*;

    #[test]
    fn a_member_has_a_line_of_sixty_bytes_and_begins_on_an_even_place() {
        let all = archive(&[("debian-binary", b"2.0".to_vec()), ("x", b"y".to_vec())], 7);
        assert_eq!(all.len(), 8 + 60 + 4 + 60 + 2);
        assert!(all.starts_with(
            b"!<arch>\ndebian-binary   7           0     0     100644  3         `\n2.0\n"
        ));
    }

    /// The files of one of a package's two archives, by their ways below `/`: mode and bytes.
    fn members(package: &[u8], archive: &str) -> BTreeMap<String, (u32, Vec<u8>)> {
        // The member's line has sixty bytes, and begins with its name.
        let name = archive.as_bytes();
        let line = package.windows(name.len()).rposition(|window| window == name).unwrap();
        let data = &package[line + 60..];
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(data));
        let mut files = BTreeMap::new();
        for entry in tar.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().display().to_string();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            let path = path.trim_start_matches("./").to_string();
            files.insert(path, (entry.header().mode().unwrap(), bytes));
        }
        files
    }

    /// A program's package whose program is a word.
    fn made(name: &str) -> Vec<u8> {
        let shipped = SHIPPED.iter().find(|one| one.name == name).unwrap();
        package(&crate::root(), shipped, "amd64", b"program", "libc 1, MIT\n").unwrap()
    }

    #[test]
    fn a_package_holds_the_program_its_pages_and_what_is_inside() {
        let files = members(&made("narrows"), "data.tar.gz");
        let (mode, program) = &files["usr/bin/narrows"];
        assert_eq!((*mode, &program[..]), (0o755, &b"program"[..]));
        assert_eq!(files["usr/share/doc/narrows/contents"].1, b"libc 1, MIT\n");
        assert!(files.contains_key("usr/share/man/man1/narrows-run.1.gz"), "{:?}", files.keys());
    }

    #[test]
    fn the_target_is_in_its_own_package_and_in_no_other() {
        let tool = members(&made("narrows"), "data.tar.gz");
        let target = members(&made("narrows-target"), "data.tar.gz");
        let of_target = |path: &&String| path.contains("narrows-target");
        assert_eq!(tool.keys().filter(of_target).count(), 0);
        let shared = |path: &&String| tool.contains_key(*path) && !path.ends_with('/');
        assert_eq!(target.keys().filter(shared).collect::<Vec<_>>(), Vec::<&String>::new());
        assert_eq!(target["usr/bin/narrows-target"].0, 0o755);
        for page in ["narrows-target.1.gz", "narrows-target-serve.1.gz"] {
            assert!(target.contains_key(&format!("usr/share/man/man1/{page}")), "{page}");
        }
        let unit = &target["usr/lib/systemd/system/narrows-target.service"];
        let source = crate::root().join("packaging/narrows-target/narrows-target.service");
        assert_eq!((unit.0, &unit.1), (0o644, &std::fs::read(source).unwrap()));
        let licences = String::from_utf8_lossy(&target["usr/share/doc/narrows-target/copyright"].1);
        assert!(licences.contains("Permission is hereby granted") && licences.contains("Apache"));
    }

    #[test]
    fn a_service_is_known_after_its_package_came_and_stopped_before_it_goes() {
        let control = members(&made("narrows-target"), "control.tar.gz");
        let script = |name: &str| {
            let (mode, bytes) = &control[name];
            assert_eq!(*mode, 0o755, "{name}");
            String::from_utf8(bytes.clone()).unwrap()
        };
        assert!(script("postinst").contains("systemctl daemon-reload"));
        assert!(!script("postinst").contains("systemctl restart"), "an upgrade interrupts no host");
        let before = script("prerm");
        assert!(
            before.contains("\"$1\" = remove") && before.contains("disable --now narrows-target")
        );
        assert!(script("postrm").contains("systemctl daemon-reload"));
        let text = String::from_utf8(control["control"].1.clone()).unwrap();
        assert!(text.starts_with("Package: narrows-target\n"), "{text}");
        // The long text's lines begin with a space, or dpkg takes them for fields.
        let description = text.split("Description: ").nth(1).unwrap();
        assert!(description.lines().skip(1).all(|line| line.starts_with(' ')), "{text}");
        assert_eq!(members(&made("narrows"), "control.tar.gz").len(), 1);
    }

    #[test]
    fn a_package_holds_what_the_page_on_installing_names() {
        let root = crate::root();
        let page = std::fs::read_to_string(root.join("docs/src/guide/install.md")).unwrap();
        let code = page.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let named: Vec<&str> = code.filter(|code| code.starts_with("/usr/")).collect();
        assert!(named.len() >= 14, "{named:?}");
        for (program, is_target) in [("narrows", false), ("narrows-target", true)] {
            let files = members(&made(program), "data.tar.gz");
            let own = named.iter().filter(|path| path.contains("narrows-target") == is_target);
            for path in own {
                let begin = path.split('*').next().unwrap_or(path).trim_start_matches('/');
                let is_there = files.keys().any(|name| name.starts_with(begin));
                assert!(is_there, "{path} in {:?}", files.keys());
            }
            let version = env!("CARGO_PKG_VERSION");
            for file in
                [format!("{program}_{version}_amd64.deb"), format!("{program}-{version}-x86_64")]
            {
                assert!(page.contains(&file), "the page names another version than {file}");
            }
        }
    }
}
