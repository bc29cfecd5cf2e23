//! What will be done, decided before it begins: the plan as the run keeps it, the machine, and the plan for people.

use narrows_engine::{Context, Silent, Stop};
use narrows_model::{Layer, Plan, PlannedStep, Platform};
use narrows_units::{Bytes, shown};
use std::time::Duration;

use crate::request::RunOptions;

/// What is measured by whom, before it begins.
pub struct Prepared {
    /// Of what, in words.
    pub title: String,
    /// As stored in the run.
    pub plan: Plan,
    /// The machine.
    pub platform: Platform,
}

impl Prepared {
    /// A plan for one place of storage, a folder or a device.
    pub fn storage(
        at: &str,
        platform: Platform,
        options: &RunOptions,
        repeats: u32,
        file_bytes: u64,
        steps: Vec<PlannedStep>,
    ) -> Prepared {
        let plan = Plan {
            layers: vec![Layer::Block],
            data_dir: at.to_string(),
            wal_dir: at.to_string(),
            repeats,
            seed: options.seed(),
            file_bytes,
            server_cpus: platform.cpu.allowed.clone(),
            steps,
            ..Plan::default()
        };
        Prepared { title: format!("storage of {at}"), plan, platform }
    }

    /// A plan for memory; its steps come later, because they depend on it.
    pub fn memory(platform: Platform, options: &RunOptions, repeats: u32) -> Prepared {
        let plan = Plan {
            layers: vec![Layer::Memory],
            repeats,
            seed: options.seed(),
            server_cpus: platform.cpu.allowed.clone(),
            ..Plan::default()
        };
        Prepared { title: "memory of this machine".to_string(), plan, platform }
    }

    /// The plan for people.
    pub fn describe(&self) -> String {
        let closing = match self.plan.writes_bytes() {
            0 => "writes nothing".to_string(),
            bytes => {
                let writes = Bytes(bytes);
                format!("writes up to {writes}; the files made here are removed afterwards")
            }
        };
        self.describe_ending(&closing)
    }

    /// The same with something else to say at the end of what is written.
    pub fn describe_ending(&self, closing: &str) -> String {
        let head = format!("plan     {}, seed {}\n", shown(&self.title), self.plan.seed);
        describe(&head, &self.plan, closing)
    }
}

/// A plan for people: whole lines of a head, its steps, and how long all of it takes with what else is to say of that.
pub fn describe(head: &str, plan: &Plan, closing: &str) -> String {
    let mut text = head.to_string();
    text.extend(plan.steps.iter().map(step));
    text + &total(plan, closing)
}

/// One step in a line.
pub fn step(step: &PlannedStep) -> String {
    let writes = match step.writes_bytes {
        0 => String::new(),
        bytes => format!(", writes up to {}", Bytes(bytes)),
    };
    let (layer, takes) = (step.layer.word(), minutes(step.expected_s));
    format!("{layer:8} {} ({takes}{writes})\n", shown(&step.what))
}

/// The last line.
pub fn total(plan: &Plan, closing: &str) -> String {
    format!("total    about {}, {closing}\n", minutes(plan.expected_s()))
}

/// A length for a plan.
pub fn minutes(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 2.0 * 3600.0 => format!("{:.0} min", s / 60.0),
        s if s < 2.0 * 86_400.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

/// What a layer is handed to say what it would do by this plan.
pub fn ahead<'a>(plan: &Plan, stop: &'a Stop, window: Duration) -> Context<'a> {
    Context {
        stop,
        progress: &Silent,
        seed: plan.seed,
        repeats: plan.repeats,
        quick: plan.quick,
        window,
    }
}
