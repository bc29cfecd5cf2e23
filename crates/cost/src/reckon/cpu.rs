//! CPU time as money: what a core costs, what the CPU time of a rate costs, and what a core or a microsecond less is worth.

use narrows_plan::PlanError;
use toml::Spanned;

use super::Reckoning;
use super::items::key_of;
use super::server::Server;
use super::work::{Work, microseconds};
use crate::entry::SavedEntry;
use crate::sheet::{Expr, Group};

/// Operations per second that a price is for: of short ones a thousand, of scans one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Batch {
    Thousand,
    One,
}

impl Batch {
    fn words(self) -> (f64, &'static str) {
        match self {
            Batch::Thousand => (1000.0, "1,000 per second"),
            Batch::One => (1.0, "one per second"),
        }
    }
}

/// What one core (or vCPU) costs over the years.
#[derive(Debug, Clone)]
pub(super) struct CoreMoney {
    /// `core` or `vCPU`.
    pub of: &'static str,
    /// Its licences; absent without any.
    pub licences: Option<Expr>,
    /// Its part of everything.
    pub all: Expr,
}

impl CoreMoney {
    /// Licences where there are some, else everything.
    pub fn first(&self) -> Expr {
        self.licences.clone().unwrap_or_else(|| self.all.clone())
    }
}

pub(super) fn money_of_a_core(
    r: &mut Reckoning<'_>,
    licences: &[Expr],
    total: &Expr,
    server: &Server,
) -> Option<CoreMoney> {
    let (cores, of) = server.processors()?;
    let unit = r.per(of);
    let licensed = r.sheet.value(&Expr::sum(licences.to_vec())) != Some(0.0);
    let licences = (!licences.is_empty() && licensed).then(|| {
        let each = Expr::sum(licences.to_vec()) / cores.clone();
        let title = format!("licences of one {of}: what one avoided is worth");
        r.sheet.headline((Group::Cpu, "core.licence"), &title, &unit, each)
    });
    let title = format!("all costs by {of}");
    let all = r.sheet.headline((Group::Cpu, "core.all"), &title, &unit, total.clone() / cores);
    Some(CoreMoney { of, licences, all })
}

/// The CPU time of the described work.
pub(super) fn of_work(
    r: &mut Reckoning<'_>,
    work: Option<&Work>,
    core: &Option<CoreMoney>,
    server: &Server,
) {
    let (Some(work), Some(core)) = (work, core) else { return };
    let Some(cpu_s) = &work.cpu_s else { return };
    of_rate(r, ("work", &work.name), cpu_s, core, server, Batch::Thousand);
}

/// Cores that so many operations per second keep busy, and what these cost.
pub(super) fn of_rate(
    r: &mut Reckoning<'_>,
    (key, name): (&str, &str),
    cpu_s: &Expr,
    core: &CoreMoney,
    server: &Server,
    batch: Batch,
) {
    let (many, words) = batch.words();
    let title = format!("{name}: {}s that {words} keep busy", core.of);
    let mut busy = cpu_s.clone() * many;
    if server.threads_per_core != Expr::Number(1.0) && core.of == "core" {
        busy = busy / server.threads_per_core.clone();
    }
    let place = (Group::Cpu, &*format!("{key}.busy"));
    let busy = r.sheet.computed(place, &title, &format!("{}s", core.of), busy);
    let unit = r.per(words);
    if let Some(licences) = &core.licences {
        let place = (Group::Cpu, &*format!("{key}.licence_of_rate"));
        let title = format!("{name}: licences by CPU time");
        r.sheet.headline(place, &title, &unit, busy.clone() * licences.clone());
    }
    let place = (Group::Cpu, &*format!("{key}.all_of_rate"));
    let title = format!("{name}: all costs by CPU time");
    r.sheet.headline(place, &title, &unit, busy * core.all.clone());
}

/// What less CPU time is worth: shares of all cores, or times of an operation at a rate.
pub(super) fn saved(
    r: &mut Reckoning<'_>,
    entries: &[Spanned<SavedEntry>],
    core: &Option<CoreMoney>,
    server: &Server,
) -> Result<(), PlanError> {
    for spanned in entries {
        let entry = spanned.get_ref();
        let name = r.reader.prose("cost.saved: name", &entry.name)?;
        let what = format!("saved {name}");
        let (Some(core), Some((cores, of))) = (core, server.processors()) else {
            let why = "needs to know the cores";
            let hint = "add [cost.server] cores = …";
            return Err(r.reader.source.error(&spanned.span(), what, why, hint));
        };
        let from = r.sourced(&what, spanned.span(), &entry.source)?;
        let key = |last: &str| format!("saved.{}.{last}", key_of(&name));
        let is_share = |text: &crate::entry::Text| text.get_ref().trim().ends_with('%');
        let freed = match (is_share(&entry.from), is_share(&entry.to), &entry.rate) {
            (true, true, None) => {
                let mut share = |text, end: &str| {
                    let share = r.reader.share(&format!("{what}: {end}"), text)?;
                    let title = format!("{name}: share of the CPU time, {end}");
                    Ok::<_, PlanError>(r.given(
                        (Group::Cpu, &key(end)),
                        &title,
                        "",
                        Some(share),
                        &from,
                    ))
                };
                let (before, after) = (share(&entry.from, "from")?, share(&entry.to, "to")?);
                cores * (before - after)
            }
            (false, false, Some(rate)) => {
                let rate = r.reader.rate(&format!("{what}: rate"), rate)?;
                let title = format!("{name}: operations");
                let value = Some(rate.value.times(1.0 / rate.seconds));
                let rate = r.given((Group::Cpu, &key("rate")), &title, "/s", value, &from);
                let mut time = |text, end: &str| {
                    let cpu = r.reader.seconds(&format!("{what}: {end}"), text)?;
                    let title = format!("{name}: CPU time of one, {end}");
                    Ok::<_, PlanError>(microseconds(r, (Group::Cpu, &key(end)), &title, cpu, &from))
                };
                let (before, after) = (time(&entry.from, "from")?, time(&entry.to, "to")?);
                let mut busy = rate * (before - after);
                if of == "core" && server.threads_per_core != Expr::Number(1.0) {
                    busy = busy / server.threads_per_core.clone();
                }
                busy
            }
            _ => {
                let why = "from and to are two shares of the CPU time, or two times of one operation with a rate";
                let hint = "from = \"31.5 %\", to = \"22.4 %\"; or from = \"19 us\", to = \"12 us\", rate = \"200k/s\"";
                return Err(r.reader.source.error(&spanned.span(), what, why, hint));
            }
        };
        let title = format!("{name}: {of}s that get free");
        let freed = r.sheet.headline((Group::Cpu, &key("freed")), &title, &format!("{of}s"), freed);
        let currency = r.currency.clone();
        let title = format!("{name}: what they are worth over the years");
        let worth = freed * core.first();
        r.sheet.headline((Group::Cpu, &key("worth")), &title, &currency, worth);
    }
    Ok(())
}
