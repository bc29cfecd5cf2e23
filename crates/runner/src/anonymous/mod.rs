//! A run that names nobody (`--anonymous`): what a run file and the screen have of names is decided here, and nowhere else.
//!
//! By the kind of what stands in a field: every field of a run is taken apart below, so that a new one doesn't compile until somebody
//! has decided what it is. Left out are names and addresses of machines, ports, users, databases, roles, standbys, programs of
//! others, folders, mount points and what is mounted there, ids of machines and boots. What a figure means needs to stay: versions,
//! models of processors and drives, kernel names of devices (`nvme0n1`), settings, counts. Serial numbers are in no inventory.
//! Sentences are made from the run after it was taken apart; those that were made before lose the names that are known by then.
//!
//! Not here: archives of a machine's files, which `narrows gather` scrubs.

mod consumers;
mod names;
mod screen;

use std::sync::Mutex;

use narrows_model::{
    Comparison, Conditions, CrashTest, DatabaseChoice, FileSystem, Finding, FlushTest, Host,
    LiveLog, LiveSetting, Measurement, Observation, Plan, Platform, RolePath, Run, RunningDatabase,
    Unknown, condition,
};
use serde_json::Value;

use crate::block::remote::NAMESPACE;
use crate::failure::{self, Failure};
use crate::plan_document::PlanDocument;
use crate::request::Address;
use names::{Names, Of};
pub(crate) use screen::AnonymousUi;

/// Stands for what is set and not told.
const SET: &str = "(set)";
/// Stands for an argument that may be a name.
const LEFT_OUT: &str = "…";
/// Options whose values are numbers, times or words of ours.
const TOLD: [&str; 7] =
    ["--for", "--format", "--layers", "--seed", "--sessions", "--units", "--workloads"];
/// Settings whose values are names, and the port.
const NAMING: [&str; 6] = [
    "cluster_name",
    "listen_addresses",
    "port",
    "primary_conninfo",
    "primary_slot_name",
    "synchronous_standby_names",
];
/// Keys of a measurement under which a folder or file stands.
const PLACES: [condition::Key<str>; 2] = [condition::FOLDER, condition::FILE];
/// Keys under which a sentence stands that may quote a name.
const SENTENCES: [condition::Key<str>; 7] = [
    condition::DEVICE,
    condition::DIRECT_REFUSED,
    condition::ENCRYPTION,
    condition::FIRST_ERROR,
    condition::IO_URING_REFUSED,
    condition::SERVER_SOURCE,
    condition::TAKEN_FROM,
];

/// Takes names out, the same ones in the same way each time.
#[derive(Debug, Default)]
pub(crate) struct Anonymous(Mutex<Names>);

impl Anonymous {
    /// Of a command that is given the address of a database, and those of storage.
    pub(crate) fn of(address: Option<&Address>, storage: &[String]) -> Anonymous {
        let mut names = Names::default();
        if let Some(address) = address {
            names.address(address);
        }
        storage.iter().for_each(|address| names.storage(address));
        Anonymous(Mutex::new(names))
    }

    /// The run without names. What follows from it is to be drawn from that.
    pub(crate) fn run(&self, run: &Run) -> Run {
        let mut run = run.clone();
        take_apart(&mut self.0.lock().expect("renaming does not panic"), &mut run);
        run
    }

    /// A line for the screen, without the names that are known by now.
    pub(crate) fn text(&self, text: &str) -> String {
        self.0.lock().expect("renaming does not panic").sentence(text)
    }

    /// An error, without them.
    pub(crate) fn error(&self, error: &anyhow::Error) -> anyhow::Error {
        let mut text = failure::render(error);
        // Of a server that runs here its folders are named.
        self.0.lock().expect("renaming does not panic").rename_sentence(&mut text);
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        match text.split_once("\nhint: ") {
            Some((what, hint)) => Failure::hinted(what, hint),
            None => anyhow::Error::msg(text.to_string()),
        }
    }

