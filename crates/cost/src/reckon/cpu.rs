//! CPU time as money: what a core costs, what the CPU time of a rate costs, and what less of it is worth.

use narrows_plan::PlanError;
use toml::Spanned;

use super::items::key_of;
use super::licence::Licences;
use super::server::Server;
use super::work::{Work, microseconds};
use super::{From, Reckoning};
use crate::entry::{SavedEntry, Text, WorkEntry};
use crate::sheet::{Expr, Group};

/// Cores fewer that are looked at for the next step of licences.
const STEP_MOST: u32 = 16;

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

/// Whose CPU time it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Clocked {
    /// Told of the server that is described.
    Here,
    /// Measured by a run, on cores of so many threads.
    There { threads_per_core: f64 },
}

/// What one core (or vCPU) costs over the years.
#[derive(Debug, Clone)]
pub(super) struct CoreMoney {
    /// `core` or `vCPU`.
    pub of: &'static str,
    /// Licences by core, on average; absent where they don't follow the cores.
    pub licences: Option<Expr>,
    /// All costs by core.
    pub all: Expr,
    /// How many there are that work is done on.
    pub cores: Expr,
}

impl CoreMoney {
    /// Cores that so much CPU time per second keeps busy. CPU time is that of threads, and so is a vCPU.
    pub fn busy(&self, cpu: Expr, whose: Clocked, server: &Server) -> Expr {
        let mut busy = cpu;
        if self.of == "core" {
            match (whose, &server.threads_per_core) {
                (Clocked::There { threads_per_core }, _) if threads_per_core > 1.0 => {
                    busy = busy / threads_per_core;
                }
                (Clocked::Here, Some(threads)) => busy = busy / threads.clone(),
                _ => {}
            }
        }
        match (whose, &server.core_ratio) {
            (Clocked::There { .. }, Some(ratio)) => busy / ratio.clone(),
            _ => busy,
        }
    }

    /// What so many busy cores cost: by licences where these follow the cores, and by all costs.
    pub fn priced(
        &self,
        r: &mut Reckoning<'_>,
        (key, title, unit): (&str, &str, &str),
        busy: &Expr,
    ) {
        if let Some(licences) = &self.licences {
            let place = (Group::Cpu, &*format!("{key}.licence"));
            let title = format!("{title}, licences");
            r.sheet.headline(place, &title, unit, busy.clone() * licences.clone());
        }
        let place = (Group::Cpu, &*format!("{key}.all"));
        let title = format!("{title}, all costs");
        r.sheet.headline(place, &title, unit, busy.clone() * self.all.clone());
    }
}

pub(super) fn money_of_a_core(
    r: &mut Reckoning<'_>,
    licences: &Licences,
    total: &Expr,
    server: &Server,
) -> Option<CoreMoney> {
    let (described, of) = server.processors()?;
    // Those that no product uses carry nothing, and are paid for all the same.
    let (cores, words) = match (&licences.used.cores, of) {
        (Some(used), "core") => (used.clone(), "core that is used"),
        _ => (described.clone(), of),
    };
    let unit = r.per(of);
    let costs = |r: &Reckoning<'_>| {
        let all = licences.all.as_ref()?;
        (r.sheet.value(all) != Some(0.0)).then(|| all.clone())
    };
    let by_core = costs(r).map(|all| {
        if !licences.by_processor {
            r.notes.push(format!(
                "licences are not by {of}, or not for all of them: a {of} fewer saves none by itself, so no {of} has a price of licences"
            ));
            return None;
        }
        step(r, &all, &described, of);
        let title = format!("licences by {words}, on average");
        Some(r.sheet.headline((Group::Cpu, "core.licence"), &title, &unit, all / cores.clone()))
    });
    let title = format!("all costs by {words}, on average");
    let all = total.clone() / cores.clone();
    let all = r.sheet.headline((Group::Cpu, "core.all"), &title, &unit, all);
    Some(CoreMoney { of, licences: by_core.flatten(), all, cores })
}

/// Tells how many cores fewer save licences, and how much: these come whole.
fn step(r: &mut Reckoning<'_>, licences: &Expr, cores: &Expr, of: &str) {
    let (Some(now), Some(many)) = (r.sheet.value(licences), r.sheet.value(cores)) else { return };
    let saves = (1..=STEP_MOST).find_map(|fewer| {
        let with = r.sheet.value_with(licences, cores, many - f64::from(fewer))?;
        (with < now).then_some((fewer, now - with))
    });
    let note = match saves {
        Some((fewer, saved)) => format!(
            "licences come whole: {fewer} {of}{} fewer save{} {} {}",
            if fewer == 1 { "" } else { "s" },
            if fewer == 1 { "s" } else { "" },
            crate::sheet::number(saved),
            r.currency
        ),
        None => format!("licences come whole: up to {STEP_MOST} {of}s fewer save none"),
    };
    r.notes.push(note);
}

