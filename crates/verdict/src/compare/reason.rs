//! Where a prediction fails: which of its parts went another way in the database than in the emulation.

use narrows_model::{Measurement, metric};
use narrows_units::{Nanos, significant};

use super::place::Base;

/// A part has to differ by so much to be named, and to explain such a share of the time that prediction and proof differ by.
const NAMED: f64 = 0.1;
const EXPLAINS: f64 = 0.2;

/// One part of an operation in both, and what both became from the first place to this one.
struct Part {
    name: &'static str,
    database: (f64, f64),
    emulation: (f64, f64),
}

impl Part {
    /// How differently the two changed, relative.
    fn apart(&self) -> f64 {
        let change = |(from, to): (f64, f64)| to / from;
        (change(self.database) / change(self.emulation)).ln().abs()
    }

    /// What the difference is worth in time per commit, ns.
    fn worth_ns(&self) -> f64 {
        let (from, to) = self.database;
        let expected = from * self.emulation.1 / self.emulation.0;
        (to - expected).abs()
    }

    fn sentence(&self) -> String {
        let ns = |ns: f64| Nanos(ns.round() as u64).to_string();
        let ((a, b), (c, d)) = (self.database, self.emulation);
        format!(
            "{} went from {} to {} in the database and from {} to {} in the emulation",
            self.name,
            ns(a),
            ns(b),
            ns(c),
            ns(d)
        )
    }
}

/// The part that explains most of `gap_ns`, the time between two commits that prediction and proof differ by; or that none does.
pub fn of(base: &Base<'_>, database: &Measurement, emulation: &Measurement, gap_ns: f64) -> String {
    let part = |name, of: &str, emulated: &str| -> Option<Part> {
        let part = Part {
            name,
            database: (base.database.value(of)?, database.value(of)?),
            emulation: (base.emulation.value(emulated)?, emulation.value(emulated)?),
        };
        let all = [part.database.0, part.database.1, part.emulation.0, part.emulation.1];
        all.iter().all(|ns| *ns > 0.0).then_some(part)
    };
    let causes = [
        part("one flush", metric::SERVER_FLUSH_TIME, metric::PARALLEL_WRITE_MEAN),
        part("a session's CPU time", metric::BACKEND_CPU_PER_OP, metric::BACKEND_CPU_PER_OP),
    ];
    // The wait follows from these; alone it is named where none of them explains it.
    let wait = part("the wait for the log", metric::WAIT_FLUSH_PER_OP, metric::LOG_FILE_SYNC_MEAN);
    let named = |part: &Part| part.apart() > NAMED && part.worth_ns() > EXPLAINS * gap_ns;
    let causes = causes.into_iter().flatten().filter(named);
    let first =
        causes.max_by(|a, b| a.worth_ns().total_cmp(&b.worth_ns())).or_else(|| wait.filter(named));
    let waits = [metric::WAIT_LOCK_PER_OP, metric::WAIT_OTHER_PER_OP];
    let other = |m: &Measurement| -> f64 { waits.iter().filter_map(|name| m.value(name)).sum() };
    let grown = other(database) - other(base.database);
    match first {
        Some(part) if part.worth_ns() >= grown => part.sentence(),
        _ if grown > EXPLAINS * gap_ns => format!(
            "waits for locks and others grew by {} µs a commit, which the emulation has from the first place",
            significant(grown / 1e3, 3)
        ),
        _ => "no part that was measured explains it".to_string(),
    }
}
