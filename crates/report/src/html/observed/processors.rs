//! Who used the machine's CPUs: the server's processes by class, the kernel on nobody's account, others.

use narrows_model::{Observation, ObservedProcesses};
use narrows_units::significant;

use super::super::escape::text;
use super::super::{charts, table};
use crate::print::{count, percent};

/// Empty where the processes can't be seen.
pub(super) fn body(seen: &Observation) -> String {
    let Some(processes) = &seen.processes else { return String::new() };
    let allowed = processes.allowed_cpus;
    let row = |who: &str, cpus: f64, queue: Option<f64>| {
        let share = (allowed > 0.0).then_some(cpus / allowed);
        vec![
            text(who),
            significant(cpus, 3),
            share.map_or(String::new(), |share| charts::share_bar(share).to_string()),
            share.map_or_else(|| "-".to_string(), percent),
            queue.map_or_else(|| "-".to_string(), |n| significant(n, 3)),
        ]
    };
    let classes = processes.classes.iter().filter(|class| class.cpus > 0.0);
    let mut rows: Vec<Vec<String>> =
        classes.map(|class| row(class.class.words(), class.cpus, class.run_queue)).collect();
    let others = [
        ("kernel on nobody's account", processes.kernel_cpus),
        ("processes of others", processes.other_cpus),
        ("the whole machine", Some(processes.machine_cpus)),
    ];
    rows.extend(others.into_iter().filter_map(|(who, cpus)| Some(row(who, cpus?, None))));
    let of = format!("of {}>", count(allowed));
    let headers = ["", "CPUs>", "", of.as_str(), "ready to run>"];
    format!("<p class=\"soft\">{}</p>{}", text(&sentence(processes)), table(&headers, &rows))
}

fn sentence(processes: &ObservedProcesses) -> String {
    let mut text =
        format!("The server may use {} of the machine's CPUs", count(processes.allowed_cpus));
    if let Some(quota) = processes.quota_cpus {
        text += &format!(", its control group's quota is {}", count(quota));
        if let Some(share) = processes.throttled_share {
            text += &format!(" and stopped it in {} of the periods", percent(share));
        }
    }
    if let Some(hot) = &processes.hot {
        text += &format!(
            ". The busiest process ({}) took {} of one CPU; for {} of the look it was the same one",
            hot.class.words(),
            percent(hot.cpus),
            percent(hot.share_of_windows)
        );
    }
    text + "."
}
