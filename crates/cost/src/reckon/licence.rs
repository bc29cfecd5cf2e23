//! Licences: how many by the rule, what they cost over the years, and what the rule forbids.

use narrows_plan::PlanError;
use toml::Spanned;

use super::items::key_of;
use super::server::Server;
use super::{From, Reckoning};
use crate::entry::LicenceEntry;
use crate::rules::{Counts, Rule, Term};
use crate::sheet::{Basis, Expr, Group, Range};

const MONTHS: f64 = 12.0;
const GIGABYTE: f64 = 1e9;

/// What licences there are.
#[derive(Debug, Clone, Default)]
pub(super) struct Licences {
    /// What each product costs over the years.
    pub sums: Vec<Expr>,
    /// How many licences of the first product there are, in packs where it comes in packs.
    pub count: Option<Expr>,
}

/// Licences of all products.
pub(super) fn add(
    r: &mut Reckoning<'_>,
    entries: &[Spanned<LicenceEntry>],
    server: &Server,
) -> Result<Licences, PlanError> {
    let mut sums = Vec::new();
    let mut first = None;
    let mut seen: Vec<&str> = Vec::new();
    for entry in entries {
        let id = &entry.get_ref().rule;
        let rules = r.question.rules;
        let Some(rule) = rules.get(id.get_ref().trim()) else {
            let names = rules.all().iter().map(|rule| rule.id.as_str());
            let hint = match narrows_limits::table::nearest(id.get_ref(), names.clone()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("known are {}", names.collect::<Vec<_>>().join(", ")),
            };
            let why = format!("no rule is named `{}`", id.get_ref());
            return Err(r.reader.refused(id, "cost.licence: rule", why, hint));
        };
        if seen.contains(&rule.id.as_str()) {
            let hint = "one table for each rule; counted = … adds up what is licensed by it";
            return Err(r.reader.refused(id, "cost.licence: rule", "is named twice", hint));
        }
        seen.push(&rule.id);
        let (sum, count) = one(r, rule, entry, server)?;
        sums.push(sum);
        first = first.or(count);
    }
    if sums.len() > 1 {
        let currency = r.currency.clone();
        let all = Expr::sum(sums.clone());
        r.sheet.headline(
            (Group::Licence, "licence.all"),
            "licences over the years",
            &currency,
            all,
        );
    } else if let Some(only) = sums.first() {
        r.sheet.shown(only);
    }
    Ok(Licences { sums, count: first })
}

fn one(
    r: &mut Reckoning<'_>,
    rule: &Rule,
    entry: &Spanned<LicenceEntry>,
    server: &Server,
) -> Result<(Expr, Option<Expr>), PlanError> {
    let key = |last: &str| format!("licence.{}.{last}", key_of(&rule.id));
    if rule.counts == Counts::None {
        let from =
            From { basis: Basis::Rule, source: rule.source.clone(), date: Some(rule.date.clone()) };
        let currency = r.currency.clone();
        let title = format!("{}: no fee", rule.id);
        let place = (Group::Licence, &*key("sum"));
        return Ok((r.given(place, &title, &currency, Some(Range::exact(0.0)), &from), None));
    }
    allowed(r, rule, entry, server)?;
    let licences = licences(r, rule, entry, server)?;
    let fee = fee(r, rule, entry, licences.clone())?;
    let currency = r.currency.clone();
    let years = r.years.clone();
    let support = match &entry.get_ref().support {
        Some(text) => Some((
            r.reader.share(&format!("licence {}: support", rule.id), text)?,
            "the description",
        )),
        None => rule.support_per_year.map(|share| (share, rule.source.as_str())),
    };
    let sum = match (rule.term, support) {
        (Term::Once, Some((share, source))) => {
            let from = From {
                basis: Basis::Rule,
                source: source.to_string(),
                date: Some(rule.date.clone()),
            };
            let title = format!("{}: support for a year, of the fee", rule.id);
            let share = r.given((Group::Licence, &key("support")), &title, "", Some(share), &from);
            fee.clone() + fee * share * years
        }
        (Term::Once, None) => {
            r.notes.push(format!(
                "{}: the rule has no price of support, so none is in it",
                rule.title
            ));
            fee
        }
        (Term::Month, _) => fee * MONTHS * years,
        (Term::Year, _) => fee * years,
    };
    if let Some(note) = &rule.note {
        r.notes.push(format!("{}: {note}", rule.title));
    }
    let title = format!("licences {} over the years", rule.id);
    Ok((r.sheet.computed((Group::Licence, &key("sum")), &title, &currency, sum), Some(licences)))
}

