//! Why there is no bundle. Each message says what was tried, on what, why it failed, and what can be done.

use std::io;
use std::path::PathBuf;

const OTHERWISE: &str =
    "install the distribution's PostgreSQL package, or name a server with --postgres FILE";

/// Why there is no bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// No build is pinned for this architecture.
    #[error("no PostgreSQL bundle is known for {arch}\nhint: {OTHERWISE}")]
    Architecture {
        /// Rust's name of the architecture.
        arch: &'static str,
    },
    /// The cache folder or a file in it can't be used.
    #[error(
        "cannot {doing} {path}: {reason}\nhint: set XDG_CACHE_HOME to a folder with 100 MB of room; or {OTHERWISE}"
    )]
    Cache {
        /// The action, an infinitive.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// Asked to stop.
    #[error("stopped on request")]
    Stopped,
    /// Somebody else could have put programs into the cache.
    #[error(
        "the cache folder is not trusted because of {path}: {why}\n\
         hint: set XDG_CACHE_HOME to a folder that only you and root may write to, all folders above it too; where it is only \
         the mode and nobody else put anything there, `chmod go-w {path}`"
    )]
    Untrusted {
        /// The folder, or what is on the way to it.
        path: PathBuf,
        /// Owner or mode that speaks against it.
        why: String,
    },
    /// The mirror's name is of no known kind.
    #[error(
        "NARROWS_MAVEN_MIRROR is {value:?}, which is not a repository: {why}\n\
         hint: give an https://, http:// or file:// address of a Maven repository"
    )]
    Mirror {
        /// The variable's value, without user name and password.
        value: String,
        /// What is wrong.
        why: &'static str,
    },
    /// Nothing could be fetched.
    #[error(
        "cannot download {what} from {from}: {reason}\n\
         hint: without a network, put {jar_name} at {jar_place}; behind a proxy, set HTTPS_PROXY; with a repository of \
         your own, set NARROWS_MAVEN_MIRROR; or {OTHERWISE}"
    )]
    Download {
        /// Maven coordinates.
        what: String,
        /// The repository, in words.
        from: String,
        /// The last attempt's failure.
        reason: String,
        /// The jar's name.
        jar_name: String,
        /// Where it would be found next time.
        jar_place: PathBuf,
    },
    /// The jar named by the user can't be read.
    #[error("cannot read the bundle {path}: {reason}\nhint: give the path of {jar_name}")]
    Jar {
        /// The jar.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
        /// The name of the jar that is wanted.
        jar_name: String,
    },
    /// The content is not the pinned one. Nothing was unpacked.
    #[error(
        "{origin} is not the pinned bundle {what}: {bytes} bytes with SHA-256 {sha256}, expected {expected_bytes} bytes \
         with {expected_sha256}; nothing was unpacked\n\
         hint: the file is cut, damaged or of another version; fetch it again, or {OTHERWISE}"
    )]
    Mismatch {
        /// The file or address, in words.
        origin: String,
        /// Maven coordinates.
        what: String,
        /// Bytes seen.
        bytes: u64,
        /// Digest seen.
        sha256: String,
        /// Bytes pinned.
        expected_bytes: u64,
        /// Digest pinned.
        expected_sha256: &'static str,
    },
    /// The content is the pinned one and still can't be unpacked, or not safely.
    #[error("cannot unpack {path}: {why}\nhint: {OTHERWISE}")]
    Archive {
        /// The jar.
        path: PathBuf,
        /// What is wrong with which entry.
        why: String,
    },
}
