//! What the server's processes took of the machine they run on, by the kernel's account.

use narrows_units::significant;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ProcessClass;

/// A class of processes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClassUse {
    /// Whose.
    pub class: ProcessClass,
    /// CPUs used on average, user and kernel.
    pub cpus: f64,
    /// Processes that were ready to run and did not, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_queue: Option<f64>,
}

/// The busiest process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HotProcess {
    /// Whose.
    pub class: ProcessClass,
    /// Its CPU time over the interval; 1 is all of one CPU.
    pub cpus: f64,
    /// The longest stretch of windows in which it was the busiest one, over all windows.
    pub share_of_windows: f64,
}

/// A program of others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProgramUse {
    /// Its name as the kernel keeps it, at most 15 bytes.
    pub name: String,
    /// CPUs that all processes of that name used, on average.
    pub cpus: f64,
}

/// The server's processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ObservedProcesses {
    /// By class, in the order of [`ProcessClass::ALL`].
    pub classes: Vec<ClassUse>,
    /// The busiest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hot: Option<HotProcess>,
    /// CPUs in use on the whole machine on average.
    pub machine_cpus: f64,
    /// Of these, the kernel's own work and interrupts, which belong to no process of the server or of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_cpus: Option<f64>,
    /// Of these, what processes of others used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_cpus: Option<f64>,
    /// Of these, what may be the server's or others': nothing that was read tells which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unattributed_cpus: Option<f64>,
    /// Of these, what clients of the server used that run on its machine: at least, and absent where none could be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_cpus: Option<f64>,
    /// Of `other_cpus`, what processes used that give way to the server: a far lower priority, on CPUs that are its own too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yielding_cpus: Option<f64>,
    /// The programs of others that used most, most first; a few only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_programs: Vec<ProgramUse>,
    /// CPUs of the machine that the server may use.
    pub allowed_cpus: f64,
    /// What its control group grants it, in CPUs; absent without a quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_cpus: Option<f64>,
    /// Of the quota's periods, the share in which it stopped the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_share: Option<f64>,
    /// Bytes that the server's processes had read from drives, where that may be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive_read_bytes: Option<f64>,
}

impl ObservedProcesses {
    /// Of less CPU time than this a program of others is not worth its name.
    const NAMED_CPUS: f64 = 0.01;

    /// Of the CPUs in use, the share of an unknown owner from which on that is worth a doubt, and the first thing to find out.
    const OWNER_MATTERS: f64 = 0.2;

    /// CPUs that others used who are no clients of the server.
    pub fn strangers_cpus(&self) -> Option<f64> {
        Some((self.other_cpus? - self.client_cpus.unwrap_or(0.0)).max(0.0))
    }

    /// CPUs of an unknown owner, where they are so many that it matters whose they are.
    pub fn owner_unknown(&self) -> Option<f64> {
        self.unattributed_cpus.filter(|cpus| *cpus >= Self::OWNER_MATTERS * self.machine_cpus)
    }

    /// Whatever else than the server's processes used CPUs, in the screen's words, and how many where that is known.
    pub fn beside_server(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let all = [
            ("kernel threads and interrupts", self.kernel_cpus),
            ("its clients here", self.client_cpus),
            ("others here", self.strangers_cpus()),
            ("not these sessions', owner unknown", self.unattributed_cpus),
        ];
        all.into_iter().filter_map(|(who, cpus)| Some((who, cpus?)))
    }

    /// `pgbench 0.54, stress-ng 0.12`; empty where no other program used anything to speak of.
    pub fn others_by_name(&self) -> String {
        let named = self.other_programs.iter().filter(|used| used.cpus >= Self::NAMED_CPUS);
        let words: Vec<String> =
            named.map(|used| format!("{} {}", used.name, significant(used.cpus, 2))).collect();
        words.join(", ")
    }

    /// CPUs in use on the whole machine: by the kernel's ticks, which miss what runs between two of them, or the parts by the
    /// scheduler's clock where these come to more.
    pub fn in_use(&self) -> f64 {
        let parts: f64 = self.beside_server().map(|(_, cpus)| cpus).sum();
        self.machine_cpus.max(self.cpus() + parts)
    }

    /// CPUs that all of the server's processes used, on average.
    pub fn cpus(&self) -> f64 {
        self.classes.iter().map(|class| class.cpus).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_by_the_schedulers_clock_are_in_use_though_ticks_missed_them() {
        let class = ClassUse { class: ProcessClass::Session, cpus: 1.23, run_queue: None };
        let mut processes = ObservedProcesses {
            classes: vec![class],
            hot: None,
            machine_cpus: 1.48,
            kernel_cpus: Some(0.17),
            other_cpus: Some(0.2),
            unattributed_cpus: None,
            client_cpus: Some(0.2),
            yielding_cpus: None,
            other_programs: Vec::new(),
            allowed_cpus: 2.0,
            quota_cpus: None,
            throttled_share: None,
            drive_read_bytes: None,
        };
        assert!((processes.in_use() - 1.6).abs() < 1e-9);
        processes.machine_cpus = 1.9;
        assert_eq!(processes.in_use(), 1.9);
    }
}
