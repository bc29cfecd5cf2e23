//! What an earlier run of this machine measured of drives, log and memory, taken over with its name and age.

use anyhow::Result;
use narrows_model::{Layer, Measurement, Observation, Platform, Role, Run, condition};
use narrows_postgres::observe::Monitor;
use serde_json::json;

use super::drives;
use crate::failure::Failure;
use crate::import::{Capacities, of_that_host};
use crate::store;

/// What was taken.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredCapacities {
    /// Each marked with the run it is of.
    pub measurements: Vec<Measurement>,
    /// Where they come from, in sentences.
    pub from: Vec<String>,
}

/// Takes what fits from a stored run; `server` is this machine with the server's folders.
///
/// # Errors
/// There is no such run, it is of another machine or other drives, or holds nothing of use.
pub fn take(name: &str, look: &Monitor, server: &Platform) -> Result<StoredCapacities> {
    let stored = store::load(&store::find(name)?)?;
    if look.postmaster().is_none() {
        return Err(Failure::hinted(
            "--capacities: the server's processes are not visible on this machine, whose drives the run measured",
            "run narrows on the server's own machine, outside of its container; or leave --capacities out",
        ));
    }
    let now = jiff::Timestamp::now();
    of(&stored, server, now).map_err(|reason| {
        Failure::hinted(
            format!("--capacities {name}: {reason}"),
            "measure this machine with `narrows run --layers memory,block,log --data DIR --wal DIR`, in folders on the \
             server's drives, at a quiet time",
        )
    })
}

/// Takes what a stored run has for a server whose own report was read. Which drives the server is on a report doesn't say.
///
/// # Errors
/// There is no such run, it is of another machine, or holds nothing of use.
pub(crate) fn beside_report(
    asked: Capacities<'_>,
    seen: &Observation,
    report: &str,
) -> Result<StoredCapacities> {
    let stored = store::load(&store::find(asked.run)?)?;
    let host = stored.platform().and_then(|platform| platform.hostname.clone());
    if !asked.same_machine {
        of_that_host(seen, host.as_deref().unwrap_or("a machine without a name"), report)?;
    }
    let chosen = |m: &&Measurement| {
        matches!(m.layer, Layer::Block | Layer::Log | Layer::Memory) && m.usable()
    };
    let source = format!("run {}, {}", stored.id, age(&stored, jiff::Timestamp::now()));
    let measurements: Vec<Measurement> =
        stored.measurements.iter().filter(chosen).map(|m| mark(m, &source)).collect();
    if measurements.is_empty() {
        return Err(Failure::hinted(
            format!("--capacities {}: it measured neither drives, WAL nor memory", asked.run),
            "measure the server's machine with `narrows run --layers memory,block,log --data DIR --wal DIR`, in folders on the \
             server's drives, at a quiet time",
        ));
    }
    Ok(StoredCapacities { measurements, from: vec![source] })
}

/// The measurement with the run that it is of.
fn mark(m: &Measurement, source: &str) -> Measurement {
    let mut m = m.clone();
    m.conditions.insert(condition::TAKEN_FROM, json!(source));
    m
}

/// The reason is a sentence without its subject.
fn of(stored: &Run, server: &Platform, now: jiff::Timestamp) -> Result<StoredCapacities, String> {
    let then = stored.platform().ok_or("it does not name its machine")?;
    match (&then.machine, &server.machine) {
        (Some(then), Some(now)) if then == now => {}
        (Some(_), Some(_)) => {
            let name = then.hostname.as_deref().unwrap_or("no name");
            return Err(format!("it is of another machine ({name})"));
        }
        _ => return Err("nothing shows whether it is of this machine: no /etc/machine-id".into()),
    }
    let fits = |layer, role: Role| -> Result<(), String> {
        let (theirs, own) = (drives::under(server, role), drives::under(then, role));
        if drives::same(&theirs, &own) {
            return Ok(());
        }
        let (own, theirs, what) = (drives::words(&own), drives::words(&theirs), role.word());
        Err(format!("its {layer} is of {own}, and the server's {what} is on {theirs}"))
    };
    let mut reasons = Vec::new();
    let mut layers = Vec::new();
    for (layer, role) in
        [(Layer::Block, Some(Role::Data)), (Layer::Log, Some(Role::Wal)), (Layer::Memory, None)]
    {
        let of_layer = |m: &&Measurement| m.layer == layer;
        if !stored.measurements.iter().any(|m| of_layer(&m)) {
            continue;
        }
        match role.map_or(Ok(()), |role| fits(layer.word(), role)) {
            Err(reason) => reasons.push(reason),
            Ok(()) if stored.measurements.iter().filter(of_layer).any(Measurement::usable) => {
                layers.push(layer);
            }
            Ok(()) => reasons.push(format!("none of its {} is valid", layer.word())),
        }
    }
    if layers.is_empty() {
        reasons.push("it measured neither drives, WAL nor memory".to_string());
        return Err(reasons.swap_remove(0));
    }
    let source = format!("run {}, {}", stored.id, age(stored, now));
    let chosen = |m: &&Measurement| layers.contains(&m.layer) && m.usable();
    let words: Vec<&str> = layers.iter().map(|layer| layer.word()).collect();
    let mut from = vec![format!("{}: {source}, on this machine", words.join(", "))];
    if then.kernel != server.kernel {
        from.push("the kernel was another one then".to_string());
    }
    from.extend(reasons.into_iter().map(|reason| format!("not used: {reason}")));
    Ok(StoredCapacities {
        measurements: stored.measurements.iter().filter(chosen).map(|m| mark(m, &source)).collect(),
        from,
    })
}

