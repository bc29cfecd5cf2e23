//! What of a server its products use: some use so many cores, threads, sockets or so much memory at most.
//!
//! What is above that is paid for and earns nothing, so what a core costs is told of those that are used.

use super::server::Server;
use super::{From, Reckoning};
use crate::rules::Rule;
use crate::sheet::{Basis, Expr, Group, Range};

const GIGABYTE: f64 = 1e9;

/// What all products of a description use.
#[derive(Debug, Clone, Default)]
pub(super) struct Used {
    /// Cores of all servers together; absent where all are used, or nothing says how many there are.
    pub cores: Option<Expr>,
    /// Cores of one server at most, whether it has as many or not.
    pub most_cores: Option<f64>,
    /// Threads of one server at most, where nothing says how many a core has.
    pub most_threads: Option<f64>,
}

/// One limit: its key in the rule, what it counts, so many of them, and how many cores of a server these are.
struct Limit {
    key: &'static str,
    counts: &'static str,
    most: f64,
    cores: f64,
}

/// Adds one product's limits; a limit above what a server has changes nothing.
pub(super) fn of_product(r: &mut Reckoning<'_>, rule: &Rule, server: &Server, used: &mut Used) {
    memory(r, rule, server);
    let limits = limits(r, rule, server);
    if let (Some(threads), None) = (rule.most_threads, &server.threads_per_core) {
        used.most_threads = Some(used.most_threads.map_or(threads, |most| most.min(threads)));
    }
    let Some(least) = limits.into_iter().min_by(|a, b| a.cores.total_cmp(&b.cores)) else { return };
    used.most_cores = Some(used.most_cores.map_or(least.cores, |most| most.min(least.cores)));
    let Some(cores) = server.cores.clone() else { return };
    if each(r, server, &Some(cores.clone())).is_none_or(|have| have <= least.cores) {
        return;
    }
    let key = |last: &str| format!("licence.{}.{last}", super::items::key_of(&rule.id));
    let from =
        From { basis: Basis::Rule, source: rule.source.clone(), date: Some(rule.date.clone()) };
    let title = format!("{}: {} of a server that it uses at most", rule.id, least.counts);
    let value = Some(Range::exact(least.most));
    let most = r.given((Group::Licence, &key(least.key)), &title, least.counts, value, &from);
    let uses = match (least.key, &server.threads_per_core, &server.sockets) {
        ("most_threads", Some(threads), _) => of_all(server, most / threads.clone()),
        // Of all servers together: sockets that are used, and cores of a socket.
        ("most_used_sockets", _, Some(sockets)) => {
            of_all(server, most) * cores.clone() / sockets.clone()
        }
        _ => of_all(server, most),
    };
    let title = format!("{}: cores that it uses", rule.id);
    let uses = cores.at_most(uses);
    let uses = r.sheet.headline((Group::Licence, &key("used_cores")), &title, "cores", uses);
    r.notes.push(format!(
        "{} uses at most {} {} of a server: what the other cores cost is shared by those that it uses",
        rule.title, least.most, least.counts
    ));
    let fewer = |known: &Expr| r.sheet.value(&uses) < r.sheet.value(known);
    if used.cores.as_ref().is_none_or(fewer) {
        used.cores = Some(uses);
    }
}

/// Limits of a rule in cores of one server.
fn limits(r: &Reckoning<'_>, rule: &Rule, server: &Server) -> Vec<Limit> {
    let mut all = Vec::new();
    if let Some(most) = rule.most_cores {
        all.push(Limit { key: "most_cores", counts: "cores", most, cores: most });
    }
    if let Some(most) = rule.most_threads {
        let threads = server.threads_per_core.as_ref().and_then(|line| r.sheet.value(line));
        let cores = most / threads.unwrap_or(1.0);
        all.push(Limit { key: "most_threads", counts: "threads", most, cores });
    }
    if let Some(most) = rule.most_used_sockets {
        let cores = each(r, server, &server.cores).zip(each(r, server, &server.sockets));
        if let Some((cores, sockets)) = cores.filter(|(_, sockets)| *sockets > most) {
            let cores = most * cores / sockets;
            all.push(Limit { key: "most_used_sockets", counts: "sockets", most, cores });
        }
    }
    all
}

/// The memory that a product uses, where a server has more.
fn memory(r: &mut Reckoning<'_>, rule: &Rule, server: &Server) {
    let (Some(most), Some(memory)) = (rule.most_memory, server.memory.clone()) else { return };
    let most = most / GIGABYTE;
    let Some(have) = each(r, server, &server.memory).filter(|have| *have > most) else { return };
    let key = |last: &str| format!("licence.{}.{last}", super::items::key_of(&rule.id));
    let from =
        From { basis: Basis::Rule, source: rule.source.clone(), date: Some(rule.date.clone()) };
    let title = format!("{}: memory of a server that it uses at most", rule.id);
    let value = Some(Range::exact(most));
    let most_line = r.given((Group::Licence, &key("most_memory")), &title, "GB", value, &from);
    let uses = memory.at_most(of_all(server, most_line));
    let title = format!("{}: memory that it uses", rule.id);
    r.sheet.headline((Group::Licence, &key("used_memory")), &title, "GB", uses);
    r.notes.push(format!(
        "{} uses at most {most:.0} GB of memory of a server, and here are {have:.0}: a smaller pool reads more, and how much more is not in these \
         figures; leave the price of memory that it does not use out of the description",
        rule.title
    ));
}

/// Of each server, by the description.
pub(super) fn each(r: &Reckoning<'_>, server: &Server, of: &Option<Expr>) -> Option<f64> {
    let servers = r.sheet.value(&server.servers)?;
    Some(r.sheet.value(of.as_ref()?)? / servers.max(1.0))
}

/// Of all servers.
fn of_all(server: &Server, of_one: Expr) -> Expr {
    match server.servers {
        Expr::Number(1.0) => of_one,
        _ => server.servers.clone() * of_one,
    }
}