/// Licences, or packs of them.
fn licences(
    r: &mut Reckoning<'_>,
    rule: &Rule,
    entry: &Spanned<LicenceEntry>,
    server: &Server,
) -> Result<Expr, PlanError> {
    let key = |last: &str| format!("licence.{}.{last}", key_of(&rule.id));
    let what = format!("licence {}", rule.id);
    let counted = match &entry.get_ref().counted {
        Some(figure) => {
            let value = r.reader.count(&format!("{what}: counted"), figure)?;
            let from =
                From { basis: Basis::Described, source: "the description".into(), date: None };
            let title = format!("{} licensed", rule.counts.plural());
            r.given((Group::Licence, &key("counted")), &title, rule.counts.plural(), value, &from)
        }
        None => {
            let of = match rule.counts {
                Counts::Core => server.cores.clone(),
                Counts::Socket => server.sockets.clone(),
                Counts::Vcpu => server.vcpus.clone(),
                Counts::Server | Counts::None => Some(server.servers.clone()),
            };
            let Some(of) = of else {
                let plural = rule.counts.plural();
                let why = format!("counts {plural}, and nothing says how many there are");
                let hint =
                    format!("add [cost.server] {} = …, or counted = … here", plural.to_lowercase());
                return Err(r.reader.refused(&entry.get_ref().rule, &what, why, hint));
            };
            of
        }
    };
    let mut counted = counted;
    if let (Some(least), Some(sockets)) = (rule.least_per_socket, &server.sockets)
        && entry.get_ref().counted.is_none()
    {
        counted = counted.at_least(sockets.clone() * least);
    }
    let from =
        From { basis: Basis::Rule, source: rule.source.clone(), date: Some(rule.date.clone()) };
    let factor = if rule.factor == Range::exact(1.0) {
        None
    } else {
        let title = format!("{}: licences for each of its {}", rule.id, rule.counts.plural());
        Some(r.given((Group::Licence, &key("factor")), &title, "", Some(rule.factor), &from))
    };
    let mut licences = match factor {
        Some(factor) => (counted * factor).rounded_up(),
        None => counted.rounded_up(),
    };
    if let Some(least) = rule.least {
        licences = licences.at_least(server.servers.clone() * least);
    }
    let (title, licences) = match rule.pack {
        Some(pack) => (format!("{}: packs of {pack}", rule.id), (licences / pack).rounded_up()),
        None => (format!("{}: licences", rule.id), licences),
    };
    Ok(r.sheet.computed((Group::Licence, &key("count")), &title, "", licences))
}

/// What they cost once, or for each month or year of a subscription.
fn fee(
    r: &mut Reckoning<'_>,
    rule: &Rule,
    spanned: &Spanned<LicenceEntry>,
    licences: Expr,
) -> Result<Expr, PlanError> {
    let entry = spanned.get_ref();
    let key = |last: &str| format!("licence.{}.{last}", key_of(&rule.id));
    let what = format!("licence {}", rule.id);
    let (price, from) = match &entry.price {
        Some(figure) => {
            let price = r.reader.price(&format!("{what}: price"), figure)?;
            let from = (&entry.source, &entry.date);
            (price, r.priced(&what, price.is_some(), spanned.span(), from)?)
        }
        None => {
            let same = rule.currency.as_deref().is_none_or(|currency| currency == r.currency);
            if !same {
                let list = rule.currency.as_deref().unwrap_or_default();
                r.notes.push(format!(
                    "{}: its published price is in {list}, the description is in {}: give a price of yours",
                    rule.title, r.currency
                ));
            }
            let from = From {
                basis: Basis::Price,
                source: format!("list price; {}", rule.source),
                date: Some(rule.date.clone()),
            };
            (rule.price.filter(|_| same), from)
        }
    };
    let unit = r.per(if rule.pack.is_some() { "pack" } else { "licence" });
    let title = format!("{}: price", rule.id);
    let price = r.given((Group::Licence, &key("price")), &title, &unit, price, &from);
    let mut fee = licences * price;
    if let Some(discount) = &entry.discount {
        let share = r.reader.share(&format!("{what}: discount"), discount)?;
        let from = r.sourced(&what, discount.span(), &entry.source)?;
        let title = format!("{}: discount", rule.id);
        let share = r.given((Group::Licence, &key("discount")), &title, "", Some(share), &from);
        fee = fee * (Expr::Number(1.0) - share);
    }
    let currency = r.currency.clone();
    let title = format!("{}: fee", rule.id);
    let unit = match rule.term {
        Term::Once => currency,
        Term::Month => r.per("month"),
        Term::Year => r.per("year"),
    };
    Ok(r.sheet.computed((Group::Licence, &key("fee")), &title, &unit, fee))
}

/// What a product may run on, server by server.
fn allowed(
    r: &mut Reckoning<'_>,
    rule: &Rule,
    entry: &Spanned<LicenceEntry>,
    server: &Server,
) -> Result<(), PlanError> {
    let each = |r: &Reckoning<'_>, of: &Option<Expr>| {
        let servers = r.sheet.value(&server.servers)?;
        Some(r.sheet.value(of.as_ref()?)? / servers.max(1.0))
    };
    let sockets = each(r, &server.sockets);
    let vcpus = each(r, &server.vcpus);
    for (have, most, what) in
        [(sockets, rule.most_sockets, "sockets"), (vcpus, rule.most_vcpus, "vCPUs")]
    {
        if let (Some(have), Some(most)) = (have, most)
            && have > most
        {
            let why = format!(
                "{} may run on at most {most} {what} of a server, and here are {have}",
                rule.title
            );
            let hint = "use another edition or a smaller server; a file given with --rules overrides the rule";
            return Err(r.reader.refused(&entry.get_ref().rule, "cost.licence", why, hint));
        }
    }
    let cores = each(r, &server.cores);
    let memory = each(r, &server.memory);
    for (have, most, what) in [
        (cores, rule.most_cores, "cores"),
        (memory, rule.most_memory.map(|bytes| bytes / GIGABYTE), "GB of memory"),
    ] {
        if let (Some(have), Some(most)) = (have, most)
            && have > most
        {
            r.notes.push(format!(
                "{} uses at most {most:.0} {what} of a server, and here are {have:.0}: throughput of the rest is not to be had",
                rule.title
            ));
        }
    }
    Ok(())
}
