//! Servers of the tools' own: the PostgreSQL of this machine, kept by the product's [`Cluster`], with what each tool asks of one. All
//! that a tool adds is its settings, its processors and what it plants.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use narrows_engine::Stop;
use narrows_postgres::server::{self, Cluster, Options, ServerBinaries, ServerUser};
use narrows_postgres::{Address, Endpoint};

/// The programs that are installed here, and the user that they run as.
pub(crate) struct Programs {
    pub found: ServerBinaries,
    pub user: ServerUser,
}

/// What a server is asked to be, over its version's defaults.
#[derive(Default)]
pub(crate) struct Wanted<'a> {
    pub settings: &'a [(&'a str, &'a str)],
    /// All that are allowed where none is named.
    pub cpus: &'a [u32],
    /// Loaded before all other libraries.
    pub library: Option<&'a Path>,
    pub env: &'a [(String, String)],
}

impl Programs {
    /// The error says what this machine lacks.
    pub(crate) fn here() -> Result<Programs> {
        Programs::at(None)
    }

    /// Those at that path, or those that are installed here.
    pub(crate) fn at(path: Option<&Path>) -> Result<Programs> {
        let user = ServerUser::choose()?;
        let found = server::find(path, &user, None, &Stop::new())?;
        Ok(Programs { found, user })
    }

    /// pgbench beside the server's programs, or any: not every build of a server brings one along.
    pub(crate) fn pgbench(&self) -> PathBuf {
        let beside = self.found.bin_dir.join("pgbench");
        if beside.exists() { beside } else { "pgbench".into() }
    }

    /// A server that runs, with its data in `NAME-data` and its log in `NAME-wal`, both new; it goes when dropped.
    pub(crate) fn start(
        &self,
        (folder, name): (&Path, &str),
        wanted: &Wanted<'_>,
        stop: &Stop,
    ) -> Result<Cluster> {
        let of = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let settings: Vec<(String, String)> = wanted.settings.iter().map(of).collect();
        let (data, wal) = (folder.join(format!("{name}-data")), folder.join(format!("{name}-wal")));
        let options = Options {
            settings: &settings,
            cpus: wanted.cpus,
            preload: wanted.library,
            env: wanted.env,
            ..Options::new(&data, &wal)
        };
        let mut cluster = Cluster::create(&self.found, &self.user, &options, stop)?;
        cluster.start(stop)?;
        Ok(cluster)
    }
}

/// As our own client is given it.
pub(crate) fn address(cluster: &Cluster) -> Address {
    Address {
        endpoint: Endpoint::Unix { folder: cluster.socket_dir().into(), port: cluster.port() },
        user: Cluster::USER.into(),
        password: None,
        database: Cluster::DATABASE.into(),
        session: Default::default(),
    }
}

/// As pgbench is given it.
pub(crate) fn to<'c>(cluster: &Cluster, command: &'c mut Command) -> &'c mut Command {
    command.arg("-h").arg(cluster.socket_dir()).args(["-p", &cluster.port().to_string()]);
    command.args(["-U", Cluster::USER])
}

/// A library that makes calls of the server slow, compiled into that folder: `slow_flush` or `slow_read`.
pub(crate) fn library(folder: &Path, name: &str) -> Result<PathBuf> {
    compiled(folder, &crate::root().join(format!("crates/cli/tests/plants/{name}.c")))
}

/// A library of that source, compiled into that folder.
pub(crate) fn compiled(folder: &Path, source: &Path) -> Result<PathBuf> {
    let name = source.file_stem().context("a source has a name")?;
    let library = folder.join(name).with_extension("so");
    let mut command = Command::new("cc");
    command.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    let status = command.status().context("running cc")?;
    ensure!(status.success(), "{} does not compile", source.display());
    Ok(library)
}

/// `postgres` and `initdb` in that folder that run those of `bin_dir`, the server with these variables.
pub(crate) fn wrapped(folder: &Path, bin_dir: &Path, variables: &[(String, String)]) -> Result<()> {
    let set = |(name, value): &(String, String)| format!("{name}={value} ");
    let slow: String = variables.iter().map(set).collect();
    for (name, environment) in [("postgres", slow.as_str()), ("initdb", "")] {
        let real = bin_dir.join(name);
        let script = format!("#!/bin/sh\nexec env {environment}{} \"$@\"\n", real.display());
        let path = folder.join(name);
        std::fs::write(&path, script).with_context(|| format!("writing {}", path.display()))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}
