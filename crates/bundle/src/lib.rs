//! PostgreSQL binaries for a machine that has none.
//!
//! One pinned build (`pin.rs`) is downloaded from the public Maven registry, or taken from a jar the user holds,
//! verified against the SHA-256 in our source *before* it is unpacked, unpacked into a temporary folder and renamed
//! into the cache. Later runs work offline: the cached files are read and compared with the digests recorded when
//! they were unpacked.
//!
//! Not for choosing a server: a packaged server is preferred wherever there is one, because this build is optimised
//! for size and lacks io_uring and JIT (the book, `guide/database-server.md`). Not for running it either.
//!
//! The content of the bundle: <https://github.com/zonkyio/embedded-postgres-binaries>.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

mod arriving;
mod cache;
mod digest;
mod download;
mod error;
mod pin;
#[cfg(test)]
mod testing;
mod unpack;

pub use error::BundleError;
pub use pin::Pin;

/// Names another Maven repository: an `https://`, `http://` or `file://` base, below which the usual layout
/// (`io/zonky/test/postgres/…`) is expected. Plain HTTP is harmless here, because the content is pinned.
pub const MIRROR_VARIABLE: &str = "NARROWS_MAVEN_MIRROR";

/// What is known about how the pinned build was made. It has no `pg_config`; this was read from the running server's
/// `pg_config` view.
pub const BUILD: &str = pin::BUILD;

/// Unpacked and verified binaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The folder with `postgres` and `initdb`.
    pub bin_dir: PathBuf,
    /// The registry's version, such as `18.6.0` for PostgreSQL 18.6.
    pub version: String,
    /// Where it was taken from, in words, with the digest that was verified.
    pub source: String,
    /// Whether nothing had to be unpacked.
    pub cached: bool,
}

/// The folder for the cache: `$XDG_CACHE_HOME/narrows/postgresql`, else `/var/cache/narrows/postgresql` for root, else
/// `~/.cache/narrows/postgresql`. Root's own `~/.cache` would not do: the server never runs as root, and other users
/// can't reach into root's home. `None` when there is no home either.
pub fn default_cache_dir() -> Option<PathBuf> {
    let root = narrows_files::euid() == 0;
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = match folder("XDG_CACHE_HOME") {
        Some(base) => base,
        None if root => PathBuf::from("/var/cache"),
        None => folder("HOME")?.join(".cache"),
    };
    Some(base.join("narrows/postgresql"))
}

/// The pinned bundle from the cache in `cache_dir`; else from a jar that lies there; else from the registry or the
/// mirror named by [`MIRROR_VARIABLE`]. `progress` hears (bytes so far, bytes in all) while it downloads; once `stop` says so it
/// gives up within a moment, whatever the other side does.
///
/// Waits while another process fills the same cache. The cache is created where it is missing and must be a folder
/// into which only we and root may write, so not a temporary folder itself.
///
/// # Errors
/// Why there is none, or [`BundleError::Stopped`].
pub fn ensure(
    cache_dir: &Path,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Bundle, BundleError> {
    let mirror = std::env::var(MIRROR_VARIABLE).ok().filter(|value| !value.trim().is_empty());
    cache::ensure(Pin::here()?, cache_dir, &cache::Origin::Registry { mirror }, stop, progress)
}

/// The pinned bundle from the cache in `cache_dir`, else from the jar at `jar`; never from the network.
pub fn ensure_from(jar: &Path, cache_dir: &Path) -> Result<Bundle, BundleError> {
    let origin = cache::Origin::Jar(jar.to_path_buf());
    cache::ensure(Pin::here()?, cache_dir, &origin, &|| false, &mut |_, _| {})
}
