//! Processors: which, in which cores, dies and packages; the hypervisor's and the clock's name.

use narrows_model::{GroupLevel, IdSet, Platform};

use super::{Fact, Facts, is, optional, or_none, sets};
use crate::lab::guest::{Cpus, Guest};

pub fn wanted(guest: &Guest) -> Facts {
    let cpus = &guest.cpus;
    let per_die = cpus.cores * cpus.threads;
    let several = cpus.dies > 1 && cpus.cores > 1;
    let cores: Vec<IdSet> = groups(cpus, cpus.threads);
    let smt = cores.iter().any(|core| core.len() > 1);
    named([
        (
            "hypervisor",
            is(if guest.says_hypervisor { "QEMU without hardware support (TCG)" } else { "none" }),
        ),
        ("clock source", is(guest.clock)),
        ("CPUs on-line", is(cpus.online().to_string())),
        ("CPUs off-line", or_none(cpus.offline.iter().copied().collect::<IdSet>().to_string())),
        ("CPUs that may be used", is(cpus.online().to_string())),
        ("CPUs of each core", sets(cores.into_iter())),
        ("CPUs of each package", sets(groups(cpus, cpus.dies * per_die).into_iter())),
        // A die that is its package, or one core, says nothing.
        ("CPUs of each die", sets(groups(cpus, per_die).into_iter().filter(|_| several))),
        // QEMU makes none on x86, nor cores of several kinds.
        ("CPUs of each cluster", is("none")),
        ("kinds of core", is("none")),
        ("SMT", is(yes(smt))),
    ])
}

/// Groups of so many, by number, without what is off-line.
fn groups(cpus: &Cpus, size: u32) -> Vec<IdSet> {
    let firsts = (0..cpus.count()).step_by(size.max(1) as usize);
    firsts.map(|first| cpus.without_offline(first..first + size)).collect()
}

pub fn found(platform: &Platform) -> Facts {
    let cpu = &platform.cpu;
    let level = |level| sets(cpu.groups_at(level).map(|group| group.cpus.clone()));
    let list = |cpus: &[u32]| is(IdSet::from(cpus).to_string());
    named([
        ("hypervisor", or_none(platform.hypervisor.clone().unwrap_or_default())),
        ("clock source", is(optional(platform.clock_source.as_ref()))),
        ("CPUs on-line", list(&cpu.online)),
        ("CPUs off-line", or_none(cpu.offline.to_string())),
        ("CPUs that may be used", list(&cpu.allowed)),
        ("CPUs of each core", sets(cpu.cores_threads.iter().map(|core| IdSet::from(&core[..])))),
        ("CPUs of each package", level(GroupLevel::Package)),
        ("CPUs of each die", level(GroupLevel::Die)),
        ("CPUs of each cluster", level(GroupLevel::Cluster)),
        (
            "kinds of core",
            or_none(
                cpu.kinds.iter().map(|kind| kind.cpus.to_string()).collect::<Vec<_>>().join("; "),
            ),
        ),
        ("SMT", is(cpu.smt_active.map_or("not known", yes))),
    ])
}

fn yes(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

fn named<const N: usize>(facts: [(&str, Fact); N]) -> Facts {
    facts.into_iter().map(|(name, fact)| (name.to_string(), fact)).collect()
}
