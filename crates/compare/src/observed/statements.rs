//! Statements then and now: matched by `query_id`, user and database, which hold within one server and version; else by the normalised
//! text.

use narrows_model::{ConsumerKind, StatementUse};
use serde::Serialize;

use super::setup::{one_server, version};
use super::{Observed, ObservedSide};

/// A statement that takes less of either look is not worth a row.
const LEAST_SHARE: f64 = 0.01;

/// By what a statement is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Matched {
    /// `query_id`, user, database.
    Id,
    /// Its text without literals, user, database.
    Text,
    /// The other look doesn't list it.
    Alone,
}

/// Of what a share is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShareOf {
    /// Of the time of active sessions, by samples: with the waits of commits.
    #[default]
    SessionTime,
    /// Of the time in statements that ended, by the server's count: without those.
    StatementTime,
}

/// A statement in one look.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StatementSide {
    /// Share, as [`StatementChanges::share_of`] says.
    pub share: f64,
    /// Executions per second; absent where nobody counts them, as are the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_per_s: Option<f64>,
    /// Time of an execution, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_per_call_ns: Option<f64>,
    /// Blocks hit and read by an execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_per_call: Option<f64>,
}

/// A statement in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatementChange {
    /// `query_id` of the first look, or of the other where the first doesn't list it.
    pub id: String,
    /// Whose; empty where only sessions were sampled.
    pub user: String,
    /// Where; likewise.
    pub database: String,
    /// Its text without literals; absent where none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// By what it is the same.
    pub matched: Matched,
    /// In the first look; absent where that doesn't list it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<StatementSide>,
    /// In the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<StatementSide>,
}

/// All statements of both looks.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StatementChanges {
    /// Those that take a hundredth of either look, the largest change of what they take of a transaction's time first.
    pub list: Vec<StatementChange>,
    /// Of what shares are.
    pub share_of: ShareOf,
    /// Whether executions were counted in both (`pg_stat_statements`).
    pub counted: bool,
    /// Whether `query_id` means the same in both: one server, one version.
    pub ids_hold: bool,
    /// Why it is no better known; empty where it is.
    pub lacks: String,
    /// How far the mix of executions differs: the share of them that would have to be of another statement; absent where none were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mix_distance: Option<f64>,
}

/// A statement of one look.
struct Listed {
    id: String,
    user: String,
    database: String,
    text: Option<String>,
    side: StatementSide,
}

/// Statements of both, and which ids of the first are which of the other.
pub(super) fn changes(
    base: &Observed<'_>,
    other: &Observed<'_>,
) -> (StatementChanges, Vec<(String, String)>) {
    let ids_hold = one_server(base, other) && version(base) == version(other);
    let mut found = StatementChanges { ids_hold, ..StatementChanges::default() };
    let each = [base, other];
    let [ours, theirs] = each.map(counted);
    found.counted = ours.is_some() && theirs.is_some();
    found.lacks = match (ours.is_some(), theirs.is_some()) {
        (true, true) => "",
        (true, false) => "the second observation has no pg_stat_statements",
        (false, true) => "the first observation has no pg_stat_statements",
        (false, false) => "neither observation has pg_stat_statements",
    }
    .to_string();
    let [ours_sampled, theirs_sampled] = each.map(sampled);
    let (ours, theirs) = match (ours.zip(theirs), ours_sampled.zip(theirs_sampled)) {
        (Some((ours, theirs)), Some((a, b))) => (joined(ours, a), joined(theirs, b)),
        (Some(counted), None) => {
            found.share_of = ShareOf::StatementTime;
            counted
        }
        (None, Some(sampled)) => sampled,
        (None, None) => return (found, Vec::new()),
    };
    let mut all = matched(ours, theirs, ids_hold);
    found.mix_distance = found.counted.then(|| mix_distance(base, other, &all)).flatten();
    let same: Vec<(String, String)> = all
        .iter()
        .filter(|(change, _)| change.base.is_some() && change.other.is_some())
        .map(|(change, other_id)| (change.id.clone(), other_id.clone()))
        .collect();
    // A share of less time is less: with two statements one always loses what the other wins.
    let times = [base, other].map(|seen| seen.time_ns());
    let times = if times.iter().all(Option::is_some) { times } else { [None; 2] };
    let taken = |side: &Option<StatementSide>, at: usize| {
        side.map_or(0.0, |side| side.share * times[at].unwrap_or(1.0))
    };
    let by = |change: &StatementChange| (taken(&change.other, 1) - taken(&change.base, 0)).abs();
    all.sort_by(|(a, _), (b, _)| by(b).total_cmp(&by(a)).then_with(|| a.id.cmp(&b.id)));
    let worth = |change: &StatementChange| {
        let sides = [&change.base, &change.other].into_iter().flatten();
        sides.into_iter().any(|side| side.share >= LEAST_SHARE)
    };
    found.list = all.into_iter().map(|(change, _)| change).filter(worth).collect();
    (found, same)
}