/// How long ago a run ended.
fn age(run: &Run, now: jiff::Timestamp) -> String {
    let ended = run.finished_at.as_ref().unwrap_or(&run.started_at).parse::<jiff::Timestamp>();
    let Ok(ended) = ended else { return "at an unknown time".to_string() };
    let hours = (now.as_second() - ended.as_second()) / 3600;
    match hours {
        ..1 => "less than an hour before".to_string(),
        1 => "an hour before".to_string(),
        2..48 => format!("{hours} hours before"),
        _ => format!("{} days before", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::Validity;

    use super::super::drives::testing::{drive, machine};
    use super::*;
    use crate::new_run::testing::empty_run;

    const NOW: &str = "2026-11-20T12:00:00Z";

    fn stored(id: Option<&str>, name: &str) -> Run {
        let mut run = empty_run(&[Layer::Block, Layer::Log]);
        run.finished_at = Some("2026-11-17T11:00:00Z".to_string());
        let roles = [(Role::Data, drive(name, 10)), (Role::Wal, drive("vdb", 5))];
        run.hosts[0].platform = machine(id, &roles);
        run.measurements = [
            ("block.read", Layer::Block),
            ("log.commit.1", Layer::Log),
            ("memory.read", Layer::Memory),
            ("clock.read", Layer::Clock),
        ]
        .map(|(id, layer)| Measurement::new(id, layer))
        .to_vec();
        run
    }

    fn here() -> Platform {
        machine(Some("a"), &[(Role::Data, drive("vda", 10)), (Role::Wal, drive("vdb", 5))])
    }

    fn taken(run: &Run, server: &Platform) -> Result<StoredCapacities, String> {
        of(run, server, NOW.parse().unwrap())
    }

    fn ids(taken: &StoredCapacities) -> Vec<&str> {
        taken.measurements.iter().map(|m| m.id.as_str()).collect()
    }

    #[test]
    fn layers_of_this_machine_are_taken_with_their_age() {
        let run = stored(Some("a"), "vda");
        let taken = taken(&run, &here()).unwrap();
        assert_eq!(ids(&taken), ["block.read", "log.commit.1", "memory.read"]);
        let marked = taken.measurements[0].text(condition::TAKEN_FROM).unwrap();
        assert_eq!(marked, format!("run {}, 3 days before", run.id));
        assert!(taken.from[0].starts_with("block, log, memory: run "), "{:?}", taken.from);
    }

    #[test]
    fn another_machine_is_refused_and_so_is_an_unknown_one() {
        let other = taken(&stored(Some("b"), "vda"), &here()).unwrap_err();
        assert!(other.contains("another machine"), "{other}");
        for unknown in [
            taken(&stored(None, "vda"), &here()),
            taken(&stored(Some("a"), "vda"), &machine(None, &[])),
        ] {
            assert!(unknown.unwrap_err().contains("machine-id"));
        }
    }

    #[test]
    fn other_drives_give_no_capacity_and_the_rest_is_taken() {
        let taken = taken(&stored(Some("a"), "vdc"), &here()).unwrap();
        assert_eq!(ids(&taken), ["log.commit.1", "memory.read"]);
        let said = taken.from.join("; ");
        assert!(said.contains("its block is of vdc, and the server's data is on vda"), "{said}");
    }

    #[test]
    fn what_is_not_valid_stays_where_it_is() {
        let mut run = stored(Some("a"), "vda");
        run.measurements.retain(|m| m.layer == Layer::Block);
        run.measurements[0].validity = Validity::Suspect;
        assert_eq!(taken(&run, &here()).unwrap_err(), "none of its block is valid");
        run.measurements.clear();
        assert!(taken(&run, &here()).unwrap_err().contains("measured neither"));
    }

    #[test]
    fn an_age_is_told_in_hours_and_days() {
        let mut run = stored(Some("a"), "vda");
        let mut at = |text: &str| {
            run.finished_at = Some(text.to_string());
            age(&run, NOW.parse().unwrap())
        };
        assert_eq!(at("2026-11-20T11:30:00Z"), "less than an hour before");
        assert_eq!(at("2026-11-20T05:00:00Z"), "7 hours before");
        assert_eq!(at("2026-11-10T05:00:00Z"), "10 days before");
    }
}
