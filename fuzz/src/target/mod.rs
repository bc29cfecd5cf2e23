//! What is fuzzed: each target reads what others wrote, the way the command does, to the end.

mod addresses;
mod capture;
mod cost;
mod facts;
mod import;
mod job;
mod limits;
mod log_tier;
mod machine;
mod maria;
mod nvme_auth;
mod nvme_host;
mod nvme_target;
mod nvme_tls;
mod plan;
mod run;
mod talk;
mod wire;

const MIB: usize = 1 << 20;

/// One reader with its bounds.
pub struct Target {
    /// As `cargo xtask fuzz` names it.
    pub name: &'static str,
    /// Memory that reading one input may take, bytes.
    pub bytes_most: usize,
    /// Reads one input; panics where a property doesn't hold.
    pub check: fn(&[u8]),
}

const fn target(name: &'static str, bytes_most: usize, check: fn(&[u8])) -> Target {
    Target { name, bytes_most, check }
}

/// All of them.
pub const ALL: &[Target] = &[
    target("addresses", 4 * MIB, addresses::check),
    target("capture", 256 * MIB, capture::check),
    target("cost", 64 * MIB, cost::check),
    target("facts", 16 * MIB, facts::check),
    target("file", 64 * MIB, machine::one_file),
    target("import", 256 * MIB, import::check),
    target("job", 64 * MIB, job::check),
    target("limits", 64 * MIB, limits::check),
    target("log-tier", 16 * MIB, log_tier::check),
    target("machine", 64 * MIB, machine::whole),
    target("maria", 64 * MIB, maria::check),
    target("nvme-auth", 16 * MIB, nvme_auth::check),
    target("nvme-host", 16 * MIB, nvme_host::check),
    target("nvme-target", 96 * MIB, nvme_target::check),
    target("nvme-tls-hello", 16 * MIB, nvme_tls::hello),
    target("nvme-tls-host", 16 * MIB, nvme_tls::host),
    target("nvme-tls-pair", 64 * MIB, nvme_tls::pair),
    target("nvme-tls-target", 16 * MIB, nvme_tls::target),
    target("plan", 128 * MIB, plan::check),
    target("run", 128 * MIB, run::check),
    target("talk", 256 * MIB, talk::check),
    target("wire", 64 * MIB, wire::check),
];

/// The input as text, as a file is read that may hold anything.
fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}