/// By the server's own count; `None` where there is none.
fn counted(seen: &Observed<'_>) -> Option<Vec<Listed>> {
    let statements = seen.of.consumers.as_ref()?.statements.as_ref()?;
    let whole = statements.all.exec_ns;
    if statements.reset || whole <= 0.0 {
        return None;
    }
    let listed = |of: &StatementUse| {
        let per_call = |n: f64| (of.took.calls > 0.0).then(|| n / of.took.calls);
        Listed {
            id: of.id.clone(),
            user: of.user.clone(),
            database: of.database.clone(),
            text: of.text.clone(),
            side: StatementSide {
                share: of.took.exec_ns / whole,
                calls_per_s: seen.of.per_s(Some(of.took.calls)),
                time_per_call_ns: per_call(of.took.exec_ns),
                blocks_per_call: per_call(of.took.blocks_hit + of.took.blocks_read),
            },
        }
    };
    Some(statements.list.iter().map(listed).collect())
}

/// By the samples of active sessions; `None` where nobody was found in a statement.
fn sampled(seen: &Observed<'_>) -> Option<Vec<Listed>> {
    let consumers = seen.of.consumers.as_ref()?;
    let sampled = consumers.sampled.as_ref().filter(|sampled| sampled.active > 0.0)?;
    let of_statements = sampled.groups.iter().filter(|g| g.kind == ConsumerKind::Statement);
    let listed = of_statements.map(|group| Listed {
        id: group.name.clone(),
        user: String::new(),
        database: String::new(),
        text: consumers.text(&group.name).map(str::to_string),
        side: StatementSide {
            share: group.active / sampled.active,
            calls_per_s: None,
            time_per_call_ns: None,
            blocks_per_call: None,
        },
    });
    Some(listed.collect())
}

/// What was counted, with the shares that were sampled: of a statement of several users, in proportion to its time in each. What was
/// sampled before the server gave it an id is the statement of the same shape; a statement that didn't end was sampled alone.
fn joined(mut counted: Vec<Listed>, sampled: Vec<Listed>) -> Vec<Listed> {
    let whole =
        |id: &str| -> f64 { counted.iter().filter(|of| of.id == id).map(|of| of.side.share).sum() };
    let parts: Vec<f64> = counted.iter().map(|of| of.side.share / whole(&of.id)).collect();
    let mut shares = vec![0.0; counted.len()];
    let mut alone = Vec::new();
    for group in sampled {
        let its_shape = shape(&group);
        let by_shape = || {
            its_shape
                .as_ref()
                .and_then(|its| counted.iter().find(|of| shape(of).as_ref() == Some(its)))
        };
        let by_id = counted.iter().find(|of| of.id == group.id);
        let Some(id) = by_id.or_else(by_shape).map(|of| of.id.clone()) else {
            alone.push(group);
            continue;
        };
        for ((of, part), share) in counted.iter().zip(&parts).zip(&mut shares) {
            if of.id == id && part.is_finite() {
                *share += group.side.share * part;
            }
        }
    }
    for (of, share) in counted.iter_mut().zip(shares) {
        of.side.share = share;
    }
    counted.into_iter().chain(alone).collect()
}

