//! How an observed server stands beside its verdict.

use narrows_model::{ObservedSituation, ProcessorUser, TimeShare, TransactionTime};

use super::gains::gains;
use super::headroom::headroom;
use super::sentences::sentences;
use super::time::{parts_ns, time_ns};
use crate::analysis::Analysis;
use crate::threshold::NOT_WORTH_A_WORD;

/// `None` for workloads of ours.
pub(crate) fn standing(analysis: &Analysis) -> Option<ObservedSituation> {
    let observed = analysis.demand.observed.as_ref()?;
    let nearest = headroom(analysis);
    let mut standing = ObservedSituation {
        gains: gains(analysis, nearest.as_ref()),
        nearest,
        time: time(analysis),
        sessions_open: observed.open,
        sessions_at_work: observed.active(&analysis.demand.throughput).map(|n| n.value),
        users: users(analysis),
        sentences: Vec::new(),
        step: None,
    };
    standing.sentences = sentences(analysis, &standing);
    Some(standing)
}

fn time(analysis: &Analysis) -> Option<TransactionTime> {
    let observed = analysis.demand.observed.as_ref()?;
    let (account, whose) = observed.account(&analysis.demand.throughput)?;
    let summed_ns = time_ns(analysis)?.value;
    let parts = parts_ns(analysis)?;
    Some(TransactionTime {
        summed_ns,
        account_ns: account.value,
        account: whose,
        parts: parts
            .into_iter()
            .map(|(name, ns)| TimeShare {
                name: name.to_string(),
                ns_per_op: ns.value,
                interval_95: ns.interval(),
                share: ns.value / summed_ns,
            })
            .collect(),
    })
}

/// Who used the processors: the server's processes by their kind, the kernel threads and interrupts, processes of others.
fn users(analysis: &Analysis) -> Vec<ProcessorUser> {
    let processes = analysis.demand.observed.as_ref().and_then(|observed| observed.processes());
    let Some(processes) = processes else { return Vec::new() };
    let own = processes.classes.iter().map(|class| (class.class.words(), class.cpus));
    let least = processes.machine_cpus.max(processes.cpus()) * NOT_WORTH_A_WORD;
    let mut users: Vec<ProcessorUser> = own
        .chain(processes.beside_server())
        .filter(|(_, cpus)| *cpus > 0.0 && *cpus >= least)
        .map(|(who, cpus)| ProcessorUser { who: who.to_string(), cpus })
        .collect();
    users.sort_by(|a, b| b.cpus.total_cmp(&a.cpus));
    users
}