/// The CPU time of the described work.
pub(super) fn of_work(
    r: &mut Reckoning<'_>,
    (work, entry): (Option<&Work>, Option<&Spanned<WorkEntry>>),
    core: &Option<CoreMoney>,
    server: &Server,
) -> Result<(), PlanError> {
    let (Some(work), Some(core), Some(entry)) = (work, core, entry) else { return Ok(()) };
    let Some(cpu_s) = &work.cpu_s else { return Ok(()) };
    let per_s = work.rate.clone() / work.seconds;
    let busy = core.busy(per_s * cpu_s.clone(), Clocked::Here, server);
    let [busy_now, all] = [busy, core.cores.clone()].map(|line| r.sheet.value(&line));
    if let (Some(busy), Some(all)) = (busy_now, all)
        && busy > all * 1.001
    {
        let number = crate::sheet::number;
        let why = format!(
            "its rate and CPU time keep {} {}s busy, and here are {} that it may use",
            number(busy),
            core.of,
            number(all)
        );
        let hint = "cpu is the time of one operation on this server; threads_per_core says how many threads share a core";
        return Err(r.reader.source.error(&entry.span(), "cost.work", why, hint));
    }
    of_rate(r, ("work", &work.name), cpu_s, core, server, (Batch::Thousand, Clocked::Here));
    Ok(())
}

/// Cores that so many operations per second keep busy, and what these cost.
pub(super) fn of_rate(
    r: &mut Reckoning<'_>,
    (key, name): (&str, &str),
    cpu_s: &Expr,
    core: &CoreMoney,
    server: &Server,
    (batch, whose): (Batch, Clocked),
) {
    let (many, words) = batch.words();
    let title = format!("{name}: {}s that {words} keep busy", core.of);
    let busy = core.busy(cpu_s.clone() * many, whose, server);
    let place = (Group::Cpu, &*format!("{key}.busy"));
    let busy = r.sheet.computed(place, &title, &format!("{}s", core.of), busy);
    let unit = r.per(words);
    core.priced(r, (key, &format!("{name}: CPU time"), &unit), &busy);
}

/// What less CPU time is worth: shares of it for the same work, or times of an operation at a rate.
pub(super) fn saved(
    r: &mut Reckoning<'_>,
    entries: &[Spanned<SavedEntry>],
    core: &Option<CoreMoney>,
    server: &Server,
) -> Result<(), PlanError> {
    r.few("cost.saved", entries)?;
    let mut names = Vec::new();
    for spanned in entries {
        let entry = spanned.get_ref();
        let name = r.reader.prose("cost.saved: name", &entry.name)?;
        names.push(r.new_key("cost.saved", &names, &entry.name)?);
        let what = format!("saved {name}");
        let Some(core) = core else {
            let why = "needs to know the cores";
            let hint = "add [cost.server] cores = …";
            return Err(r.reader.source.error(&spanned.span(), what, why, hint));
        };
        let key = format!("saved.{}", key_of(&name));
        let of = core.of;
        let freed = freed(r, (spanned, &name, &key), core, server)?;
        let title = format!("{name}: {of}s of CPU time that get free");
        let place = (Group::Cpu, &*format!("{key}.freed"));
        let freed = r.sheet.headline(place, &title, &format!("{of}s"), freed);
        if r.sheet.value(&freed).is_some_and(|freed| freed < 0.0) {
            r.notes.push(format!(
                "{name}: `to` takes more CPU time than `from`, so it costs and saves nothing"
            ));
        }
        let currency = r.currency.clone();
        let title = format!("{name}: that CPU time over the years");
        core.priced(r, (&key, &title, &currency), &freed);
    }
    Ok(())
}

/// Cores that one entry sets free.
fn freed(
    r: &mut Reckoning<'_>,
    place: (&Spanned<SavedEntry>, &str, &str),
    core: &CoreMoney,
    server: &Server,
) -> Result<Expr, PlanError> {
    let (spanned, name, _) = place;
    let entry = spanned.get_ref();
    let from = r.sourced(&format!("saved {name}"), spanned.span(), &entry.source)?;
    let is_share = |text: &Text| text.get_ref().trim().ends_with('%');
    let spared = match (&entry.from, &entry.to, &entry.less, &entry.rate) {
        (Some(before), Some(after), None, None) if is_share(before) && is_share(after) => {
            of_shares(r, place, (before, after), &from)?
        }
        (Some(before), Some(after), None, Some(rate))
            if !is_share(before) && !is_share(after) && entry.busy.is_none() =>
        {
            return of_times(r, place, (before, after, rate), core, (server, &from));
        }
        (None, None, Some(less), None) => of_less(r, place, less, &from)?,
        _ => return Err(no_saving(r, spanned, name)),
    };
    if entry.more_work.is_some() && entry.less.is_none() {
        return Err(no_saving(r, spanned, name));
    }
    let cores = core.cores.clone();
    Ok(match busy(r, place, &from)? {
        Some(busy) => cores * busy * spared,
        None => cores * spared,
    })
}