/// Each with the id that it has in the other look.
fn matched(
    ours: Vec<Listed>,
    mut theirs: Vec<Listed>,
    ids_hold: bool,
) -> Vec<(StatementChange, String)> {
    // Of a statement that was only sampled nobody knows whose it is.
    let one = |a: &str, b: &str| a == b || a.is_empty() || b.is_empty();
    let whose = |a: &Listed, b: &Listed| one(&a.user, &b.user) && one(&a.database, &b.database);
    let mut found = Vec::new();
    let mut left = Vec::new();
    let mut pair = |a: Listed, b: Listed, matched: Matched| {
        let change = StatementChange {
            text: a.text.or(b.text),
            id: a.id,
            user: a.user,
            database: a.database,
            matched,
            base: Some(a.side),
            other: Some(b.side),
        };
        found.push((change, b.id));
    };
    for a in ours {
        let same = |b: &Listed| ids_hold && a.id == b.id && whose(&a, b);
        match theirs.iter().position(same) {
            Some(at) => pair(a, theirs.swap_remove(at), Matched::Id),
            None => left.push(a),
        }
    }
    // An id goes with the tables that the text names: one that was made anew has another.
    let mut alone = Vec::new();
    for a in left {
        let same = |b: &Listed| shape(&a).is_some_and(|a| shape(b) == Some(a)) && whose(&a, b);
        match theirs.iter().position(same) {
            Some(at) => pair(a, theirs.swap_remove(at), Matched::Text),
            None => alone.push((a, true)),
        }
    }
    alone.extend(theirs.into_iter().map(|b| (b, false)));
    found.extend(alone.into_iter().map(|(of, in_base)| {
        let other_id = if in_base { String::new() } else { of.id.clone() };
        let change = StatementChange {
            id: of.id,
            user: of.user,
            database: of.database,
            text: of.text,
            matched: Matched::Alone,
            base: in_base.then_some(of.side),
            other: (!in_base).then_some(of.side),
        };
        (change, other_id)
    }));
    found
}

/// The text with its parameters unnumbered: `pg_stat_statements` has `$1` where a text that was sampled has `?`.
fn shape(of: &Listed) -> Option<String> {
    let mut parts = of.text.as_ref()?.split('$');
    let first = parts.next().unwrap_or_default().to_string();
    Some(parts.fold(first, |all, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        all + if rest.len() < part.len() { "?" } else { "$" } + rest
    }))
}

/// Half the sum of the differences of the shares of executions (total variation). What is in neither list is one statement of its own.
fn mix_distance(
    base: &Observed<'_>,
    other: &Observed<'_>,
    all: &[(StatementChange, String)],
) -> Option<f64> {
    let whole = |seen: &Observed<'_>| {
        let statements = seen.of.consumers.as_ref()?.statements.as_ref()?;
        seen.of.per_s(Some(statements.all.calls)).filter(|calls| *calls > 0.0)
    };
    let (ours, theirs) = (whole(base)?, whole(other)?);
    let calls =
        |side: &Option<StatementSide>| side.and_then(|side| side.calls_per_s).unwrap_or(0.0);
    let shares =
        all.iter().map(|(change, _)| (calls(&change.base) / ours, calls(&change.other) / theirs));
    let (mut differ, mut listed) = (0.0, (0.0, 0.0));
    for (a, b) in shares {
        differ += (a - b).abs();
        listed = (listed.0 + a, listed.1 + b);
    }
    Some(((differ + (listed.1 - listed.0).abs()) / 2.0).min(1.0))
}

impl ObservedSide {
    /// Whether it tells enough.
    pub fn is_strong(&self) -> bool {
        self.weak.is_empty()
    }
}
