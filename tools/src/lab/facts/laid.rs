//! Where memory was laid: a process's pool, and every cell of the matrix of nodes. Never how fast it was: nodes are emulated.

use narrows_model::{Measurement, Run};

use super::{Fact, Facts};
use crate::lab::guest::Guest;

const POLICIES: [&str; 5] = ["local", "remote", "interleaved", "weighted", "one_node"];

/// The pool on its node; all of each cell's memory on the cell's node, at the firmware's distance; each policy laid as it should be.
pub fn wanted(guest: &Guest) -> Facts {
    let mut facts = Facts::new();
    let is = |text: String| Fact::Is(text);
    if let Some(pool) = &guest.pool {
        facts.insert("pool".into(), is(format!("{} MiB, one node", pool.mib)));
        facts.insert("pool's node".into(), is(format!("{}: 100 %", pool.node)));
        facts.insert("pool's pages in no table".into(), is("0".into()));
    }
    let with_memory = guest.nodes.iter().enumerate().filter(|(_, node)| node.memory_mib > 0);
    for (from, _) in guest.nodes.iter().enumerate().filter(|(_, node)| node.cpus.is_some()) {
        for (to, _) in with_memory.clone() {
            let distance = guest.distances[from][to];
            for what in ["latency", "read"] {
                let name = format!("cell {what} from {from} to {to}");
                facts.insert(name, is(format!("distance {distance}")));
            }
            facts.insert(format!("cell from {from} to {to}, on its node"), is("100 %".into()));
        }
    }
    for policy in POLICIES {
        for what in ["latency", "read"] {
            facts.insert(format!("policy {policy}, {what}"), is("measured, predicted".into()));
        }
    }
    facts
}

/// What the two runs say.
pub fn found(placed: &Run, matrix: &Run) -> Facts {
    let mut facts = Facts::new();
    let is = |text: String| Fact::Is(text);
    let pools = placed.measurements.iter().filter(|m| m.id != "memory.placement.counters");
    for m in pools.filter(|m| {
        m.text(narrows_model::condition::OWNER) == Some("perl")
            && m.text(narrows_model::condition::SHAPE).is_some()
    }) {
        let mib = m.number(narrows_model::condition::BYTES).unwrap_or(0.0) / f64::from(1 << 20);
        facts.insert(
            "pool".into(),
            is(format!("{mib:.0} MiB, {}", m.text(narrows_model::condition::SHAPE).unwrap_or("?"))),
        );
        let shares = m.conditions.get(narrows_model::condition::SHARE_BY_NODE);
        let told: Vec<String> = shares
            .into_iter()
            .flatten()
            .map(|(node, share)| format!("{node}: {}", percent(share.as_f64())))
            .collect();
        facts.insert("pool's node".into(), is(told.join(", ")));
        let nowhere = m.number(narrows_model::condition::PAGES_IN_NO_TABLE).unwrap_or(f64::NAN);
        facts.insert("pool's pages in no table".into(), is(format!("{nowhere}")));
    }
    for m in &matrix.measurements {
        cell(m, &mut facts);
        let policy = m.id.strip_prefix("memory.policy.").and_then(|rest| rest.split_once('.'));
        if let Some((what, policy)) = policy {
            let predicted = [
                narrows_model::condition::PREDICTED_NS.any(),
                narrows_model::condition::PREDICTED_BYTES_PER_S.any(),
            ];
            let said = predicted.iter().any(|key| m.conditions.contains(*key));
            let said = if said { "measured, predicted" } else { "measured" };
            facts.insert(format!("policy {policy}, {what}"), is(said.to_string()));
        }
    }
    facts
}

fn cell(m: &Measurement, facts: &mut Facts) {
    let Some((what, cell)) =
        m.id.strip_prefix("memory.matrix.").and_then(|rest| rest.split_once('.'))
    else {
        return;
    };
    let Some((from, to)) = cell.strip_prefix("from").and_then(|rest| rest.split_once(".to")) else {
        return;
    };
    let distance = m
        .number(narrows_model::condition::DISTANCE)
        .map_or("unknown".to_string(), |d| format!("{d}"));
    facts.insert(
        format!("cell {what} from {from} to {to}"),
        Fact::Is(format!("distance {distance}")),
    );
    if let Some(share) = m.number(narrows_model::condition::NODE_SHARE) {
        let name = format!("cell from {from} to {to}, on its node");
        facts.insert(name, Fact::Is(percent(Some(share))));
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or("?".to_string(), |share| format!("{:.0} %", share * 100.0))
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, Plan, Platform};
    use serde_json::json;

    use super::*;
    use crate::lab::compare::differences;
    use crate::lab::guests;

    fn run(measurements: Vec<Measurement>) -> Run {
        let plan: Plan = serde_json::from_value(json!({
            "quick": false, "layers": ["memory"], "data_dir": "", "wal_dir": "", "database": "none", "workloads": [],
            "sessions": 0, "repeats": 1, "seed": 1, "file_bytes": 0, "table_bytes": 0, "shared_buffers_bytes": 0,
            "server_cpus": [], "client_cpus": [], "steps": []
        }))
        .unwrap();
        Run { measurements, ..Run::blank(plan, Platform::default()) }
    }

    /// A pool on that node, and one cell.
    fn answers(node: &str, distance: u32) -> Facts {
        let mut pool = Measurement::new("memory.placement.1", Layer::Memory);
        pool.workload.insert(narrows_model::condition::OWNER, json!("perl"));
        pool.workload.insert(narrows_model::condition::BYTES, json!(48 << 20));
        pool.conditions.insert(narrows_model::condition::SHAPE, json!("one node"));
        pool.conditions.insert(narrows_model::condition::SHARE_BY_NODE, json!({ node: 1.0 }));
        pool.conditions.insert(narrows_model::condition::PAGES_IN_NO_TABLE, json!(0));
        let mut cell = Measurement::new("memory.matrix.latency.from0.to2", Layer::Memory);
        cell.conditions.insert(narrows_model::condition::DISTANCE, json!(distance));
        cell.conditions.insert(narrows_model::condition::NODE_SHARE, json!(1.0));
        found(&run(vec![pool]), &run(vec![cell]))
    }

    #[test]
    fn a_pool_or_a_cell_elsewhere_is_noticed() {
        let guest = guests::all().into_iter().find(|guest| guest.pool.is_some()).unwrap();
        let of = |facts: &Facts| {
            let wanted = wanted(&guest);
            let here: Facts =
                wanted.into_iter().filter(|(name, _)| facts.contains_key(name)).collect();
            differences(&here, facts).len()
        };
        assert_eq!(answers("1", 31).len(), 5);
        assert_eq!(of(&answers("1", 31)), 0);
        assert_eq!(of(&answers("0", 31)), 1, "the pool's node");
        assert_eq!(of(&answers("1", 32)), 1, "the cell's distance");
    }
}
