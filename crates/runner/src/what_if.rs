//! What changes would allow, put beside the verdicts of a run.

use anyhow::{Context, Result};
use narrows_model::{Run, family};
use narrows_verdict::Scenario;

use crate::failure::Failure;
use crate::store;

/// A question that makes sense, with the run whose log it is about.
pub struct WhatIf {
    scenario: Scenario,
    log: Option<Run>,
}

impl WhatIf {
    /// Reads the changes, before anything else is done.
    ///
    /// # Errors
    /// Words that are no change, and a run for the log that can't be read.
    pub fn of(changes: &[String]) -> Result<WhatIf> {
        let scenario = Scenario::parse(changes)
            .map_err(|error| Failure::hinted(format!("--what-if: {error}"), error.hint))?;
        let log = scenario.log_run().map(log_run).transpose()?;
        Ok(WhatIf { scenario, log })
    }

    /// Puts the answers beside the verdicts.
    ///
    /// # Errors
    /// A run without a database workload: there is nothing to ask about.
    pub fn answer(&self, run: &mut Run) -> Result<()> {
        let answers = narrows_verdict::what_if(run, &self.scenario, self.log.as_ref());
        for (measurement, answer) in answers {
            let mut verdicts = run.verdicts.iter_mut();
            if let Some(verdict) = verdicts.find(|verdict| verdict.measurement == measurement) {
                verdict.what_if = vec![answer];
            }
        }
        if run.verdicts.iter().all(|verdict| verdict.what_if.is_empty()) {
            return Err(Failure::hinted(
                format!("--what-if: run {} has no database workload with a verdict", run.id),
                "`narrows run` measures some on a private instance, `narrows observe URL` observes your server",
            ));
        }
        Ok(())
    }
}

fn log_run(name: &str) -> Result<Run> {
    let hint = "name a run that measured WAL, or write log=2x or log=flush:80us";
    let read = || store::load(&store::find(name)?);
    let run = read().with_context(|| format!("--what-if log={name}"))?;
    if run.measurements.iter().any(|m| family::LOG.has(&m.id)) {
        return Ok(run);
    }
    Err(Failure::hinted(format!("--what-if log={name}: run {} measured no WAL", run.id), hint))
}
