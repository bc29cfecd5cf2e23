//! May this machine be loaded? A running database is never loaded unasked.

use anyhow::Result;
use narrows_model::{Platform, RunningDatabase};

use crate::failure::Failure;

/// Refuses where a database runs, unless the user took responsibility.
pub fn guard(platform: &Platform, load_here: bool) -> Result<()> {
    let Some(message) = refusal(&platform.databases) else { return Ok(()) };
    if load_here {
        eprintln!("warning: {message}; it is loaded because --load-here says so");
        return Ok(());
    }
    Err(Failure::hinted(
        format!(
            "{message}: a run would take its processors, memory and drives for minutes, and its own work would \
             falsify every figure"
        ),
        "narrows platform only looks; --load-here measures all the same, if whoever uses that database may be slowed \
         down for the whole run",
    ))
}

fn refusal(databases: &[RunningDatabase]) -> Option<String> {
    let first = databases.first()?;
    let place = first.data_dir.as_ref().map_or(String::new(), |dir| format!(", {dir}"));
    let drives =
        if first.shares_role.is_empty() { "" } else { " on the drives that were to be measured" };
    let more = match databases.len() {
        1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    Some(format!("{} (process {}{place}){more} runs here{drives}", first.kind, first.pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> RunningDatabase {
        RunningDatabase {
            kind: "postgresql".into(),
            pid: 12,
            data_dir: Some("/srv/pg".into()),
            shares_role: Vec::new(),
        }
    }

    #[test]
    fn a_running_database_is_refused_by_name_with_a_way_out() {
        let platform = Platform { databases: vec![database()], ..Platform::default() };
        let error = guard(&platform, false).unwrap_err().to_string();
        for part in ["postgresql", "12", "/srv/pg", "--load-here"] {
            assert!(error.contains(part), "{part} is missing in {error}");
        }
        assert!(guard(&platform, true).is_ok());
        assert!(guard(&Platform::default(), false).is_ok());
    }
}
