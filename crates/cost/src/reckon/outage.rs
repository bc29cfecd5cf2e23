//! Outages: minutes of a year without service, and with a cold cache, and what they cost.
//!
//! An event lasts from its beginning until service is back: detection, failover, recovery of the log. Then the cache is read again; while it
//! is, a part of the throughput is missing. Minutes are of throughput that is missing altogether.

use narrows_plan::PlanError;
use toml::Spanned;

use super::cold::MissCurve;
use super::items::key_of;
use super::{From, Reckoning};
use crate::entry::{CostEntry, OutageEntry, Text};
use crate::sheet::{Basis, Expr, Group, Range};

const SECONDS_OF_A_MINUTE: f64 = 60.0;
const MINUTES_OF_A_YEAR: f64 = 525_600.0;

pub(super) fn add(r: &mut Reckoning<'_>, entry: &CostEntry, total: &Expr) -> Result<(), PlanError> {
    r.few("cost.outage", &entry.outage)?;
    let (mut minutes, mut names) = (Vec::new(), Vec::new());
    for outage in &entry.outage {
        names.push(r.new_key("cost.outage", &names, &outage.get_ref().name)?);
        minutes.push(one(r, outage)?);
    }
    if minutes.is_empty() {
        if let Some(price) = &entry.outage_minute {
            let hint = "add [[cost.outage]] with name, per_year, source and how long it lasts";
            let why = "has a price, and no outage is described";
            return Err(r.reader.source.error(&price.span(), "cost: outage_minute", why, hint));
        }
        return Ok(());
    }
    let at = |key: &'static str| (Group::Outage, key);
    let title = "minutes of missing service in a year";
    let minutes = r.sheet.headline(at("outage.minutes"), title, "min per year", Expr::sum(minutes));
    let Some(price) = &entry.outage_minute else {
        r.notes.push("outages: without outage_minute they have minutes and no money".to_string());
        return Ok(());
    };
    let value = r.reader.price("cost: outage_minute", price)?;
    let from = r.sourced("cost: outage_minute", price.span(), &entry.outage_minute_source)?;
    let unit = r.per("minute");
    let from = From { basis: Basis::Price, ..from };
    let price = r.given(at("outage.minute"), "a minute without service", &unit, value, &from);
    let currency = r.currency.clone();
    let cost = minutes * price * r.years.clone();
    let cost = r.sheet.headline(at("outage.cost"), "outages over the years", &currency, cost);
    r.sheet.headline(at("outage.total"), "all of it with outages", &currency, total.clone() + cost);
    Ok(())
}

/// Minutes of missing service that one kind of event makes in a year.
fn one(r: &mut Reckoning<'_>, spanned: &Spanned<OutageEntry>) -> Result<Expr, PlanError> {
    let entry = spanned.get_ref();
    let name = r.reader.prose("cost.outage: name", &entry.name)?;
    let what = format!("outage {name}");
    let from = r.sourced(&what, spanned.span(), &entry.source)?;
    let key = |last: &str| format!("outage.{}.{last}", key_of(&name));
    let per_year = r.reader.within(&format!("{what}: per_year"), &entry.per_year, 0.0..=1e5)?;
    let place = (Group::Outage, &*key("per_year"));
    let per_year =
        r.given(place, &format!("{name}: events in a year"), "per year", per_year, &from);
    let mut lasts = Vec::new();
    for (text, last, title) in [
        (&entry.detection, "detection", "until it is noticed"),
        (&entry.failover, "failover", "until another takes over"),
        (&entry.recovery, "recovery", "until service is back after that"),
    ] {
        let Some(text) = text else { continue };
        let seconds = r.reader.seconds(&format!("{what}: {last}"), text)?;
        let title = format!("{name}: {title}");
        lasts.push(r.given((Group::Outage, &key(last)), &title, "s", Some(seconds), &from));
    }
    if let Some(seconds) =
        reading(r, (&name, &key("redo")), "log to apply", (&entry.redo, &entry.redo_rate), &from)?
    {
        lasts.push(seconds);
    }
    let loss = share(
        r,
        (&what, &key("loss")),
        &format!("{name}: throughput missing meanwhile"),
        &entry.loss,
        &from,
    )?;
    let mut missing = Expr::sum(lasts);
    if let Some(loss) = loss {
        missing = missing * loss;
    }
    if let Some(cold) = cold(r, spanned, &name, &from)? {
        missing = missing + cold;
    }
    if missing == Expr::Number(0.0) {
        let why = "has no duration";
        let hint = "add detection, failover, recovery, redo with redo_rate, or warm with warm_rate";
        return Err(r.reader.source.error(&spanned.span(), what, why, hint));
    }
    let title = format!("{name}: missing service in a year");
    let minutes = per_year * missing / SECONDS_OF_A_MINUTE;
    if r.sheet.value(&minutes).is_some_and(|minutes| minutes > MINUTES_OF_A_YEAR) {
        let why = "lasts longer in a year than the year does";
        let hint = "per_year counts events, and each duration has its unit: \"30 s\", \"20 min\"";
        return Err(r.reader.source.error(&spanned.span(), what, why, hint));
    }
    Ok(r.sheet.computed((Group::Outage, &key("minutes")), &title, "min per year", minutes))
}

