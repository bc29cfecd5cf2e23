//! Which PostgreSQL binaries: the user's, else the newest the machine has, else the bundle.
//!
//! A packaged build comes before the bundle because it is what the machine would run: the bundle is optimised for
//! size and was seen to need 11 % more processor time per query (the book, `guide/database-server.md`).

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use narrows_bundle::{Bundle, BundleError};
use narrows_engine::Stop;

use super::{FindError, ServerUser, Version};
use narrows_server::{in_path, run};

/// The oldest version whose counters the layer knows how to read.
const LEAST_MAJOR: u32 = 13;
const PROBE_LIMIT: Duration = Duration::from_secs(20);

/// Where distributions and installers put servers; `*` stands for one folder name.
const USUAL: [&str; 9] = [
    "/usr/lib/postgresql/*/bin",
    "/usr/lib64/postgresql*/bin",
    "/usr/lib/postgresql*/bin",
    "/usr/libexec/postgresql*",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
    "/usr/local/pgsql*/bin",
    "/opt/*/bin",
    "/opt/*/*/bin",
];

/// Where binaries come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Named by the user.
    Given,
    /// Found on the machine.
    Packaged,
    /// Fetched by us; figures are not comparable with those of a packaged server.
    Bundle,
}

/// Server binaries that run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerBinaries {
    /// The folder with `postgres` and `initdb`.
    pub bin_dir: PathBuf,
    /// The release.
    pub version: Version,
    /// The release as the program prints it, with the distribution's own number.
    pub version_text: String,
    /// Where it comes from.
    pub origin: Origin,
    /// How it was built (`pg_config`'s CONFIGURE and CFLAGS); `None` where no `pg_config` belongs to it.
    pub build: Option<String>,
    /// For the bundle: coordinates and digest.
    pub source: Option<String>,
}

/// Finds the server. `explicit` is the user's choice, a `postgres` program or its folder: if it doesn't do, that is an
/// error and nothing else is tried. `fetch` gets the bundle and is called only if the machine has no usable server;
/// `None` forbids it. `stop` ends the search, also while a program that was found doesn't answer.
pub fn find(
    explicit: Option<&Path>,
    user: &ServerUser,
    fetch: Option<&mut dyn FnMut() -> Result<Bundle, BundleError>>,
    stop: &Stop,
) -> Result<ServerBinaries, FindError> {
    let usual = USUAL.iter().flat_map(|pattern| expand(pattern)).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    Search { path, usual, run_as: RunAs { user, stop } }.find(explicit, fetch)
}

/// As whom programs are tried, and what ends them.
#[derive(Clone, Copy)]
struct RunAs<'a> {
    user: &'a ServerUser,
    stop: &'a Stop,
}

struct Search<'a> {
    path: OsString,
    usual: Vec<PathBuf>,
    run_as: RunAs<'a>,
}

impl Search<'_> {
    fn find(
        &self,
        explicit: Option<&Path>,
        fetch: Option<&mut dyn FnMut() -> Result<Bundle, BundleError>>,
    ) -> Result<ServerBinaries, FindError> {
        let found = self.unless_stopped(explicit, fetch);
        // What was stopped says nothing of the servers that it asked.
        if self.run_as.stop.is_set() { Err(FindError::Stopped) } else { found }
    }

    fn unless_stopped(
        &self,
        explicit: Option<&Path>,
        fetch: Option<&mut dyn FnMut() -> Result<Bundle, BundleError>>,
    ) -> Result<ServerBinaries, FindError> {
        let run_as = self.run_as;
        if let Some(path) = explicit {
            return given(path, run_as).map_err(|why| FindError::Given {
                path: path.to_path_buf(),
                why,
                least: LEAST_MAJOR,
            });
        }
        let mut rejected = String::new();
        let mut best: Option<ServerBinaries> = None;
        for bin_dir in self.candidates() {
            match probe(&bin_dir, run_as, Origin::Packaged) {
                // The first of equals stays: PATH comes first.
                Ok(found)
                    if best.as_ref().is_none_or(|b| found.version.rank() > b.version.rank()) =>
                {
                    best = Some(found);
                }
                Ok(_) => {}
                Err(why) => rejected.push_str(&format!("; {} won't do: {why}", bin_dir.display())),
            }
        }
        if let Some(mut found) = best {
            found.build = build(&found.bin_dir, &self.path, run_as);
            return Ok(found);
        }
        let Some(fetch) = fetch else { return Err(FindError::None { rejected }) };
        let bundle = fetch().map_err(|e| FindError::Bundle { rejected, bundle: Box::new(e) })?;
        let found = probe(&bundle.bin_dir, run_as, Origin::Bundle)
            .map_err(|why| FindError::BundleUnusable { path: bundle.bin_dir.clone(), why })?;
        Ok(ServerBinaries {
            build: Some(narrows_bundle::BUILD.to_owned()),
            source: Some(bundle.source),
            ..found
        })
    }

    /// Folders that hold a `postgres`, each once, links resolved.
    fn candidates(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        let mut add = |program: &Path| {
            if let Some(folder) = home_of(program)
                && !folders.contains(&folder)
            {
                folders.push(folder);
            }
        };
        for program in in_path(&self.path, "postgres") {
            add(&program);
        }
        for folder in &self.usual {
            add(&folder.join("postgres"));
        }
        folders
    }
}

