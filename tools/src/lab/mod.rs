//! `cargo xtask lab`: machines that nobody has here, made by QEMU, and whether narrows finds what they were made of.
//!
//! One description per guest ([`guest`]) gives QEMU's command line ([`qemu`]), what is done inside ([`prepare`]) and what
//! must be found ([`facts`]), so that the three can't drift apart. `lab/README.md` says what this proves and what not.

mod answers;
mod boot;
mod compare;
mod facts;
mod guest;
mod guests;
mod needs;
mod plant;
mod prepare;
mod qemu;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, ensure};

use self::guest::Guest;
use self::qemu::Places;

const USAGE: &str = "\
usage: cargo xtask lab [--list] [--plant] [--record] [--narrows FILE] [--kernel FILE.deb] [NAME]...

  --list      the guests
  --plant     compare with a description that is wrong in one place: must fail
  --record    keep the captures in lab/captures, where tests read them
  --narrows   this program instead of the one that is built now
  --kernel    this package of the kernel instead of a download";

/// What is asked for.
#[derive(Debug, Default, PartialEq)]
struct Options<'a> {
    list: bool,
    plant: bool,
    record: bool,
    narrows: Option<&'a Path>,
    kernel: Option<&'a Path>,
    names: Vec<&'a str>,
}

/// Boots the guests and compares. 0: all was found as configured; 1: it was not; 2: the lab can't work here.
pub fn lab(args: &[&str]) -> ExitCode {
    let (asked, guests) = match asked(args).and_then(|asked| Ok((chosen(&asked.names)?, asked))) {
        Ok((guests, asked)) => (asked, guests),
        Err(wrong) => {
            eprintln!("xtask: {wrong}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if asked.list {
        for guest in &guests {
            println!("{:18} {}", guest.name, guest.about);
        }
        return ExitCode::SUCCESS;
    }
    let folder = crate::root().join("target/lab");
    let kernel = folder.join("kernel");
    let programs = needs::programs(&guests, is_ready(&kernel));
    if let Some(missing) = needs::missing(&programs, &needs::folders()) {
        eprintln!("xtask: {missing}");
        return ExitCode::from(2);
    }
    if let Err(error) = ready(&kernel, asked.kernel) {
        eprintln!("xtask: {error:#}");
        return ExitCode::from(2);
    }
    match all(&asked, &guests, &folder) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn asked<'a>(args: &[&'a str]) -> Result<Options<'a>, String> {
    let mut asked = Options::default();
    let mut args = args.iter().copied();
    while let Some(arg) = args.next() {
        let mut file = || args.next().map(Path::new).ok_or(format!("{arg} wants a file"));
        match arg {
            "--list" => asked.list = true,
            "--plant" => asked.plant = true,
            "--record" => asked.record = true,
            "--narrows" => asked.narrows = Some(file()?),
            "--kernel" => asked.kernel = Some(file()?),
            _ if arg.starts_with('-') => return Err(format!("there is no option {arg}")),
            name => asked.names.push(name),
        }
    }
    if asked.plant && asked.record {
        return Err("what is planted is not recorded".into());
    }
    Ok(asked)
}

/// The guests of those names, all where none is named.
fn chosen(names: &[&str]) -> Result<Vec<Guest>, String> {
    let all = guests::all();
    if let Some(name) = names.iter().find(|name| all.iter().all(|guest| guest.name != **name)) {
        return Err(format!("there is no guest {name:?}; --list shows them"));
    }
    let is_asked = |guest: &Guest| names.is_empty() || names.contains(&guest.name);
    Ok(all.into_iter().filter(is_asked).collect())
}

/// Whether the kernel was made by these very scripts.
fn is_ready(kernel: &Path) -> bool {
    let script = |name: &str| fs::read(crate::root().join("lab").join(name));
    let (Ok(fetch), Ok(init)) = (script("kernel.sh"), script("init")) else { return false };
    fs::read(kernel.join("ready")).is_ok_and(|made| made == [fetch, init].concat())
}

/// Fetches and unpacks the kernel, unless it is there.
fn ready(kernel: &Path, package: Option<&Path>) -> Result<()> {
    if is_ready(kernel) {
        return Ok(());
    }
    eprintln!("the guests' kernel, 107 MB unless it is there, into {}", kernel.display());
    let mut command = Command::new("sh");
    command.arg(crate::root().join("lab/kernel.sh")).arg(kernel).args(package);
    let status = command.status().context("starting sh")?;
    ensure!(
        status.success(),
        "the guests' kernel can't be had; with its package at hand (lab/kernel.sh names it): --kernel FILE.deb"
    );
    Ok(())
}

/// Whether all guests were found as configured.
fn all(asked: &Options<'_>, guests: &[Guest], folder: &Path) -> Result<bool> {
    let narrows = match asked.narrows {
        Some(file) => file.to_path_buf(),
        None => built()?,
    };
    let mut wrong = Vec::new();
    for guest in guests {
        let work = folder.join("guests").join(guest.name);
        let places = Places { kernel: &folder.join("kernel"), work: &work };
        let took = boot::boot(guest, &places, &narrows)
            .with_context(|| format!("guest {}", guest.name))?;
        let planted = asked.plant.then(|| plant::first(guest));
        if let Some((what, _)) = &planted {
            println!("planted {}: {what}", guest.name);
        }
        let description = planted.as_ref().map_or(guest, |(_, planted)| planted);
        let judged = answers::judge(description, &work, &narrows)
            .with_context(|| format!("guest {}", guest.name))?;
        let mark = if judged.differences.is_empty() { "ok    " } else { "DIFFER" };
        let (compared, seconds) = (judged.compared, took.as_secs());
        println!("{mark} {:18} {compared} facts, {seconds} s: {}", guest.name, guest.about);
        for difference in &judged.differences {
            println!("         {difference}");
        }
        if !judged.differences.is_empty() {
            wrong.push(guest.name);
        } else if asked.record {
            let path = recorded(guest.name);
            fs::copy(work.join("found.capture"), &path)
                .with_context(|| format!("writing {}", path.display()))?;
        }
    }
    if !wrong.is_empty() {
        eprintln!("found otherwise than configured: {}", wrong.join(", "));
    }
    Ok(wrong.is_empty())
}

/// The capture of a guest that tests read.
fn recorded(name: &str) -> PathBuf {
    crate::root().join("lab/captures").join(format!("{name}.capture"))
}

/// The command as it stands, built.
fn built() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "narrows", "--bin", "narrows"]);
    let status = command.current_dir(crate::root()).stdin(Stdio::null()).status()?;
    ensure!(status.success(), "narrows could not be built");
    // Beside the program that runs now.
    let here = std::env::current_exe()?;
    Ok(here.with_file_name("narrows"))
}

#[cfg(test)]
mod tests;