/// Seconds of missing service while the cache is read again, of one event.
fn cold(
    r: &mut Reckoning<'_>,
    spanned: &Spanned<OutageEntry>,
    name: &str,
    from: &From,
) -> Result<Option<Expr>, PlanError> {
    let entry = spanned.get_ref();
    let what = format!("outage {name}");
    let key = |last: &str| format!("outage.{}.{last}", key_of(name));
    let title = format!("{name}: throughput missing with a cold cache");
    let refuse = |r: &Reckoning<'_>, why: &str, hint: &str| {
        Err(r.reader.source.error(&spanned.span(), what.as_str(), why, hint))
    };
    if let Some(points) = &entry.miss_curve {
        let (None, None, Some(rate)) = (&entry.warm, &entry.cold_loss, &entry.warm_rate) else {
            let why =
                "a miss_curve says what is read again and what is missing, and warm_rate how fast";
            return refuse(r, why, "give miss_curve and warm_rate, without warm and cold_loss");
        };
        let curve = MissCurve::read(r.reader, &format!("{what}: miss_curve"), points)?;
        let curved = From { source: format!("by the miss curve; {}", from.source), ..from.clone() };
        let bytes = Some(Range::exact(curve.full_gb()));
        let words = format!("{name}: read again until the cache is full");
        let bytes = r.given((Group::Outage, &key("warm")), &words, "GB", bytes, &curved);
        let rate = r.reader.bandwidth(&what, rate)?.times(1e-9);
        let words = format!("{name}: rate of that");
        let rate = r.given((Group::Outage, &key("warm_rate")), &words, "GB/s", Some(rate), from);
        let loss = Some(Range::exact(curve.loss_at_most()));
        let words = format!("{title}, at most: as if reads held the rate");
        let loss = r.given((Group::Outage, &key("cold_loss")), &words, "", loss, &curved);
        return Ok(Some(bytes / rate * loss));
    }
    let texts = (&entry.warm, &entry.warm_rate);
    let place = key("warm");
    let Some(seconds) = reading(r, (name, &place), "cache to read again", texts, from)? else {
        return Ok(None);
    };
    match share(r, (&what, &key("cold_loss")), &title, &entry.cold_loss, from)? {
        Some(loss) => Ok(Some(seconds * loss)),
        None => refuse(
            r,
            "a cold cache needs cold_loss, or a miss_curve",
            "add cold_loss = \"50 %\": throughput missing while it is read again, on average",
        ),
    }
}

/// How long so many bytes take at such a rate.
fn reading(
    r: &mut Reckoning<'_>,
    (name, key): (&str, &str),
    title: &str,
    texts: (&Option<Text>, &Option<Text>),
    from: &From,
) -> Result<Option<Expr>, PlanError> {
    const GIGABYTE: f64 = 1e9;
    let (bytes, rate) = match texts {
        (None, None) => return Ok(None),
        (Some(bytes), Some(rate)) => (bytes, rate),
        (Some(one), None) | (None, Some(one)) => {
            let why = "bytes and the rate at which they are read belong together";
            let hint = "redo = \"20 GB\" with redo_rate = \"200 MB/s\", warm with warm_rate";
            return Err(r.reader.refused(one, &format!("outage {name}"), why, hint));
        }
    };
    let bytes = r.reader.size(&format!("outage {name}"), bytes)?.times(1.0 / GIGABYTE);
    let rate = r.reader.bandwidth(&format!("outage {name}"), rate)?.times(1.0 / GIGABYTE);
    let words = format!("{name}: {title}");
    let bytes = r.given((Group::Outage, key), &words, "GB", Some(bytes), from);
    let place = (Group::Outage, &*format!("{key}_rate"));
    let rate = r.given(place, &format!("{words}, rate"), "GB/s", Some(rate), from);
    Ok(Some(bytes / rate))
}

fn share(
    r: &mut Reckoning<'_>,
    (what, key): (&str, &str),
    title: &str,
    text: &Option<Text>,
    from: &From,
) -> Result<Option<Expr>, PlanError> {
    let Some(text) = text else { return Ok(None) };
    let share: Range = r.reader.share(what, text)?;
    Ok(Some(r.share((Group::Outage, key), title, share, from)))
}