    /// A plan for programs, without them.
    pub(crate) fn plan(&self, document: &PlanDocument) -> PlanDocument {
        let mut document = document.clone();
        let mut names = self.0.lock().expect("renaming does not panic");
        of_plan(&mut names, &mut document.plan);
        for folder in &mut document.folders {
            names.rename(Of::Folder, &mut folder.folder);
        }
        let refused = document.refused.iter_mut();
        let refused = refused.flat_map(|refused| {
            [Some(&mut refused.reason), refused.part.as_mut(), refused.hint.as_mut()]
        });
        let said = document.checks.iter_mut().chain(&mut document.notes);
        for text in said.chain(refused.flatten()) {
            *text = names.sentence(text);
        }
        document
    }

    /// Learns the names of a plan, a machine and devices before anything is said of them.
    pub(crate) fn learn(&self, plan: &Plan, platform: &Platform, serials: &[String]) {
        let mut names = self.0.lock().expect("renaming does not panic");
        for serial in serials {
            names.name(Of::Serial, serial);
        }
        of_plan(&mut names, &mut plan.clone());
        of_platform(&mut names, &mut platform.clone());
    }
}

fn take_apart(names: &mut Names, run: &mut Run) {
    let Run {
        schema: _,
        id: _,
        tool: _,
        command,
        started_at: _,
        finished_at: _,
        anonymous,
        completed: _,
        plan,
        hosts,
        measurements,
        findings,
        // Made of what is below and above, once that has no names.
        verdicts: _,
        causes: _,
        calibrations: _,
        durability: _,
        crash_tests,
        comparison,
        live_logs,
        observations,
        scalings: _,
        starts: _,
        file_sharing: _,
        highest_rates: _,
        flush_tests,
        other_programs,
    } = run;
    *anonymous = true;
    of_command(command);
    of_plan(names, plan);
    for Host { role: _, platform, clock_offset_ns: _ } in hosts {
        of_platform(names, platform);
    }
    observations.iter_mut().for_each(|seen| of_observation(names, seen));
    live_logs.iter_mut().for_each(|log| of_live_log(names, log));
    crash_tests.iter_mut().for_each(|test| of_crash_test(names, test));
    if let Some(comparison) = comparison {
        of_comparison(names, comparison);
    }
    for FlushTest { source, seconds_per_test: _, direct: _, rows: _ } in flush_tests {
        names.rename(Of::Folder, source);
    }
    // Threads of the kernel too: some have a resource's or a mount's name in theirs.
    for program in other_programs {
        names.rename(Of::Program, &mut program.name);
    }
    measurements.iter_mut().for_each(|measurement| of_measurement(names, measurement));
    // Of a run that is not judged yet: why something was not measured.
    for Finding { id: _, severity: _, measurement: _, summary, evidence, advice, places: _ } in
        findings
    {
        [summary, evidence, advice].into_iter().for_each(|text| names.rename_sentence(text));
    }
}

/// The command's own words, its options, and values that are no names.
fn of_command(command: &mut [String]) {
    let Some((program, arguments)) = command.split_first_mut() else { return };
    *program = "narrows".to_string();
    let words = own_words(arguments);
    let mut told = false;
    for argument in &mut arguments[words..] {
        match argument.split_once('=') {
            Some((option, _)) if option.starts_with('-') => {
                if !TOLD.contains(&option) {
                    *argument = format!("{option}={LEFT_OUT}");
                }
                told = false;
            }
            _ if argument.starts_with("--") => told = TOLD.contains(&argument.as_str()),
            _ if argument.starts_with('-') => {
                // A value may be joined to its letter.
                if let Some((end, _)) = argument.char_indices().nth(2) {
                    argument.replace_range(end.., LEFT_OUT);
                }
                told = false;
            }
            _ => {
                if !told {
                    *argument = LEFT_OUT.to_string();
                }
                told = false;
            }
        }
    }
}

/// How many of the arguments are the command itself: a database may be called anything, a word of ours too.
fn own_words(arguments: &[String]) -> usize {
    const COMMANDS: [&[&str]; 4] =
        [&["log", "postgres"], &["observe"], &["run"], &["fabric", "split"]];
    let begins = |command: &&&[&str]| {
        command.len() <= arguments.len() && command.iter().zip(arguments).all(|(a, b)| a == b)
    };
    COMMANDS.iter().find(begins).map_or(0, |command| command.len())
}

