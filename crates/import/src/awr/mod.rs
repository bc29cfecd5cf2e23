//! Oracle's AWR report of one instance, as HTML or text (11.2 to 23ai): a server that was observed, by its own account.
//!
//! Both formats become tables ([`table`]), the tables a report ([`report`]), the report ([`facts`]) a measurement of one transaction
//! ([`measurements`]) and an observation ([`observation`]) under the names by which a look at a running server is judged. What
//! contradicts itself is named ([`contradictions`]).
//!
//! A transaction is a commit or a rollback. The sessions are those at work: DB time over the interval (average active sessions). How many
//! others of a pool wait for their clients says nothing of the database. Parts of DB time are DB CPU and the foreground waits by what is
//! waited for. What is neither is the queue for a CPU as far as the operating system counted one (AIX, Solaris, HP-UX), or on a host
//! whose CPUs were full; anywhere else it is time that is not explained.
//!
//! Formats and names: Oracle Database Performance Tuning Guide, Gathering Database Statistics; Oracle Database Reference, Statistics Descriptions and
//! Oracle Wait Events.
//!
//! Not here: whether the report is of this machine, and what binds.

mod contradictions;
mod events;
mod facts;
mod host;
mod html;
mod measurements;
mod observation;
mod remarks;
mod report;
mod table;
mod text;
mod time;

use crate::{ImportError, Imported, nothing};
use contradictions::contradictions;
use facts::Facts;
use report::Report;

const TOOL: &str = "AWR";
/// Characters in which a report says what it is.
const HEAD: usize = 200_000;

pub(crate) fn is(text: &str) -> bool {
    let head = head(text);
    head.contains("WORKLOAD REPOSITORY") || head.contains("STATSPACK report for")
}

fn head(text: &str) -> &str {
    let end = (0..=HEAD.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let head = head(text);
    // What follows the word says which of the reports it is.
    let kind = head.split_once("WORKLOAD REPOSITORY").map_or("", |(_, kind)| kind);
    let kind: String = kind.chars().take(60).collect::<String>().to_uppercase();
    if head.contains("STATSPACK report for") {
        return Err(nothing("Statspack", "its report is not read: an AWR report (awrrpt.sql) is"));
    }
    if kind.contains("COMPARE PERIOD") {
        return Err(nothing(
            TOOL,
            "a report that compares two periods: import a report of each (awrrpt.sql)",
        ));
    }
    if kind.contains("(RAC)") || kind.contains("(GLOBAL)") {
        return Err(nothing(
            TOOL,
            "a report of all instances: import one of each instance (awrrpti.sql)",
        ));
    }
    if kind.contains("SQL REPORT") {
        return Err(nothing(
            TOOL,
            "a report of one statement: the instance's is made by awrrpt.sql",
        ));
    }
    // A statement in a report in text may hold any tag; what stands before the title of a page has its own.
    let before = head.split("WORKLOAD REPOSITORY").next().unwrap_or_default().to_lowercase();
    let is_page = ["<html", "<head", "<body", "<h1"].iter().any(|tag| before.contains(tag));
    let tables = if is_page { html::tables(text) } else { text::tables(text) };
    imported(&Report::read(&tables), kind.trim_start().starts_with("PDB"))
}

fn imported(report: &Report, pluggable: bool) -> Result<Imported, ImportError> {
    let facts = Facts::of(report, pluggable)?;
    let observation = facts.observation();
    let mut measurements = vec![facts.transaction()];
    measurements.extend(facts.io());
    let mut left_out: Vec<String> = contradictions(report)
        .into_iter()
        .map(|sentence| format!("the report contradicts itself: {sentence}"))
        .collect();
    left_out.extend(facts.remarks());
    let release = report.release.as_deref().unwrap_or_default();
    Ok(Imported {
        tool: format!("{TOOL} {release}").trim_end().to_string(),
        at_unix_s: report.ended_unix_s,
        measurements,
        observation: Some(observation),
        left_out,
    })
}

#[cfg(test)]
mod tests;
