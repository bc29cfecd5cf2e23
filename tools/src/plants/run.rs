//! Plants one bottleneck, lets narrows look, takes it out again, and reads what was said.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_model::Run;
use narrows_postgres::Connection;

use super::disturb::Disturber;
use super::look::PlantLook;
use super::proxy::Proxy;
use super::sidecar::Sidecar;
use super::site::{Ground, Site, library};
use super::suite::{Load, LookKind, Plant, Planted, Server};
use crate::group::{Group, Limit};
use crate::program::{output, pinned};
use crate::server::wrapped;

/// 0: a verdict. 3 and 4: nothing valid, or no verdict, which the run file tells.
const FINE: [i32; 3] = [0, 3, 4];
/// The finding of a look that was too short for what sessions wait for.
const FEW_SAMPLES: &str = "\"observed-few-samples\"";
/// How long narrows looks where nobody says how long, s.
const LONG_S: u32 = 60;

/// What looks, and by what.
pub(super) struct Looker<'a> {
    pub narrows: PathBuf,
    /// How long a look takes, s.
    pub for_s: u32,
    /// A run with what drives and log gave.
    pub capacities: Option<PathBuf>,
    /// The programs for a server of narrows' own, where they are not the machine's.
    pub postgres: Option<PathBuf>,
    pub ground: &'a Ground<'a>,
}

impl Looker<'_> {
    /// Measures drives and log by themselves.
    pub(super) fn measure(&mut self) -> Result<()> {
        let mut command = Command::new(&self.narrows);
        command.args(["run", "--quick", "--layers", "block,log"]);
        let text = self.said(self.in_folder(command))?;
        let file = self.ground.folder.join("capacities.narrows.json");
        std::fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
        self.capacities = Some(file);
        Ok(())
    }

    /// A look at a server of ours under pgbench with that plant.
    pub(super) fn observed(&self, site: &Site<'_>, plant: &Plant) -> Result<PlantLook> {
        let planted = InPlace::put(&plant.plant, site)?;
        let load = site.load(
            &plant.load,
            planted.proxy.as_ref().map(Proxy::port),
            planted.client.as_ref(),
        )?;
        // Where a look had too few samples narrows goes on by itself; here it is asked to, so that others need not take as long.
        let for_s = plant.for_s.unwrap_or(self.for_s);
        let mut text = self.look(site, plant, for_s);
        let few = |text: &String| text.contains(FEW_SAMPLES);
        if for_s < LONG_S && text.as_ref().is_ok_and(few) {
            text = self.look(site, plant, LONG_S);
        }
        let held = load_is_there(load, &planted);
        let text = text?;
        held?;
        drop(planted);
        let run = Run::from_json(&text).context("reading the run file")?;
        let mut seen = PlantLook::of(plant, &run)?;
        if let Some(decided) = &plant.decided {
            let effect = site.effect(&plant.load, decided.by)?;
            (seen.gain, seen.less_cpu) = (Some(effect.gain), Some(effect.less_cpu));
        }
        Ok(seen)
    }

    /// What narrows says of the site, as a run file.
    fn look(&self, site: &Site<'_>, plant: &Plant, for_s: u32) -> Result<String> {
        let beside = plant.plant.sidecar.then(Sidecar::new).transpose()?;
        let mut command = match &beside {
            Some(beside) => beside.command(&self.ground.cpus[1..], &self.narrows),
            None => pinned(&self.ground.cpus[1..], &self.narrows),
        };
        command.args(["run", "--observe", &site.url(), "--for", &format!("{for_s}s")]);
        if let Some(run) = self.capacities.as_ref().filter(|_| plant.look == LookKind::Compare) {
            command.arg("--capacities").arg(run);
        }
        self.said(command)
    }

    /// A load of narrows' own with that plant.
    pub(super) fn own(&self, plant: &Plant) -> Result<PlantLook> {
        let workload = plant.workload.as_deref().context("a workload of ours is named")?;
        let limits = limits(&plant.plant, &self.ground.drive);
        let group = grouped("own", &limits, plant.plant.above, true)?;
        let hog = hog(&plant.plant, self.ground.cpus[0])?;
        let mut command = match &group {
            Some(group) => group.command(&self.narrows),
            None => Command::new(&self.narrows),
        };
        // Where a flush is slow inside the server the log's own flush must be known.
        let layers = if workload == "update" { "log,database" } else { "database" };
        command.args(["run", "--layers", layers, "--workloads", workload]);
        if plant.look == LookKind::Sketch {
            command.arg("--quick");
        }
        if plant.load != Load::default() {
            command.args(["--sessions", &plant.load.sessions.to_string()]);
        }
        let slow = slow_server(self.ground, &plant.server)?;
        if let Some(programs) = slow.or_else(|| self.postgres.clone()) {
            command.arg("--postgres").arg(programs);
        }
        let text = self.said(self.in_folder(command))?;
        if let Some(hog) = &hog {
            hog.check()?;
        }
        PlantLook::of(plant, &Run::from_json(&text).context("reading the run file")?)
    }

    fn in_folder(&self, mut command: Command) -> Command {
        command.arg("--data").arg(self.ground.folder).arg("--wal").arg(self.ground.folder);
        command
    }

    fn said(&self, mut command: Command) -> Result<String> {
        command.args(["--format", "json"]);
        command.env("XDG_DATA_HOME", self.ground.folder.join("runs"));
        output(command, self.ground.stop, &FINE)
    }
}

