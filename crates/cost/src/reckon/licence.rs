//! Licences: how many by the rule, what they cost over the years, and what the rule forbids.

use narrows_plan::PlanError;
use toml::Spanned;

use super::caps::{self, Used};
use super::items::key_of;
use super::server::Server;
use super::{From, Reckoning, Sums};
use crate::entry::{Figure, LicenceEntry};
use crate::rules::{Counts, Rule, Term};
use crate::sheet::{Basis, Expr, Group, Range};

const MONTHS: f64 = 12.0;

/// What licences there are.
#[derive(Debug, Clone, Default)]
pub(super) struct Licences {
    /// How many licences of the first product there are, in packs where it comes in packs.
    pub count: Option<Expr>,
    /// All of them together; absent without any.
    pub all: Option<Expr>,
    /// Whether their number follows the processors: none is by socket or server, or for a part of them.
    pub by_processor: bool,
    /// What of a server all products use.
    pub used: Used,
}

/// Licences of all products.
pub(super) fn add(
    r: &mut Reckoning<'_>,
    entries: &[Spanned<LicenceEntry>],
    server: &Server,
    sums: &mut Sums,
) -> Result<Licences, PlanError> {
    r.few("cost.licence", entries)?;
    let mut own = Vec::new();
    let mut first = None;
    let mut by_processor = !entries.is_empty();
    let mut used = Used::default();
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
        together(r, rule, entry, entries)?;
        let follows = matches!(rule.counts, Counts::Core | Counts::Vcpu | Counts::None);
        by_processor &= follows && entry.get_ref().counted.is_none();
        let (sum, count) = one(r, rule, entry, server, sums)?;
        own.push(sum);
        first = first.or(count);
        caps::of_product(r, rule, server, &mut used);
    }
    let all = (!own.is_empty()).then(|| {
        let currency = r.currency.clone();
        let all = Expr::sum(own);
        r.sheet.headline((Group::Licence, "licence.all"), "licences over the years", &currency, all)
    });
    Ok(Licences { count: first, all, by_processor, used })
}

/// Refuses an option without what it is an option of, and two editions for the same processors.
fn together(
    r: &Reckoning<'_>,
    rule: &Rule,
    entry: &Spanned<LicenceEntry>,
    entries: &[Spanned<LicenceEntry>],
) -> Result<(), PlanError> {
    let id = &entry.get_ref().rule;
    let others = || entries.iter().filter(|other| other.get_ref().rule.get_ref().trim() != rule.id);
    if let Some(needs) = &rule.needs
        && !others().any(|other| other.get_ref().rule.get_ref().trim() == needs)
    {
        let why = format!("is an option of {needs}, which is not licensed here");
        let hint = format!("add [[cost.licence]] rule = \"{needs}\"");
        return Err(r.reader.refused(id, "cost.licence: rule", why, hint));
    }
    let same_family = |other: &&Spanned<LicenceEntry>| {
        let rule_of = r.question.rules.get(other.get_ref().rule.get_ref().trim());
        rule.family.is_some() && rule_of.is_some_and(|other| other.family == rule.family)
    };
    if let Some(other) = others().find(same_family)
        && (other.get_ref().counted.is_none() || entry.get_ref().counted.is_none())
    {
        let why = format!(
            "and {} are editions of one product for the same processors",
            other.get_ref().rule.get_ref()
        );
        let hint = "give both counted = …, how many each of them covers, or leave one out";
        return Err(r.reader.refused(id, &format!("cost.licence: {}", rule.id), why, hint));
    }
    Ok(())
}