fn of_plan(names: &mut Names, plan: &mut Plan) {
    let Plan {
        quick: _,
        layers: _,
        data_dir,
        wal_dir,
        database,
        workloads: _,
        sessions: _,
        repeats: _,
        seed: _,
        file_bytes: _,
        table_bytes: _,
        shared_buffers_bytes: _,
        server_cpus: _,
        client_cpus: _,
        steps,
    } = plan;
    names.rename_place(data_dir);
    names.rename_place(wal_dir);
    if let DatabaseChoice::Url(address) = database {
        names.rename_address(address);
    }
    steps.iter_mut().for_each(|step| names.rename_sentence(&mut step.what));
}

fn of_platform(names: &mut Names, platform: &mut Platform) {
    let Platform {
        hostname,
        machine,
        boot_id,
        kernel: _,
        os: _,
        architecture: _,
        product: _,
        hypervisor: _,
        container: _,
        cpu: _,
        caches: _,
        nodes: _,
        empty_nodes: _,
        allowed_nodes: _,
        memory: _,
        clock_source: _,
        clock_sources_available: _,
        cgroup: _,
        io_uring_disabled: _,
        perf_event_paranoid: _,
        idle: _,
        devices: _,
        roles,
        databases,
        load_1m: _,
        captured,
        unknown,
    } = platform;
    let answers = captured.iter_mut().flat_map(|captured| &mut captured.answers);
    answers.for_each(|text| names.rename_sentence(text));
    names.rename_any(Of::Host, hostname);
    names.rename_any(Of::Machine, machine);
    names.rename_any(Of::Boot, boot_id);
    for RolePath { role: _, path, file_system, devices: _ } in roles {
        names.rename_place(path);
        of_file_system(names, file_system);
    }
    for RunningDatabase { kind: _, pid: _, data_dir, shares_role: _ } in databases {
        names.rename_any(Of::Folder, data_dir);
    }
    of_unknown(names, unknown);
}

fn of_file_system(names: &mut Names, file_system: &mut FileSystem) {
    let FileSystem {
        kind,
        mount_point,
        source,
        options,
        total_bytes: _,
        free_bytes: _,
        read_only: _,
        volatile: _,
        network: _,
        overlay: _,
        this_machine: _,
        behind: _,
    } = file_system;
    names.rename(Of::Folder, mount_point);
    // Of a namespace of a storage target it is the controller's model.
    if !is_kernels_device(source) && kind != NAMESPACE {
        names.rename(Of::Source, source);
    }
    // Servers, folders of layers, labels.
    options.retain(|option| match option.split_once('=') {
        Some((_, value)) => value.chars().all(|c| c.is_ascii_alphanumeric()) && value.len() < 12,
        None => true,
    });
}

/// `/dev/nvme0n1p2`, and not `/dev/mapper/acme-data`.
fn is_kernels_device(source: &str) -> bool {
    let name = source.strip_prefix("/dev/").unwrap_or_default();
    let kernels = ["nvme", "sd", "vd", "xvd", "md", "dm-", "loop", "mmcblk", "zram", "ram", "pmem"];
    kernels.iter().any(|kind| {
        let rest = name.strip_prefix(kind);
        rest.is_some_and(|rest| rest.len() < 10 && rest.chars().all(|c| c.is_ascii_alphanumeric()))
    })
}

fn of_unknown(names: &mut Names, unknown: &mut [Unknown]) {
    for Unknown { what, needs } in unknown {
        names.rename_sentence(what);
        names.rename_sentence(needs);
    }
}

fn of_settings(settings: &mut [LiveSetting]) {
    for LiveSetting { name, value, source: _ } in settings {
        let names = NAMING.contains(&name.as_str()) || value.starts_with('/');
        if names && !value.is_empty() {
            *value = SET.to_string();
        }
    }
}

fn of_observation(names: &mut Names, seen: &mut Observation) {
    let Observation {
        measurement: _,
        address,
        version: _,
        interval_ns: _,
        load_change: _,
        windows: _,
        counted: _,
        activity: _,
        sessions: _,
        consumers,
        processes,
        settings,
        build,
        capacities_from,
        report,
        cost: _,
        unknown,
    } = seen;
    match report {
        Some(report) => {
            names.rename_any(Of::Host, &mut report.host);
            *address = "an instance".to_string();
        }
        None => names.rename_address(address),
    }
    if let Some(consumers) = consumers {
        consumers::rename(names, consumers);
    }
    for program in processes.iter_mut().flat_map(|processes| &mut processes.other_programs) {
        names.rename(Of::Program, &mut program.name);
    }
    of_settings(settings);
    // Of the house that built it, with its folders.
    build.retain(|(name, _)| name != "CONFIGURE");
    capacities_from.iter_mut().for_each(|text| names.rename_sentence(text));
    of_unknown(names, unknown);
}