fn no_saving(r: &Reckoning<'_>, spanned: &Spanned<SavedEntry>, name: &str) -> PlanError {
    let why = "from and to are two shares of the CPU time, or two times of one operation with a rate; less is CPU time that is missing";
    let hint = "from = \"31.5 %\", to = \"22.4 %\"; or from = \"19 us\", to = \"12 us\", rate = \"200k/s\"; or less = \"33 %\" with more_work = \"9 %\"";
    r.reader.source.error(&spanned.span(), format!("saved {name}"), why, hint)
}

/// How busy the cores are, where it is said.
fn busy(
    r: &mut Reckoning<'_>,
    (spanned, name, key): (&Spanned<SavedEntry>, &str, &str),
    from: &From,
) -> Result<Option<Expr>, PlanError> {
    let Some(text) = &spanned.get_ref().busy else {
        r.notes.push(format!(
            "{name}: taken as if all cores were busy; busy = \"60 %\" says otherwise"
        ));
        return Ok(None);
    };
    let share = r.reader.share(&format!("saved {name}: busy"), text)?;
    let place = (Group::Cpu, &*format!("{key}.used"));
    Ok(Some(r.share(place, &format!("{name}: how busy the cores are"), share, from)))
}

/// The CPU time that is spared of all, where a share of it was no work before and another one is after: the same work takes
/// (1 − from) of the time before and (1 − to) of a shorter time after.
fn of_shares(
    r: &mut Reckoning<'_>,
    (_, name, key): (&Spanned<SavedEntry>, &str, &str),
    (before, after): (&Text, &Text),
    from: &From,
) -> Result<Expr, PlanError> {
    let mut share = |text, end: &str| {
        let share = r.reader.share(&format!("saved {name}: {end}"), text)?;
        let title = format!("{name}: share of the CPU time that is no work, {end}");
        let place = (Group::Cpu, &*format!("{key}.{end}"));
        Ok::<_, PlanError>(r.share(place, &title, share, from))
    };
    let (before, after) = (share(before, "from")?, share(after, "to")?);
    let one = || Expr::Number(1.0);
    Ok(one() - (one() - before) / (one() - after))
}

/// Cores that two times of one operation at a rate set free.
fn of_times(
    r: &mut Reckoning<'_>,
    (_, name, key): (&Spanned<SavedEntry>, &str, &str),
    (before, after, rate): (&Text, &Text, &Text),
    core: &CoreMoney,
    (server, from): (&Server, &From),
) -> Result<Expr, PlanError> {
    let rate = r.reader.rate(&format!("saved {name}: rate"), rate)?;
    let value = Some(rate.value.times(1.0 / rate.seconds));
    let place = (Group::Cpu, &*format!("{key}.rate"));
    let rate = r.given(place, &format!("{name}: operations"), "/s", value, from);
    let mut time = |text, end: &str| {
        let cpu = r.reader.seconds(&format!("saved {name}: {end}"), text)?;
        let title = format!("{name}: CPU time of one, {end}");
        let place = (Group::Cpu, &*format!("{key}.{end}"));
        Ok::<_, PlanError>(microseconds(r, place, &title, cpu, from))
    };
    let (before, after) = (time(before, "from")?, time(after, "to")?);
    Ok(core.busy(rate * (before - after), Clocked::Here, server))
}

/// The CPU time that is spared of an operation, where all of it is so much less while so much more is done.
fn of_less(
    r: &mut Reckoning<'_>,
    (spanned, name, key): (&Spanned<SavedEntry>, &str, &str),
    less: &Text,
    from: &From,
) -> Result<Expr, PlanError> {
    let share = r.reader.share(&format!("saved {name}: less"), less)?;
    let place = (Group::Cpu, &*format!("{key}.less"));
    let less = r.share(place, &format!("{name}: CPU time that is missing after"), share, from);
    let one = || Expr::Number(1.0);
    let mut left = one() - less;
    if let Some(text) = &spanned.get_ref().more_work {
        let share = r.reader.share(&format!("saved {name}: more_work"), text)?;
        let place = (Group::Cpu, &*format!("{key}.more_work"));
        let more = r.share(place, &format!("{name}: work that is done more"), share, from);
        left = left / (one() + more);
    }
    let title = format!("{name}: CPU time of the same work that is spared, of all");
    let place = (Group::Cpu, &*format!("{key}.spared"));
    Ok(r.sheet.headline(place, &title, "", one() - left))
}
