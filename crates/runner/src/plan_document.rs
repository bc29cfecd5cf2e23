//! What a dry run shows, for programs (`--dry-run --format json`): the plan as a run file has it, with what was checked and what the run
//! would refuse.

use narrows_model::Plan;
use serde::Serialize;

/// Its form; a newer one has another number where a reader of this one would misread it.
const SCHEMA: &str = "narrows.plan/1";

/// A plan with what a dry run found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanDocument {
    /// `narrows.plan/1`.
    pub schema: String,
    /// As the run file would have it, its steps among it.
    #[serde(flatten)]
    pub plan: Plan,
    /// Folders in which files are made.
    pub folders: Vec<PlanFolder>,
    /// What was checked and is well, each in a few words.
    pub checks: Vec<String>,
    /// What the storage is that limits what the figures will mean, each in a sentence; findings of the run say it again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the run would refuse, or measure nothing of.
    pub refused: Vec<PlanRefusal>,
    /// Of all steps.
    pub total: PlanTotal,
}

/// A folder in which files are made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanFolder {
    /// Its path.
    pub folder: String,
    /// `ext4`, `xfs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
    /// Free for this user, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    /// The most that the run's files take at a time, bytes.
    pub needs_bytes: u64,
    /// Whether this user can make files there.
    pub writable: bool,
    /// Whether what is written there lives in memory.
    pub volatile: bool,
}

/// Something that the run would refuse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanRefusal {
    /// The part that would be missing; absent where all of it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Why.
    pub reason: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Of all steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanTotal {
    /// How long they should take, s.
    pub expected_s: f64,
    /// Bytes that they write, at most.
    pub writes_bytes: u64,
}

impl PlanDocument {
    /// Of a plan.
    pub fn new(
        plan: &Plan,
        folders: Vec<PlanFolder>,
        (checks, notes): (Vec<String>, Vec<String>),
        refused: Vec<PlanRefusal>,
    ) -> PlanDocument {
        PlanDocument {
            schema: SCHEMA.to_string(),
            plan: plan.clone(),
            folders,
            checks,
            notes,
            refused,
            total: PlanTotal { expected_s: plan.expected_s(), writes_bytes: plan.writes_bytes() },
        }
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, PlannedStep};

    use super::*;

    #[test]
    fn the_plan_stands_in_it_as_in_a_run_file_and_what_is_unknown_is_absent() {
        let step = |expected_s, writes_bytes| PlannedStep {
            layer: Layer::Block,
            what: "write a file".to_string(),
            expected_s,
            writes_bytes,
        };
        let plan = Plan { steps: vec![step(1.5, 10), step(2.0, 5)], ..Plan::default() };
        let folder = PlanFolder {
            folder: "/var/tmp".to_string(),
            file_system: None,
            free_bytes: None,
            needs_bytes: 10,
            writable: true,
            volatile: false,
        };
        let refusal =
            PlanRefusal { part: None, reason: "no room".to_string(), hint: Some("free".into()) };
        let said = (vec!["/var/tmp writable".into()], Vec::new());
        let document = PlanDocument::new(&plan, vec![folder], said, vec![refusal]);
        let json = serde_json::to_value(&document).unwrap();
        assert_eq!(json["schema"], "narrows.plan/1");
        assert_eq!(json["steps"][0]["layer"], "block");
        assert_eq!(json["steps"][1]["expected_s"], 2.0);
        assert_eq!(json["total"], serde_json::json!({"expected_s": 3.5, "writes_bytes": 15}));
        assert_eq!(json["checks"][0], "/var/tmp writable");
        assert_eq!(json["refused"][0]["hint"], "free");
        assert!(json["refused"][0].get("part").is_none());
        assert!(json["folders"][0].get("free_bytes").is_none());
        assert!(json.get("notes").is_none());
    }
}