/// The folder in which `program` really lies, if an `initdb` lies there too; else the one it is linked from.
fn home_of(program: &Path) -> Option<PathBuf> {
    let named = program.parent()?.canonicalize().ok()?;
    let real = program.canonicalize().ok()?.parent()?.to_path_buf();
    Some(if real.join("initdb").exists() { real } else { named })
}

fn given(path: &Path, run_as: RunAs<'_>) -> Result<ServerBinaries, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    let program = if metadata.is_dir() {
        // An installation's root does as well as its bin.
        let inner = path.join("bin/postgres");
        if path.join("postgres").exists() || !inner.exists() {
            path.join("postgres")
        } else {
            inner
        }
    } else {
        path.to_path_buf()
    };
    let bin_dir = home_of(&program).ok_or("it has no postgres program")?;
    let mut found = probe(&bin_dir, run_as, Origin::Given)?;
    found.build = build(&found.bin_dir, &OsString::new(), run_as);
    Ok(found)
}

/// Whether `postgres` and `initdb` are there, run as the server's user, and are of one version that will do.
fn probe(bin_dir: &Path, run_as: RunAs<'_>, origin: Origin) -> Result<ServerBinaries, String> {
    let mut texts = Vec::new();
    for name in ["postgres", "initdb"] {
        let program = bin_dir.join(name);
        if !program.is_file() {
            return Err(format!("it has no {name}"));
        }
        // What is merely found in a usual place is run only if nobody else could have put it there.
        if origin == Origin::Packaged {
            narrows_files::trusted_way(&program).map_err(|doubt| doubt.to_string())?;
        }
        // The error's hint speaks of data folders; only its first line fits here.
        run_as.user.reaches(&program).map_err(|error| first_line(&error.to_string()))?;
        texts.push(printed(&program, "--version", run_as)?);
    }
    let versions: Vec<Version> = texts.iter().filter_map(|text| Version::parse(text)).collect();
    let [version, initdb] = versions.as_slice() else {
        return Err(format!("it calls itself {:?}", texts.join(" and ")));
    };
    if version != initdb {
        return Err(format!("postgres is {version}, initdb is {initdb}"));
    }
    if version.major < LEAST_MAJOR {
        return Err(format!("it is version {version}, {LEAST_MAJOR} is the oldest supported"));
    }
    Ok(ServerBinaries {
        bin_dir: bin_dir.to_path_buf(),
        version: *version,
        version_text: texts.swap_remove(0).replace("postgres (PostgreSQL) ", ""),
        origin,
        build: None,
        source: None,
    })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The first line a program prints.
fn printed(program: &Path, argument: &str, run_as: RunAs<'_>) -> Result<String, String> {
    let mut command = run_as.user.command(program, Path::new("/"));
    command.arg(argument);
    let ended = run(command, PROBE_LIMIT, run_as.stop)
        .map_err(|error| format!("{} does not run: {error}", program.display()))?;
    if !ended.success() {
        let said = first_line(&ended.stderr);
        return Err(format!("{} failed ({}): {said}", program.display(), ended.status_text()));
    }
    Ok(first_line(&ended.stdout).trim().to_owned())
}

/// What the `pg_config` of this very server says. One found elsewhere may belong to a newer client library (Debian),
/// so it counts only if it names this folder.
fn build(bin_dir: &Path, path: &OsString, run_as: RunAs<'_>) -> Option<String> {
    let own = bin_dir.join("pg_config");
    let tools = std::iter::once(own).chain(in_path(path, "pg_config"));
    let trusted = |tool: &PathBuf| tool.is_file() && narrows_files::trusted_way(tool).is_ok();
    tools.filter(trusted).find_map(|tool| {
        let of = PathBuf::from(printed(&tool, "--bindir", run_as).ok()?);
        if of.canonicalize().ok()? != bin_dir {
            return None;
        }
        let configure = printed(&tool, "--configure", run_as).ok()?;
        let flags = printed(&tool, "--cflags", run_as).ok()?;
        Some(format!("CONFIGURE = {configure} CFLAGS = {flags}"))
    })
}

/// Existing folders that fit a pattern whose parts may hold one `*`, in order of name.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let Some((before, after)) = part.split_once('*') else {
            found.iter_mut().for_each(|folder| folder.push(part));
            continue;
        };
        found = found
            .iter()
            .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
            .filter(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                name.len() >= part.len() - 1 && name.starts_with(before) && name.ends_with(after)
            })
            .map(|entry| entry.path())
            .collect();
        found.sort();
    }
    found.retain(|folder| folder.is_dir());
    found
}

#[cfg(test)]
#[path = "find_test.rs"]
mod tests;
