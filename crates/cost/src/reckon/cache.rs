//! How seldom a page may be read and still earn its memory: the five-minute rule, without and with the CPU time of a read.
//!
//! Gray and Putzolu, "The 5 minute rule for trading memory for disc accesses", 1987: a page is kept in memory if it is read again within
//! the time in which its memory costs as much as the part of a drive that a read per second takes. With licences a read takes a part of a
//! core too, and that is dearer than the drive's.

use narrows_plan::PlanError;
use toml::Spanned;

use super::cpu::{Clocked, CoreMoney};
use super::server::Server;
use super::work::microseconds;
use super::{From, Reckoning};
use crate::entry::CacheEntry;
use crate::sheet::{Basis, Expr, Group};

pub(super) fn add(
    r: &mut Reckoning<'_>,
    entry: Option<&Spanned<CacheEntry>>,
    core: &Option<CoreMoney>,
    server: &Server,
) -> Result<(), PlanError> {
    let Some(spanned) = entry else { return Ok(()) };
    let entry = spanned.get_ref();
    let at = |key: &'static str| (Group::Cache, key);
    let page = r.reader.size("cost.cache: page", &entry.page)?;
    let size = r.reader.size("cost.cache: memory_size", &entry.memory_size)?;
    let reads = r.reader.rate("cost.cache: drive_reads", &entry.drive_reads)?;
    let price = |r: &Reckoning<'_>, figure: &Option<crate::entry::Figure>, key: &str| match figure {
        Some(figure) => r.reader.price(&format!("cost.cache: {key}"), figure),
        None => Ok(None),
    };
    let memory = price(r, &entry.memory_price, "memory_price")?;
    let drive = price(r, &entry.drive_price, "drive_price")?;
    let known = memory.is_some() || drive.is_some() || entry.core_price.is_some();
    let from = r.priced("cost.cache", known, spanned.span(), (&entry.source, &entry.date))?;
    let described = From { basis: Basis::Described, ..from.clone() };
    let currency = r.currency.clone();
    let page = r.given(at("cache.page"), "a page", "B", Some(page), &described);
    let size =
        r.given(at("cache.memory_size"), "memory of that price", "B", Some(size), &described);
    let memory =
        r.given(at("cache.memory_price"), "price of so much memory", &currency, memory, &from);
    let drive = r.given(at("cache.drive_price"), "price of a drive", &currency, drive, &from);
    let reads = reads.value.times(1.0 / reads.seconds);
    let reads = r.given(at("cache.drive_reads"), "reads of a drive", "/s", Some(reads), &described);
    let of_page = memory * page / size;
    let of_page = r.sheet.computed(at("cache.of_page"), "memory of a page", &currency, of_page);
    let unit = r.per("read per second");
    let of_read = r.sheet.computed(
        at("cache.of_read"),
        "drive for one read per second",
        &unit,
        drive / reads,
    );
    let without = of_read.clone() / of_page.clone();
    r.sheet.headline(
        at("cache.interval"),
        "a page earns its memory if read again within, drives alone",
        "s",
        without,
    );
    let Some(cpu) = &entry.cpu_per_read else { return Ok(()) };
    let cpu = r.reader.seconds("cost.cache: cpu_per_read", cpu)?;
    let title = "CPU time of a read less that of a hit";
    let cpu_s = microseconds(r, at("cache.cpu"), title, cpu, &described);
    let core_price = match &entry.core_price {
        Some(figure) => {
            let value = r.reader.price("cost.cache: core_price", figure)?;
            Some(r.given(at("cache.core_price"), "price of a core", &currency, value, &from))
        }
        None => core.as_ref().and_then(|core| core.licences.clone()),
    };
    let Some(core_price) = core_price else {
        let why = "cpu_per_read needs the price of a core";
        let hint = "add core_price = … here; licences by core are one, all costs by core are none: memory and drives are in them";
        return Err(r.reader.source.error(&spanned.span(), "cost.cache", why, hint));
    };
    let cpu_s = match core {
        Some(core) => core.busy(cpu_s, Clocked::Here, server),
        None => cpu_s,
    };
    let of_cpu = r.sheet.computed(
        at("cache.of_cpu"),
        "CPU for one read per second",
        &unit,
        cpu_s * core_price,
    );
    let with: Expr = (of_read + of_cpu) / of_page;
    r.sheet.headline(
        at("cache.interval_with_cpu"),
        "the same with the CPU time that a read takes",
        "s",
        with,
    );
    r.notes.push("a page in memory: memory and drive are taken to be bought once and to last as long as the years of the core's price".to_string());
    Ok(())
}
