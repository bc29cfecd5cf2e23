//! What a demand's way to another platform takes for granted, and what its source can't know.

use crate::demand::{Demand, PartKind};
use crate::description::Description;
use crate::sessions::{AS_MEASURED, Term};

/// Assumptions, in sentences.
pub(crate) fn taken(
    platform: &Description,
    demand: &Demand,
    core_ratio: Option<f64>,
) -> Vec<String> {
    let mut words = Vec::new();
    let mut machines: Vec<usize> = platform.databases.iter().map(|database| database.at).collect();
    machines.sort_unstable();
    machines.dedup();
    let runs = demand.cpu_ns.is_some()
        || demand.parts.iter().flatten().any(|part| part.kind == PartKind::Cpu);
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for machine in machines.into_iter().filter(|_| runs).map(|index| &platform.machines[index]) {
        let does = |ratio: f64, why: &str| {
            format!("does {ratio} times the work of one where it was measured: {why}")
        };
        let how = match (&machine.core_ratio, core_ratio) {
            (Some((ratio, source)), _) => does(*ratio, source),
            (None, Some(ratio)) => does(ratio, "--core-ratio"),
            (None, None) => "taken as one where it was measured (--core-ratio or core_ratio says \
                             otherwise)"
                .to_string(),
        };
        match told.iter_mut().find(|(known, _)| *known == how) {
            Some((_, names)) => names.push(&machine.name),
            None => told.push((how, vec![&machine.name])),
        }
    }
    words.extend(
        told.into_iter().map(|(how, names)| format!("a core of {} {how}", names.join(", "))),
    );
    if demand.threads_per_core > 1.0 && demand.cpu_ns.is_some() {
        words.push(format!(
            "a core has {} threads, as where it was measured: CPU time is that of a thread",
            demand.threads_per_core
        ));
    }
    if platform.databases.len() > 1 {
        words.push(format!(
            "each of the {} databases does the same; rates are those of all together",
            platform.databases.len()
        ));
    }
    let apart = platform.databases.iter().any(|database| database.wal.is_some());
    if demand.writes.is_some() && apart && demand.log.and_then(|log| log.counted()).is_some() {
        words.push("WAL writes are its flushes, each with one page more than its records fill; all other writes are the data's".to_string());
    }
    words
}

/// Parts of the time that are taken to last as long as where they were measured.
pub(crate) fn waits(terms: &[Term]) -> Vec<String> {
    let names = |pick: &dyn Fn(&Term) -> bool| {
        let same = terms.iter().filter(|term| pick(term));
        same.map(|term| term.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    // Where nothing is described a description would say otherwise; where it wouldn't, no hint is given.
    let lacks =
        |term: &Term| term.because.strip_prefix(AS_MEASURED).is_some_and(|more| !more.is_empty());
    let of = |kind| move |term: &Term| term.kind == kind && lacks(term);
    let told = [
        (names(&of(PartKind::Read)), " (read_latency of the drives says otherwise)"),
        (names(&of(PartKind::Flush)), " (write_latency of the WAL drives says otherwise)"),
        (names(&|term| term.because == AS_MEASURED), ""),
    ];
    let told = told.into_iter().filter(|(names, _)| !names.is_empty());
    told.map(|(names, hint)| format!("time in {names} as where it was measured{hint}")).collect()
}

/// What wasn't counted.
pub(crate) fn unknown(demand: &Demand) -> Vec<String> {
    let known = [
        (demand.cpu_ns.is_some(), "CPU time"),
        (demand.reads.is_some(), "reads"),
        (demand.writes.is_some(), "writes"),
        (demand.log.is_some(), "bytes of WAL"),
        (demand.parts.is_some(), "parts of the time"),
    ];
    let lacking: Vec<&str> =
        known.iter().filter(|(known, _)| !known).map(|(_, what)| *what).collect();
    let mut words = Vec::new();
    if !lacking.is_empty() {
        let all = lacking.join(", ");
        words.push(format!("{}: {all} of one {} were not measured", demand.name, demand.unit));
    }
    words.extend(demand.unknown.iter().map(|what| format!("{}: {what}", demand.name)));
    words
}