fn one(
    r: &mut Reckoning<'_>,
    rule: &Rule,
    entry: &Spanned<LicenceEntry>,
    server: &Server,
    sums: &mut Sums,
) -> Result<(Expr, Option<Expr>), PlanError> {
    let key = |last: &str| format!("licence.{}.{last}", key_of(&rule.id));
    if rule.counts == Counts::None {
        let from =
            From { basis: Basis::Rule, source: rule.source.clone(), date: Some(rule.date.clone()) };
        let currency = r.currency.clone();
        let title = format!("{}: no fee", rule.id);
        let place = (Group::Licence, &*key("sum"));
        let sum = r.given(place, &title, &currency, Some(Range::exact(0.0)), &from);
        sums.once(sum.clone());
        return Ok((sum, None));
    }
    allowed(r, rule, entry, server)?;
    let licences = licences(r, rule, entry, server)?;
    let fee = fee(r, rule, entry, licences.clone())?;
    let currency = r.currency.clone();
    let years = r.years.clone();
    let support = match &entry.get_ref().support {
        Some(text) => {
            let what = format!("licence {}: support", rule.id);
            if rule.term != Term::Once {
                let why = "is paid each month or year, which has no support beside it";
                return Err(r.reader.refused(text, &what, why, "leave support out"));
            }
            let source = "the description".to_string();
            let from = From { basis: Basis::Described, source, date: None };
            Some((r.reader.share(&what, text)?, from))
        }
        None => rule.support_per_year.map(|share| {
            let (source, date) = (rule.source.clone(), Some(rule.date.clone()));
            (share, From { basis: Basis::Rule, source, date })
        }),
    };
    let (paid_once, each_year) = match (rule.term, &support) {
        (Term::Once, _) => (Some(fee.clone()), None),
        (Term::Month, _) => (None, Some(fee.clone() * MONTHS)),
        (Term::Year, _) => (None, Some(fee.clone())),
    };
    let mut supported = None;
    let sum = match (rule.term, support) {
        (Term::Once, Some((share, from))) => {
            let title = format!("{}: support for a year, of the fee", rule.id);
            let share = r.share((Group::Licence, &key("support")), &title, share, &from);
            supported = Some(fee.clone() * share.clone());
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
    let sum = r.sheet.computed((Group::Licence, &key("sum")), &title, &currency, sum);
    match (paid_once, each_year.or(supported)) {
        (Some(once), Some(each_year)) => sums.both(sum.clone(), once, each_year),
        (None, Some(each_year)) => sums.each_year(sum.clone(), each_year),
        (_, None) => sums.once(sum.clone()),
    }
    Ok((sum, Some(licences)))
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
            whole(r, &what, figure, value)?;
            more_than_described(r, rule, server, value);
            let from =
                From { basis: Basis::Described, source: "the description".into(), date: None };
            let title = format!("{} licensed", rule.counts.plural());
            r.given((Group::Licence, &key("counted")), &title, rule.counts.plural(), value, &from)
        }
        None => {
            let Some(of) = described(rule, server) else {
                let plural = rule.counts.plural();
                let why = format!("counts {plural}, and nothing says how many there are");
                let hint = match (rule.counts, &server.vcpus) {
                    (Counts::Core, Some(_)) => {
                        "of a virtual machine some products license its vCPUs as cores: counted = 16; \
                         Oracle has rules of its own for clouds"
                            .to_string()
                    }
                    _ => {
                        let key = plural.to_lowercase();
                        format!("add [cost.server] {key} = …, or counted = … here")
                    }
                };
                return Err(r.reader.refused(&entry.get_ref().rule, &what, why, hint));
            };
            of
        }
    };
    let mut counted = counted;
    if let Some(least) = rule.least_per_socket.filter(|_| entry.get_ref().counted.is_none()) {
        let Some(sockets) = &server.sockets else {
            let why = format!(
                "licenses at least {least} cores for each socket, and nothing says how many there are"
            );
            let hint = "add [cost.server] sockets = …; a virtual machine counts as one";
            return Err(r.reader.refused(&entry.get_ref().rule, &what, why, hint));
        };
        counted = counted.at_least(sockets.clone() * least);
    }
    let from =
        From { basis: Basis::Rule, source: rule.source.clone(), date: Some(rule.date.clone()) };
    let one_thread =
        server.threads_per_core.as_ref().is_some_and(|threads| r.sheet.value(threads) == Some(1.0));
    let by_rule = rule.factor_without_threads.filter(|_| one_thread).unwrap_or(rule.factor);
    let factor = (by_rule != Range::exact(1.0)).then(|| {
        let title = format!("{}: licences for each of its {}", rule.id, rule.counts.plural());
        r.given((Group::Licence, &key("factor")), &title, "", Some(by_rule), &from)
    });
    let times = |counted: Expr| match factor {
        Some(factor) => (counted * factor).rounded_up(),
        None => counted.rounded_up(),
    };
    // Instances are licensed one by one.
    let one_by_one = rule.counts == Counts::Vcpu && server.servers != Expr::Number(1.0);
    let mut licences = if one_by_one && entry.get_ref().counted.is_none() {
        times(counted / server.servers.clone()) * server.servers.clone()
    } else {
        times(counted)
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

/// What the rule counts, of all servers.
fn described(rule: &Rule, server: &Server) -> Option<Expr> {
    match rule.counts {
        Counts::Core => server.cores.clone(),
        Counts::Socket => server.sockets.clone(),
        Counts::Vcpu => server.vcpus.clone(),
        Counts::Server | Counts::None => Some(server.servers.clone()),
    }
}

/// What is counted comes whole, at each end of its range.
fn whole(
    r: &Reckoning<'_>,
    what: &str,
    figure: &Figure,
    value: Option<Range>,
) -> Result<(), PlanError> {
    match value {
        Some(value) if value.low.fract() != 0.0 || value.high.fract() != 0.0 => {
            let what = format!("{what}: counted");
            Err(r.reader.source.error(&figure.span(), what, "comes whole", "write a whole number"))
        }
        _ => Ok(()),
    }
}

/// Tells where more is licensed than is described: servers elsewhere, or a slip.
fn more_than_described(r: &mut Reckoning<'_>, rule: &Rule, server: &Server, value: Option<Range>) {
    let there = described(rule, server).and_then(|line| r.sheet.value(&line));
    if let (Some(counted), Some(there)) = (value, there)
        && counted.high > there
    {
        let [counted, there] = [counted.high, there].map(crate::sheet::number);
        r.notes.push(format!(
            "{}: {counted} {} are licensed, and {there} are described",
            rule.id,
            rule.counts.plural()
        ));
    }
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
            let free = rule.price.is_none_or(|price| price.high == 0.0);
            let same = free || rule.currency.as_deref() == Some(r.currency.as_str());
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
        let share = r.share((Group::Licence, &key("discount")), &title, share, &from);
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
    r: &Reckoning<'_>,
    rule: &Rule,
    entry: &Spanned<LicenceEntry>,
    server: &Server,
) -> Result<(), PlanError> {
    let sockets = caps::each(r, server, &server.sockets);
    let vcpus = caps::each(r, server, &server.vcpus);
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
    Ok(())
}
