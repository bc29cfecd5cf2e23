//! The one phrase for the screen. It carries the figure that the verdict rests on.

use narrows_model::Bottleneck;
use narrows_units::Ratio;

use crate::analysis::Analysis;
use crate::bound::BoundLaw;
use crate::choice::Choice;
use crate::observed;
use crate::processors;
use crate::session::TimeComponent;

/// "CPU, 97 % busy", "read latency; drives 22 % busy, CPU 49 %".
pub(crate) fn phrase(analysis: &Analysis, choice: &Choice) -> String {
    if let Some(or) = choice.or {
        return format!("{} or {}, too close to tell", choice.winner.narrow.words(), or.words());
    }
    if let Some(phrase) = observed::phrase(analysis, choice) {
        return phrase;
    }
    let own = Ratio(choice.winner.utilisation(analysis.demand.rate()));
    let subject = choice.winner.narrow.words();
    match choice.winner.narrow {
        Bottleneck::Cpu => match processors::given(analysis.run, &analysis.demand) {
            Some(given) => format!("CPU, {own} busy (server has {given} CPUs)"),
            None => format!("CPU, {own} busy"),
        },
        Bottleneck::CpuQuota if choice.winner.place == BoundLaw::Cpu => {
            let cpus = choice.winner.capacity.value;
            format!("CPU quota of {cpus:.2} CPUs, {own} used")
        }
        Bottleneck::CpuTaken if choice.winner.place == BoundLaw::Cpu => {
            let cpu = &analysis.demand.cpu;
            let taken = cpu.taken.unwrap_or(0.0);
            let set = cpu.set.unwrap_or(choice.winner.capacity.value);
            let cpus = if set.round() == 1.0 { "CPU" } else { "CPUs" };
            format!(
                "CPU used by other programs: {taken:.1} of {set:.0} {cpus}; the server used {own} of the rest"
            )
        }
        Bottleneck::CpuPerSession => {
            format!("{subject}; {}", busy(analysis, &[(BoundLaw::Cpu, "all CPUs")]))
        }
        Bottleneck::Client if choice.part == Some(TimeComponent::Pause) => {
            let share =
                analysis.demand.think_ns * 1e-9 * analysis.demand.rate() / analysis.demand.servers;
            let others = busy(analysis, &[(BoundLaw::Cpu, "CPU")]);
            let pauses = format!("the sessions' own pauses, {} of their time", Ratio(share));
            if others.is_empty() { pauses } else { format!("{pauses}; {others}") }
        }
        Bottleneck::ReadLatency | Bottleneck::Lock | Bottleneck::Unknown | Bottleneck::Client => {
            let others = busy(analysis, &[(BoundLaw::Drives, "drives"), (BoundLaw::Cpu, "CPU")]);
            if others.is_empty() { subject.to_string() } else { format!("{subject}; {others}") }
        }
        Bottleneck::CommitInsideServer => match analysis.inside {
            Some(slower) => format!(
                "{subject}{}: a flush there takes {} times as long as outside it",
                held(choice),
                times(slower.times)
            ),
            None => subject.to_string(),
        },
        Bottleneck::CommitWait => {
            let others = busy(analysis, &[(BoundLaw::Cpu, "CPU"), (BoundLaw::Writes, "drives")]);
            let drives =
                if analysis.bound(BoundLaw::Writes).is_none() { ", drives unknown" } else { "" };
            format!("{subject}{}; {others}{drives}", held(choice))
        }
        Bottleneck::Workers => {
            let on_cpu = analysis.demand.time.cpu.or(analysis.demand.cpu.server_ns).map(|ns| {
                Ratio(ns.value * 1e-9 * analysis.demand.rate() / analysis.demand.servers)
            });
            let others = busy(analysis, &[(BoundLaw::ReadBytes, "drives"), (BoundLaw::Cpu, "CPU")]);
            match on_cpu {
                Some(share) => format!("{subject}, {share} on CPU; {others}"),
                None => format!("{subject}; {others}"),
            }
        }
        Bottleneck::HotThread => format!("{}, {} busy", choice.winner.label, hot(analysis)),
        Bottleneck::CpuQuota | Bottleneck::CpuTaken => {
            format!("{subject}; {}", busy(analysis, &[(BoundLaw::Cpu, "CPU")]))
        }
        Bottleneck::ReadRate
        | Bottleneck::ReadBandwidth
        | Bottleneck::WriteRate
        | Bottleneck::IoLimit => {
            format!("{subject}, {own} used")
        }
    }
}

fn busy(analysis: &Analysis, places: &[(BoundLaw, &str)]) -> String {
    let rate = analysis.demand.rate();
    let known = places.iter().filter_map(|(place, label)| {
        analysis.bound(*place).map(|bound| (label, Ratio(bound.utilisation(rate))))
    });
    let mut words = Vec::new();
    for (label, share) in known {
        let busy = if words.is_empty() { " busy" } else { "" };
        words.push(format!("{label} {share}{busy}"));
    }
    words.join(", ")
}

/// What a wait for the log is where most of the time goes into locks.
fn held(choice: &Choice) -> &'static str {
    match choice.part {
        Some(TimeComponent::Lock) => ", with locks held through the flush",
        _ => "",
    }
}

fn hot(analysis: &Analysis) -> Ratio {
    Ratio(analysis.demand.hot_thread.as_ref().map_or(1.0, |(busy, _)| *busy))
}

fn times(factor: f64) -> String {
    if factor < 9.95 { format!("{factor:.1}") } else { format!("{factor:.0}") }
}