fn of_live_log(names: &mut Names, log: &mut LiveLog) {
    let LiveLog {
        measurement: _,
        address,
        version: _,
        counted: _,
        waits: _,
        cpus: _,
        settings,
        synchronous_commit_of,
        standbys,
        cost: _,
        unknown,
        verdict: _,
    } = log;
    names.rename_address(address);
    of_settings(settings);
    for text in synchronous_commit_of {
        // Of a role, a database, or both.
        let (whose, value) = text.rsplit_once(" = ").unwrap_or((text, ""));
        *text = format!("{} = {value}", names.name(Of::User, whose));
    }
    standbys.iter_mut().for_each(|standby| names.rename(Of::Standby, &mut standby.name));
    of_unknown(names, unknown);
}

fn of_crash_test(names: &mut Names, test: &mut CrashTest) {
    names.rename(Of::Folder, &mut test.target);
    names.rename_any(Of::Host, &mut test.host);
    names.rename_any(Of::Machine, &mut test.machine);
    names.rename_any(Of::Boot, &mut test.boot_id);
    names.rename_any(Of::Folder, &mut test.mount_point);
    let said = test.sentences.iter_mut().chain(&mut test.cut).chain(&mut test.told);
    said.for_each(|text| names.rename_sentence(text));
}

fn of_comparison(names: &mut Names, comparison: &mut Comparison) {
    for place in &mut comparison.placements {
        names.rename(Of::Folder, &mut place.folder);
        let texts = [&mut place.file_system, &mut place.durability_sentence].into_iter();
        texts.chain(&mut place.reason).for_each(|text| names.rename_sentence(text));
    }
    comparison.sentences.iter_mut().for_each(|text| names.rename_sentence(text));
}

fn of_measurement(names: &mut Names, measurement: &mut Measurement) {
    for conditions in [&mut measurement.workload, &mut measurement.conditions] {
        of_conditions(names, conditions);
    }
}

fn of_conditions(names: &mut Names, conditions: &mut Conditions) {
    let text = |conditions: &Conditions, key| conditions.get(key).map(str::to_string);
    for key in PLACES {
        if let Some(mut place) = text(conditions, key) {
            names.rename(Of::Folder, &mut place);
            conditions.insert(key, place);
        }
    }
    if let Some(mut interface) = text(conditions, condition::INTERFACE) {
        names.rename(Of::Interface, &mut interface);
        conditions.insert(condition::INTERFACE, interface);
    }
    for key in SENTENCES {
        if let Some(mut sentence) = text(conditions, key) {
            names.rename_sentence(&mut sentence);
            conditions.insert(key, sentence);
        }
    }
    if let Some(Value::Object(build)) = conditions.get(condition::SERVER_BUILD) {
        let mut build = build.clone();
        build.remove("CONFIGURE");
        conditions.insert(condition::SERVER_BUILD, build);
    }
    // Settings of a server stand among them by their own names, or in an object.
    let Ok(Value::Object(mut all)) = serde_json::to_value(&*conditions) else { return };
    for (name, value) in &mut all {
        if name == condition::SERVER_SETTINGS.name() {
            let settings = value.as_object_mut().into_iter().flatten();
            settings.for_each(|(name, value)| of_setting(name, value, &['/', '@', '=', ' ']));
        } else if !PLACES.iter().any(|key| key.name() == name) {
            of_setting(name, value, &[]);
        }
    }
    *conditions = serde_json::from_value(Value::Object(all)).unwrap_or_default();
}

/// `naming`: what a text has that may hold a name, a command or a connection for instance.
fn of_setting(name: &str, value: &mut Value, naming: &[char]) {
    let named = |text: &str| text.starts_with('/') || text.contains(naming);
    if value.as_str().is_some_and(named) || (NAMING.contains(&name) && *value != "") {
        *value = SET.into();
    }
}

#[cfg(test)]
mod tests;
