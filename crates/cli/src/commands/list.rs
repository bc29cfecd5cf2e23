//! `narrows list`: the stored runs. `narrows rm`: without some of them.

use anyhow::Result;
use narrows_model::Layer;
use narrows_report::StoredRun;
use narrows_runner::{library, tags};

use crate::args::words::{ListArgs, RemoveArgs};
use crate::stream::say;
use crate::{Exit, output};

/// How many are shown where not all are asked for.
const NEWEST: usize = 20;

/// Prints the newest runs, or all; those that were asked for.
pub fn list(args: &ListArgs) -> Result<Exit> {
    let unreadable = |name: &str, reason: &str| StoredRun::unreadable(name, reason);
    let lines = library::lines(StoredRun::of, unreadable)?;
    let tagged = args.tag.as_ref().map(|tag| tags::runs(tag)).transpose()?;
    let layer = args.layer.map(|layer| Layer::from(layer).word());
    let wanted = |run: &StoredRun| {
        args.host.as_ref().is_none_or(|host| run.machine.as_ref() == Some(host))
            && layer.is_none_or(|layer| run.layers.iter().any(|word| word == layer))
            && args.since.as_ref().is_none_or(|since| run.started_at.as_str() >= since.as_str())
            // A day as a whole belongs to what is before its end.
            && args.until.as_ref().is_none_or(|until| {
                run.started_at.get(..until.len()).unwrap_or(&run.started_at) <= until.as_str()
            })
            && tagged.as_ref().is_none_or(|ids| ids.contains(&run.id))
    };
    let runs: Vec<StoredRun> = lines.into_iter().map(|(_, run)| run).filter(wanted).collect();
    let shown = if args.all { runs.len() } else { runs.len().min(NEWEST) };
    let document = narrows_report::stored_runs(&runs[..shown], runs.len() - shown);
    output::document(&document, args.format)?;
    Ok(Exit::Done)
}

/// Removes stored runs.
pub fn remove(args: &RemoveArgs) -> Result<Exit> {
    for id in library::remove(&args.runs)? {
        say!("removed {id}");
    }
    Ok(Exit::Done)
}
