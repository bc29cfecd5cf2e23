//! A Debian package, written without Debian's tools: an ar(1) archive of two compressed tar archives (deb(5)). Its program is static, so
//! it depends on nothing. All times in it are that of the last commit.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

/// A file in it, with its way below `/`.
struct Packed {
    path: String,
    bytes: Vec<u8>,
    mode: u32,
}

/// The whole package.
pub(super) fn package(root: &Path, arch: &str, program: &[u8], contents: &str) -> Result<Vec<u8>> {
    let files = files(root, program, contents)?;
    let time_s = time_of_commit(root);
    let installed_kib =
        files.iter().map(|file| file.bytes.len() as u64).sum::<u64>().div_ceil(1024);
    let control =
        Packed { path: "control".into(), bytes: control(arch, installed_kib).into(), mode: 0o644 };
    Ok(archive(
        &[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", packed(&[control], time_s)?),
            ("data.tar.gz", packed(&files, time_s)?),
        ],
        time_s,
    ))
}

fn control(arch: &str, installed_kib: u64) -> String {
    format!(
        "Package: narrows\nVersion: {}\nArchitecture: {arch}\nMaintainer: The narrows developers <narrows@localhost>\n\
         Installed-Size: {installed_kib}\nSection: database\nPriority: optional\nSuggests: postgresql\n\
         Description: measures a database server layer by layer\n \
         narrows measures memory, drives, WAL and PostgreSQL of one server, compares each with its\n \
         physical limits, and names the bottleneck of each workload. It observes running servers too.\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn files(root: &Path, program: &[u8], contents: &str) -> Result<Vec<Packed>> {
    let read = |path: &str| std::fs::read(root.join(path)).with_context(|| path.to_string());
    let mut files =
        vec![Packed { path: "usr/bin/narrows".into(), bytes: program.to_vec(), mode: 0o755 }];
    let mut add = |path: String, bytes: Vec<u8>| files.push(Packed { path, bytes, mode: 0o644 });
    let pages = root.join("docs/man");
    let mut names: Vec<String> = std::fs::read_dir(&pages)
        .with_context(|| pages.display().to_string())?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        let page = compressed(&read(&format!("docs/man/{name}"))?)?;
        add(format!("usr/share/man/man1/{name}.gz"), page);
    }
    for (shell, path) in [
        ("bash", "usr/share/bash-completion/completions/narrows"),
        ("zsh", "usr/share/zsh/vendor-completions/_narrows"),
        ("fish", "usr/share/fish/vendor_completions.d/narrows.fish"),
    ] {
        add(path.into(), read(&format!("docs/completions/narrows.{shell}"))?);
    }
    let doc = |name: &str| format!("usr/share/doc/narrows/{name}");
    add(doc("changelog.gz"), compressed(&read("CHANGELOG.md")?)?);
    add(doc("contents"), contents.as_bytes().to_vec());
    for page in crate::book::pages(root)? {
        add(doc(&format!("book/{}", page.path.display())), page.bytes);
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
    use super::*;

    #[test]
    fn a_member_has_a_line_of_sixty_bytes_and_begins_on_an_even_place() {
        let all = archive(&[("debian-binary", b"2.0".to_vec()), ("x", b"y".to_vec())], 7);
        assert_eq!(all.len(), 8 + 60 + 4 + 60 + 2);
        assert!(all.starts_with(
            b"!<arch>\ndebian-binary   7           0     0     100644  3         `\n2.0\n"
        ));
    }

    /// Paths of what is in a package.
    fn names(package: &[u8]) -> Vec<String> {
        // The member's line has sixty bytes, and begins with its name.
        let line = package.windows(11).rposition(|name| name == b"data.tar.gz").unwrap();
        let data = &package[line + 60..];
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(data));
        tar.entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect()
    }

    #[test]
    fn a_package_holds_the_program_its_pages_and_what_is_inside() {
        let names = names(&package(&crate::root(), "amd64", b"program", "libc 1, MIT\n").unwrap());
        for name in [
            "usr/bin/narrows",
            "usr/share/man/man1/narrows-run.1.gz",
            "usr/share/doc/narrows/contents",
        ] {
            assert!(names.iter().any(|path| path.ends_with(name)), "{name} in {names:?}");
        }
    }

    #[test]
    fn a_package_holds_what_the_page_on_installing_names() {
        let root = crate::root();
        let names = names(&package(&root, "amd64", b"program", "libc 1, MIT\n").unwrap());
        let page = std::fs::read_to_string(root.join("docs/src/guide/install.md")).unwrap();
        let code = page.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        let named: Vec<&str> = code.filter(|code| code.starts_with("/usr/")).collect();
        assert!(named.len() >= 7, "{named:?}");
        for path in named {
            let begin = path.split('*').next().unwrap_or(path).trim_start_matches('/');
            assert!(names.iter().any(|name| name.starts_with(begin)), "{path} in {names:?}");
        }
        let version = env!("CARGO_PKG_VERSION");
        for file in [format!("narrows_{version}_amd64.deb"), format!("narrows-{version}-x86_64")] {
            assert!(page.contains(&file), "the page names another version than {file}");
        }
    }
}
