//! Generic plans of the statements that take most: `EXPLAIN` without `ANALYZE`, at the end of a look, once for each.
//!
//! The text is that of `pg_stat_statements` with its `$1`, planned by `PREPARE` and `EXPLAIN EXECUTE` under
//! `plan_cache_mode = force_generic_plan`, which PostgreSQL has from 12 on, with the `search_path` of the statement's user. Nothing is
//! executed: the transaction is read only and rolled back, with a `statement_timeout` of 1 s and a `lock_timeout` of 100 ms. Tables are
//! locked as for reading, or for the change that isn't made, for as long as planning takes.
//!
//! Planning isn't harmless in itself: the planner calls functions that are marked immutable or stable, so that who may create a function
//! could have it called by whoever plans a statement with it, a superuser for instance. So a text is planned only where no function
//! of a language other than C that the planner may call is named in it, and none of somebody who is neither a superuser nor we is used by a
//! view, default, constraint, index, operator, cast, type or policy of the database. Foreign tables are left out: their servers may be asked.
//!
//! The server's transformations of a text are not ours: where a text has literals in it, several statements, or names in Unicode escapes, it
//! isn't planned. Conditions go through [`super::normalise`].
//!
//! Where HypoPG is in the database, the index that a plan suggests is tried in our session: in its memory, and in nobody else's plans.
//!
//! Source: PostgreSQL documentation, "EXPLAIN", "PREPARE", "Function Volatility Categories"; HypoPG, "Usage".

mod filter;
mod names;
mod plannable;
mod tree;

use narrows_model::{IndexUse, StatementPlan, StatementStatistics, StatementUse, TriedIndex};
use serde_json::Value;

use self::names::{literal, shown};
use self::plannable::prepared;
pub(super) use self::plannable::{HAZARDS, Hazards};
use self::tree::{Suggested, plan_of, suggested};
use super::text;
use crate::monitor::session::{NoAnswer, SamplingSession};
use crate::wire::{Row, WireError, one_line};

/// What is named where a plan is missing.
pub(super) const PLANS: &str = "plans of the statements that take most (EXPLAIN)";

/// Statements that are planned.
const MOST_PLANS: usize = 3;
/// Of the time of all statements, what one takes at least.
const LEAST_SHARE: f64 = 0.1;
/// Blocks for each call from which on there is something to ask: 10,000 rows of the shortest.
const LEAST_BLOCKS: f64 = 34.0;
/// Whether HypoPG is there, and where.
const HYPOPG: &str = "\
SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace \
WHERE e.extname = 'hypopg' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')";

/// A statement that is worth a plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    id: String,
    user: String,
    text: String,
}

/// Of the statements of our session's database those with most time that read more than a few blocks or wrote temporary files; `texts` is the
/// answer that has their texts as the server keeps them.
pub(super) fn candidates(
    database: &str,
    statistics: &StatementStatistics,
    texts: &[Row],
) -> Vec<Candidate> {
    let worth = |used: &&StatementUse| {
        let took = used.took;
        used.database == database
            && took.exec_ns > 0.0
            && took.exec_ns >= LEAST_SHARE * statistics.all.exec_ns
            && (took.temp_blocks > 0.0
                || took.blocks_hit + took.blocks_read >= LEAST_BLOCKS * took.calls)
    };
    let candidate = |used: &StatementUse| {
        let is_its = |row: &&Row| {
            let name = |column: usize| text(row, column).map(one_line);
            text(row, 2) == Some(used.id.as_str())
                && name(4).as_ref() == Some(&used.user)
                && name(5).as_deref() == Some(database)
        };
        let text = text(texts.iter().find(is_its)?, 6)?.to_string();
        is_planned(used.text.as_deref()?).then(|| Candidate {
            id: used.id.clone(),
            user: used.user.clone(),
            text,
        })
    };
    let mut found: Vec<&StatementUse> = statistics.list.iter().filter(worth).collect();
    found.sort_by(|a, b| b.took.exec_ns.total_cmp(&a.took.exec_ns));
    found.into_iter().filter_map(candidate).take(MOST_PLANS).collect()
}

/// Whether it is a statement that has a plan, by its normalised text.
fn is_planned(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty());
    let first = first.unwrap_or_default();
    ["select", "insert", "update", "delete", "with"].iter().any(|w| first.eq_ignore_ascii_case(w))
}

/// Asks for the `search_path` that sessions of that user begin with, as far as roles and databases set one, and for the user's name as it stands
/// in there for `$user`. Our own session has another one.
fn search_path(user: &str) -> Option<String> {
    let user = literal(user)?;
    Some(format!(
        "SELECT coalesce((SELECT pg_catalog.substr(c.setting, 13) FROM pg_catalog.pg_db_role_setting s \
         CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c (setting) LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole \
         LEFT JOIN pg_catalog.pg_database d ON d.oid = s.setdatabase WHERE c.setting LIKE 'search\\_path=%' \
         AND (s.setrole = 0 OR r.rolname = {user}) AND (s.setdatabase = 0 OR d.datname = pg_catalog.current_database()) \
         ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1), '\"$user\", public'), pg_catalog.quote_ident({user})"
    ))
}

/// What a session of ours plans with.
pub(super) struct Planner<'a> {
    pub(super) session: &'a mut SamplingSession,
    pub(super) hazards: Hazards,
    /// Indexes whose columns are known.
    pub(super) indexes: &'a [IndexUse],
    hypopg: Option<String>,
}

/// What a plan would need.
pub(super) type Refused = String;