/// Load and plant were there to the end.
fn load_is_there(mut load: crate::program::Program, planted: &InPlace) -> Result<()> {
    load.check()?;
    planted.disturber.as_ref().map_or(Ok(()), Disturber::check)
}

/// What is planted; it goes when dropped.
struct InPlace {
    disturber: Option<Disturber>,
    proxy: Option<Proxy>,
    client: Option<Group>,
    _unused: Vec<Connection>,
    // Last, because a freezer needs it to the end.
    _server: Option<Arc<Group>>,
}

impl InPlace {
    fn put(planted: &Planted, site: &Site<'_>) -> Result<InPlace> {
        let ground = site.ground;
        let limits = limits(planted, &ground.drive);
        let later = planted.limits_after_s.map(|s| Duration::from_secs(s.into()));
        let server = grouped("server", &limits, planted.above, later.is_none())?.map(Arc::new);
        if let Some(group) = &server {
            site.cluster.pids().into_iter().try_for_each(|pid| group.take(pid))?;
        }
        let disturber = match (planted.frozen, later, &server) {
            (Some(share), _, Some(group)) => Some(Disturber::freezer(group.clone(), share)),
            (None, Some(after), Some(group)) => {
                Some(Disturber::limits_later(group.clone(), limits, after))
            }
            _ => hog(planted, ground.cpus[0])?,
        };
        let client = planted.client_cpus.map(|cpus| [Limit::Cpus(cpus)]);
        let delay = planted.proxy_us.map(Duration::from_micros);
        Ok(InPlace {
            disturber,
            proxy: delay
                .map(|delay| Proxy::start(&site.socket(), delay, &ground.cpus[1..]))
                .transpose()?,
            client: client.map(|limits| Group::with("client", &limits, false)).transpose()?,
            _unused: site.unused(planted.unused)?,
            _server: server,
        })
    }
}

fn hog(planted: &Planted, cpu: u32) -> Result<Option<Disturber>> {
    match (planted.hog, planted.hog_nice) {
        (Some(share), None) => Disturber::hog(cpu, share).map(Some),
        (None, Some(nice)) => Disturber::neighbour(cpu, nice).map(Some),
        (None, None) if planted.hog_idle => Disturber::idle_neighbour(cpu).map(Some),
        (None, None) => Ok(None),
        (Some(_), Some(_)) => anyhow::bail!("one hog at a time"),
    }
}

fn grouped(name: &str, limits: &[Limit], above: bool, limited: bool) -> Result<Option<Group>> {
    if limits.is_empty() {
        return Ok(None);
    }
    let make = if limited { Group::with } else { Group::for_limits };
    make(name, limits, above).context("making a control group with limits").map(Some)
}

fn limits(planted: &Planted, drive: &str) -> Vec<Limit> {
    [
        planted.cpus.map(Limit::Cpus),
        planted.reads_per_s.map(|per_s| Limit::Reads(drive.to_string(), per_s)),
        planted.writes_per_s.map(|per_s| Limit::Writes(drive.to_string(), per_s)),
        planted.frozen.map(|_| Limit::Freezer),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A folder with `postgres` and `initdb` that run the machine's own, the server with the library.
fn slow_server(ground: &Ground<'_>, server: &Server) -> Result<Option<PathBuf>> {
    let Some(library) = library(ground.folder, server)? else { return Ok(None) };
    let folder = ground.folder.join("programs");
    std::fs::create_dir_all(&folder)?;
    let us = server.slow_flush_us.unwrap_or_default();
    let slow = [("LD_PRELOAD", library.display().to_string()), ("SLOW_FLUSH_US", us.to_string())];
    let slow = slow.map(|(name, value)| (name.to_string(), value));
    wrapped(&folder, &ground.programs.found.bin_dir, &slow)?;
    Ok(Some(folder))
}
