//! The book's page of causes: the table of `crates/causes`, as validity's is printed.

use narrows_causes::{CauseRule, rules};
use narrows_model::Urgency;

use super::Generated;
use super::findings::plain;

const PAGE: &str = "docs/src/findings/causes.md";

const INTRODUCTION: &str = "\
# Causes: an observed server

<!-- written by `cargo xtask docs` from crates/causes -->

`narrows observe URL` names the resource that binds ([Verdict](../methods/verdict.md)). A cause says who or what takes it, by the
server's own statistics and by samples ([An observed server](../methods/observe.md)): the figures, what speaks against it, what to
do, how to undo and verify that. narrows runs none of the statements that it prints.

Causes that stop sessions now come first, by the number of sessions behind them; then those that take performance, by what they take of
the sessions' time (a share of CPU time counts whole where CPUs bind, else for the part of session time that is CPU time; reads and WAL likewise), those
that name a consumer without a reason behind the others; then risks that nobody waits for yet. At most three causes of a rule are printed. A cause that is the effect of another (column
*includes*) is left out where both are about the same table, statement or session, or one of them is about the whole server.

A **share** is of session time (active sessions and parallel workers, by samples), of CPU time, of blocks read into shared_buffers or
of WAL, and is an upper bound: what would go if the cause took nothing. A **gain** follows from it by the verdict's law and is
printed only where the verdict names that resource: a share *s* less of it allows at most 1 / (1 − *s*) times the throughput, with
*s* at the upper end of its 95 % interval where samples told it, and not more than the next limit that is known, unless the cause uses that too. Where clients or another resource are the bottleneck, less
work gives no throughput, and no gain is printed.

A rule needs figures: without `pg_stat_statements`, without `pg_monitor`, or with fewer than 20 samples of sessions (5 where counters
prove that nothing ended), rules that need them stay silent. With fewer than 50, a share of session time counts at the lower end of its 95 % interval. Silence is no
proof of health.

Rules whose names begin with `mariadb-` are asked of [MariaDB](../methods/observe-mariadb.md) alone, the others of PostgreSQL alone. Of a MariaDB no gain is
printed, because no bottleneck is named.
";

pub(super) fn file() -> Generated {
    let mut text = INTRODUCTION.to_string();
    for (urgency, title) in [
        (Urgency::Now, "Now: sessions stand still"),
        (Urgency::Performance, "Performance"),
        (Urgency::Risk, "Risk"),
    ] {
        let of = |mariadb: bool| {
            let these = rules().iter().filter(move |rule| rule.urgency == urgency);
            these.filter(move |rule| rule.id.starts_with("mariadb-") == mariadb)
        };
        text += &table(title, of(false).collect());
        text += &table(&format!("{title}, MariaDB"), of(true).collect());
    }
    Generated::new(PAGE, text)
}

fn table(title: &str, of: Vec<&CauseRule>) -> String {
    let rules = if of.len() == 1 { "1 rule".to_string() } else { format!("{} rules", of.len()) };
    let mut text = format!("\n## {title}\n\n{rules}.\n\n");
    text += "| rule | fires when | against | includes | source |\n";
    text += "| --- | --- | --- | --- | --- |\n";
    of.into_iter().for_each(|rule| text += &row(rule));
    text
}

fn row(rule: &CauseRule) -> String {
    let includes: Vec<String> = rule.supersedes.iter().map(|id| format!("`{id}`")).collect();
    let [what, decides, against, reference] =
        [rule.what, rule.decides, rule.against, rule.reference].map(plain);
    format!(
        "| `{}`: {what} | {decides} | {against} | {} | {reference} |\n",
        rule.id,
        includes.join(", ")
    )
}