impl<'a> Planner<'a> {
    /// Looks for HypoPG.
    ///
    /// # Errors
    /// The connection broke.
    pub(super) fn new(
        session: &'a mut SamplingSession,
        hazards: Hazards,
        indexes: &'a [IndexUse],
    ) -> Result<Planner<'a>, WireError> {
        let rows = session.ask_aside(HYPOPG)?.unwrap_or_default();
        let hypopg = rows.first().and_then(|row| text(row, 0)).map(str::to_string);
        Ok(Planner { session, hazards, indexes, hypopg })
    }

    /// The plan, or why there is none.
    ///
    /// # Errors
    /// The connection broke.
    pub(super) fn plan(
        &mut self,
        of: &Candidate,
    ) -> Result<Result<StatementPlan, Refused>, WireError> {
        if let Some(refusal) = self.hazards.refusal(&of.text) {
            return Ok(Err(refusal));
        }
        let (sql, parameters) = match prepared(&of.text) {
            Ok(prepared) => prepared,
            Err(needs) => return Ok(Err(needs.to_string())),
        };
        let path = match search_path(&of.user) {
            Some(question) => self.session.ask_aside(&question)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let path = path.first().and_then(|row| {
            // Each `"$user"` is the name of the statement's user.
            Some(text(row, 0)?.replace("\"$user\"", text(row, 1)?))
        });
        let Some(path) = path.and_then(|path| literal(&path)) else {
            return Ok(Err("the search_path of its user".to_string()));
        };
        let explained = match self.explain(sql, parameters, &path)? {
            Ok(explained) => explained,
            Err(refused) => return Ok(Err(refused)),
        };
        let Some(mut plan) = plan_of(&of.id, &explained) else {
            return Ok(Err("a plan in JSON".to_string()));
        };
        if let Some(suggested) = suggested(&explained, self.indexes)
            && let Some(schema) = self.hypopg.clone()
        {
            plan.tried = self.with_index(&schema, &suggested, (sql, parameters), &path)?;
        }
        Ok(Ok(plan))
    }

    /// Plans it in a transaction of its own, with a `search_path` that is a literal.
    fn explain(
        &mut self,
        sql: &str,
        parameters: usize,
        path: &str,
    ) -> Result<Result<Value, Refused>, WireError> {
        let begin = format!(
            "BEGIN READ ONLY; SET LOCAL statement_timeout = '1s'; SET LOCAL lock_timeout = '100ms'; \
             SET LOCAL plan_cache_mode = force_generic_plan; SELECT pg_catalog.set_config('search_path', {path}, true)"
        );
        let mut answer = self.session.ask_aside(&begin)?.map(|_| Vec::new());
        let mut is_prepared = false;
        if answer.is_ok() {
            answer = self.session.ask_aside(&format!("PREPARE narrows_plan AS {sql}"))?;
            is_prepared = answer.is_ok();
        }
        if is_prepared {
            let nulls = vec!["NULL"; parameters].join(", ");
            let arguments = if parameters == 0 { String::new() } else { format!(" ({nulls})") };
            let explain = format!("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE narrows_plan{arguments}");
            answer = self.session.ask_aside(&explain)?;
        }
        // Whatever became of it: the transaction ends, and nothing stays prepared.
        let _ = self.session.ask_aside("ROLLBACK")?;
        if is_prepared {
            let _ = self.session.ask_aside("DEALLOCATE narrows_plan")?;
        }
        Ok(match answer {
            Ok(rows) => rows
                .first()
                .and_then(|row| serde_json::from_str(text(row, 0)?).ok())
                .ok_or_else(|| "a plan in JSON".to_string()),
            Err(NoAnswer::Late) => {
                Err("a server that plans it within 1 s and gives its locks within 100 ms".into())
            }
            Err(NoAnswer::Refused(code)) => Err(needs(&code)),
        })
    }

    /// Plans it once more with an index that is in our session's memory alone.
    fn with_index(
        &mut self,
        schema: &str,
        index: &Suggested,
        (sql, parameters): (&str, usize),
        path: &str,
    ) -> Result<Option<TriedIndex>, WireError> {
        let Some(create) = literal(&index.statement()) else { return Ok(None) };
        let create = format!("SELECT indexname FROM {schema}.hypopg_create_index({create})");
        let made = self.session.ask_aside(&create)?.unwrap_or_default();
        let mut tried = None;
        if let Some(name) = made.first().and_then(|row| text(row, 0))
            && let Ok(explained) = self.explain(sql, parameters, path)?
            && let Some(plan) = plan_of("", &explained)
        {
            let name = shown(name);
            tried = Some(TriedIndex {
                table: index.table_shown(),
                columns: index.columns.iter().map(|c| shown(c)).collect::<Vec<_>>().join(", "),
                used: plan.nodes.iter().any(|node| node.index.as_deref() == Some(&name)),
                cost: plan.cost,
            });
        }
        let _ = self.session.ask_aside(&format!("SELECT {schema}.hypopg_reset()"))?;
        Ok(tried)
    }
}

/// What a statement that the server refuses to plan would need.
fn needs(code: &str) -> String {
    match code {
        "42501" => "rights on the statement's tables: SELECT, and that of the change where it makes one".to_string(),
        "42P01" | "3F000" | "42883" | "42704" | "42703" => {
            "USAGE on the schema of the statement's tables, or the search_path that its sessions set themselves: they are not found by that of their user".to_string()
        }
        "42601" | "42P18" | "42P02" | "42804" | "42P08" => {
            "values for its parameters: their types can't be told from the text".to_string()
        }
        code => format!("a server that doesn't refuse to plan it (SQLSTATE {code})"),
    }
}

#[cfg(test)]
#[path = "plans/candidates_test.rs"]
mod tests;
