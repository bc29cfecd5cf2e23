//! `cargo xtask dist [PROGRAM…]`: what is shipped. Each program static for each architecture, a Debian package of it with man pages and
//! completions, a list of what is inside with licences, and checksums of all of these.
//!
//! What this machine can't build is skipped, with the reason and with what would help.

mod contents;
mod debian;
mod elf;
mod program;
mod shipped;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use self::program::{LinkedLibrary, Target};
use self::shipped::{SHIPPED, Shipped};

const TARGETS: [Target; 2] = [
    Target { arch: "x86_64", debian: "amd64", compiler: "musl-gcc", package: "musl-tools" },
    Target {
        arch: "aarch64",
        debian: "arm64",
        compiler: "aarch64-linux-gnu-gcc",
        package: "gcc-aarch64-linux-gnu",
    },
];

/// Builds what can be built here, of the programs that are named; of all where none is.
///
/// # Errors
/// A name is no shipped program's, a build fails, a program isn't static or too large, or nothing at all can be built here.
pub fn dist(names: &[&str]) -> Result<()> {
    let chosen = chosen(names)?;
    let root = crate::root();
    let folder = root.join("target/dist-files");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut shipped = Vec::new();
    for target in &TARGETS {
        for kind in [LinkedLibrary::Musl, LinkedLibrary::Glibc] {
            if let Some(missing) = program::missing(target, kind)? {
                println!("SKIPPED {}: {missing}", target.triple(kind));
                continue;
            }
            for one in &chosen {
                shipped.extend(files(&root, &folder, one, target, kind)?);
            }
            break;
        }
    }
    ensure!(!shipped.is_empty(), "no program could be built here");
    shipped.sort();
    let mut sums = String::new();
    for name in &shipped {
        let bytes = fs::read(folder.join(name)).with_context(|| name.clone())?;
        sums += &format!("{}  {name}\n", sha256(&bytes));
        println!("{:>10} {name}", bytes.len());
    }
    fs::write(folder.join("SHA256SUMS"), sums)?;
    println!("in {}; `sha256sum --check SHA256SUMS` there", folder.display());
    Ok(())
}

fn chosen(names: &[&str]) -> Result<Vec<&'static Shipped>> {
    let known = || SHIPPED.iter().map(|one| one.name).collect::<Vec<_>>().join(", ");
    let one = |name: &&str| {
        let found = SHIPPED.iter().find(|one| one.name == *name);
        found.with_context(|| format!("`{name}` is not shipped; these are: {}", known()))
    };
    if names.is_empty() { Ok(SHIPPED.iter().collect()) } else { names.iter().map(one).collect() }
}

/// The names of what was written of one program for one target.
fn files(
    root: &Path,
    folder: &Path,
    shipped: &Shipped,
    target: &Target,
    kind: LinkedLibrary,
) -> Result<Vec<String>> {
    let built = program::build(root, shipped.name, target, kind)?;
    let bytes = fs::read(&built).with_context(|| built.display().to_string())?;
    if let Some(interpreter) = elf::interpreter(&bytes) {
        bail!("{} is not static: it asks for {interpreter}", built.display());
    }
    let length = bytes.len() as u64;
    let most = shipped.most_bytes;
    ensure!(length <= most, "{} has {length} bytes, more than {most}", built.display());
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("{}-{version}-{}", shipped.name, target.triple(kind));
    let list = contents::list(root, shipped.name, &target.triple(kind))?;
    let package = debian::package(root, shipped, target.debian, &bytes, &list)?;
    let package_name = format!("{}_{version}_{}.deb", shipped.name, target.debian);
    fs::write(folder.join(&name), &bytes)?;
    fs::set_permissions(folder.join(&name), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    fs::write(folder.join(format!("{name}.contents")), list)?;
    fs::write(folder.join(&package_name), package)?;
    Ok(vec![format!("{name}.contents"), name, package_name])
}

fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn checksums_are_as_sha256sum_prints_them() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(super::sha256(b""), empty);
    }

    #[test]
    fn programs_are_chosen_by_name_and_an_unknown_one_is_told() {
        let names = |wanted: &[&str]| -> Vec<&str> {
            super::chosen(wanted).unwrap().iter().map(|one| one.name).collect()
        };
        assert_eq!(names(&[]), ["narrows", "narrows-target"]);
        assert_eq!(names(&["narrows-target"]), ["narrows-target"]);
        let error = super::chosen(&["narrow"]).unwrap_err().to_string();
        assert_eq!(error, "`narrow` is not shipped; these are: narrows, narrows-target");
    }
}
