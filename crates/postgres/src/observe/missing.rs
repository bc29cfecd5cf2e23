//! What could not be learned, and what it takes.

use narrows_model::{LiveSetting, Observation, Unknown};

use super::settings::on;
use crate::monitor::counters::Changed;
use crate::monitor::server::Server;
use crate::monitor::sources::Count;

/// What there was.
pub(super) struct Missing<'a> {
    pub(super) server: &'a Server,
    pub(super) recovering: bool,
    pub(super) settings: &'a [LiveSetting],
    pub(super) counted: &'a Changed,
    /// Whether the server's processes can be seen.
    pub(super) process: bool,
    /// Whether the machine's processors are counted.
    pub(super) machine: bool,
    pub(super) build: bool,
    pub(super) tracked: bool,
    /// Whether parallel workers were met.
    pub(super) workers: bool,
    pub(super) cut_short: bool,
    /// Settings that were changed during the look.
    pub(super) changed_settings: &'a [String],
    /// What is missing of who takes what.
    pub(super) of_consumers: &'a [Unknown],
}

impl Missing<'_> {
    pub(super) fn list(&self) -> Vec<Unknown> {
        let mut unknown = Vec::new();
        let mut add = |missing: bool, what: &str, needs: &str| {
            if missing {
                unknown.push(Unknown { what: what.to_string(), needs: needs.to_string() });
            }
        };
        let absent = |count| self.counted.get(count).is_none();
        let newer = "PostgreSQL 14 or later";
        add(!self.server.sees_others, "what sessions do and wait for", &self.server.grant());
        add(
            self.server.sees_others && !self.tracked,
            "what sessions do and wait for",
            "track_activities = on",
        );
        add(
            !self.process,
            "CPU time, run queue and drives of the server",
            "narrows on the server's own machine, outside of its container",
        );
        add(!self.machine, "CPUs in use on the machine", "/proc/stat");
        add(!self.build, "how the server was built", "GRANT pg_read_all_settings, or a superuser");
        add(
            absent(Count::ActiveMs) && !self.counted.reset,
            "the server's own account of the time in statements",
            newer,
        );
        add(
            self.workers,
            "how many transactions are starts of parallel workers, two of each",
            "an observation without parallel queries: the server counts them among the others",
        );
        let off = |name| on(self.settings, name) != Some(true);
        add(
            off("track_io_timing"),
            "times of reads and writes of data files",
            "track_io_timing = on, a reading of the clock around each",
        );
        if self.recovering {
            add(true, "the WAL that the server writes", "its primary: a standby writes none");
        } else {
            add(absent(Count::Flushes) && !self.counted.reset, "flushes of the log", newer);
            add(
                off("track_wal_io_timing"),
                "times of WAL writes and flushes",
                "track_wal_io_timing = on, a reading of the clock around each (14 or later)",
            );
        }
        add(
            self.counted.reset,
            Observation::COUNTERS_RESET,
            "an observation in which nobody resets statistics or drops a database",
        );
        add(
            !self.changed_settings.is_empty(),
            &format!("figures of one configuration: {} changed", self.changed_settings.join(", ")),
            "an observation in which nobody changes settings",
        );
        add(
            self.cut_short,
            "the rest of the observation, which ended early",
            "a server that stays and answers within 5 s",
        );
        unknown.extend_from_slice(self.of_consumers);
        unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(settings: &[(&str, &str)], change: impl Fn(&mut Missing)) -> Vec<String> {
        let server = Server { version: "15.2".into(), user: "app".into(), sees_others: true };
        let settings: Vec<LiveSetting> = settings
            .iter()
            .map(|(name, value)| LiveSetting {
                name: (*name).into(),
                value: (*value).into(),
                source: "default".into(),
            })
            .collect();
        let counted = Changed::default();
        let mut missing = Missing {
            server: &server,
            recovering: false,
            settings: &settings,
            counted: &counted,
            process: true,
            machine: true,
            build: true,
            tracked: true,
            workers: false,
            cut_short: false,
            changed_settings: &[],
            of_consumers: &[],
        };
        change(&mut missing);
        missing.list().iter().map(|u| format!("{}: {}", u.what, u.needs)).collect()
    }

    #[test]
    fn what_is_missing_comes_with_what_it_takes() {
        let timed = [("track_io_timing", "on"), ("track_wal_io_timing", "on")];
        let old = list(&timed, |_| {});
        assert_eq!(old.len(), 2, "of 13 the account of statements and the flushes: {old:?}");
        assert!(old.iter().all(|line| line.ends_with("PostgreSQL 14 or later")));
        let blind = Server { version: "15.2".into(), user: "app".into(), sees_others: false };
        let dark = list(&[("track_io_timing", "off")], |missing| {
            missing.process = false;
            missing.build = false;
        });
        assert!(dark.iter().any(|line| line.contains("on the server's own machine")), "{dark:?}");
        assert!(dark.iter().any(|line| line.contains("track_io_timing = on")), "{dark:?}");
        let settings: Vec<LiveSetting> = Vec::new();
        let counted = Changed::of_a_reset();
        let missing = Missing {
            server: &blind,
            recovering: true,
            settings: &settings,
            counted: &counted,
            process: true,
            machine: true,
            build: true,
            tracked: true,
            workers: false,
            cut_short: true,
            changed_settings: &["work_mem".to_string(), "jit".to_string()],
            of_consumers: &[],
        };
        let what = missing.list().into_iter().find(|u| u.what.contains("configuration"));
        let what = what.expect("settings were changed").what;
        assert_eq!(what, "figures of one configuration: work_mem, jit changed");
        let said: Vec<String> = missing.list().into_iter().map(|u| u.needs).collect();
        assert!(said.contains(&"GRANT pg_monitor TO app".to_string()), "{said:?}");
        assert!(said.iter().any(|needs| needs.contains("its primary")));
        assert!(said.iter().any(|needs| needs.contains("nobody resets")));
        assert!(said.iter().any(|needs| needs.contains("stays and answers")));
    }
}
