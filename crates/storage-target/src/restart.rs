//! What caches keep from one start to the next: marked before the first host, warmed while hosts are served, saved after the last.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use narrows_read_cache::SavedPage;

use crate::backing::{CacheIndex, OpenError, WarmUp};
use crate::journal;
use crate::namespace::Namespace;
use crate::target::Target;
use crate::warmer::Warmer;

/// Says in every index that it is in use, and on the device of every cache that another use begins.
///
/// # Errors
/// The system's.
pub(crate) fn mark_caches(target: &Target) -> Result<(), OpenError> {
    target.namespaces().try_for_each(|namespace| mark_cache(namespace))
}

/// The same for one namespace.
///
/// # Errors
/// The system's.
pub(crate) fn mark_cache(namespace: &Namespace) -> Result<(), OpenError> {
    namespace.cache_index.as_ref().map_or(Ok(()), CacheIndex::mark)?;
    if let Some(cache) = &namespace.device_cache {
        cache.begin_life();
    }
    Ok(())
}

/// A thread for each cache whose index names pages.
///
/// # Errors
/// Where there is no thread to be had.
pub(crate) fn warmers_of(target: &Target) -> std::io::Result<Vec<Warmer>> {
    let started = target.namespaces().map(Warmer::start);
    started.filter_map(Result::transpose).collect()
}

/// Says what an index names, or why nothing.
pub(crate) fn announce_index(namespace: &Namespace, path: &str) {
    let Some(index) = &namespace.cache_index else { return };
    let at = index.path().display();
    match index.warm_up() {
        WarmUp::Warming => {
            let (named, _) = index.counts();
            journal::line("cache-warms", &[("path", &path), ("index", &at), ("pages", &named)]);
        }
        WarmUp::Cold(reason) => {
            journal::line("cache-cold", &[("path", &path), ("index", &at), ("reason", &reason)]);
        }
        WarmUp::Warm if namespace.device_cache.is_some() => {
            let (named, warm) = index.counts();
            let told: [(&str, &dyn std::fmt::Display); 4] =
                [("path", &path), ("index", &at), ("pages", &warm), ("named", &named)];
            journal::line("cache-warm", &told);
        }
        WarmUp::Warm | WarmUp::Stopped(_) => {}
    }
}

/// Ends warmers; what they have not read again of each namespace.
pub(crate) fn stop_warmers(warmers: Vec<Warmer>) -> Vec<(Arc<Namespace>, Vec<SavedPage>)> {
    warmers.into_iter().map(Warmer::stop).collect()
}

/// Saves every index: hosts are gone, and all that they wrote is durable in files and devices. What can't be saved is read anew.
pub(crate) fn save_indexes(target: &Target, left: &[(Arc<Namespace>, Vec<SavedPage>)]) {
    for namespace in target.namespaces() {
        let its = left.iter().find(|(other, _)| Arc::ptr_eq(other, namespace));
        save_index(namespace, its.map_or_else(Vec::new, |(_, pages)| pages.clone()));
    }
}

/// Saves the index of a namespace's cache, if it has one.
pub(crate) fn save_index(namespace: &Namespace, left: Vec<SavedPage>) {
    let (Some(index), Some(disk)) = (&namespace.cache_index, namespace.backing.file()) else {
        return;
    };
    let at = index.path().display();
    if namespace.lost_writes.load(Ordering::Acquire) {
        let reason = "a flush failed";
        return journal::line("cache-index-not-saved", &[("index", &at), ("reason", &reason)]);
    }
    // Those that were named and never begun with are as good as before.
    let left = if left.is_empty() { index.take_found() } else { left };
    let saved = match (&namespace.cache, &namespace.device_cache) {
        (Some(cache), _) => index.save(cache, left, disk),
        (None, Some(cache)) => index.save_device(cache, disk),
        (None, None) => return,
    };
    match saved {
        Ok(pages) => journal::line("cache-index-saved", &[("index", &at), ("pages", &pages)]),
        Err(error) => {
            journal::line("cache-index-not-saved", &[("index", &at), ("reason", &error)]);
        }
    }
}
