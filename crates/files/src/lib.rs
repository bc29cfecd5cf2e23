//! Files and folders, opened as if an attacker shared the machine.
//!
//! narrows runs as root, writes below folders that belong to others (a database's mount point, `/var/tmp`) and hands folders to the
//! server's user. Whoever may write to a folder can put a link, a pipe or another folder where a file of ours is expected. So everything
//! that writes goes through this crate, which has these rules:
//!
//! - **The way.** A path is walked folder by folder, each opened below the one before ([`Dir::open`]). A symbolic link on the way is
//!   followed only if root or we ourselves made it.
//! - **The file.** It is made new (`O_EXCL`), or it is the very file that is open already ([`reopen`]); a link in the last place is never
//!   followed. Only plain files are opened: a pipe would wait, a device would act.
//! - **The end.** A tree is removed below descriptors, no link followed, no other file system entered ([`Dir::remove_tree`]).
//! - **Whole or not at all.** What takes the place of another file, or is read by others, is written whole ([`write_whole`]).
//! - **Input.** What others wrote is read up to a limit, and only from plain files ([`read`]).
//!
//! What root does inside a folder that another user owns it does as that user (`ServerUser::acting` of the database layer).
//!
//! Not here: devices, whose opening has rules of its own (crates `raw` and `io`), and the kernel's own files (crate `facts`).
//!
//! Sources: `openat(2)`, `path_resolution(7)`, "protected_symlinks" in the kernel's `admin-guide/sysctl/fs.rst`; the walk's rule is a
//! stricter form of systemd's for "safe" paths (`chase()`), which refuses to pass from one user's folder to what is another's.

mod clone;
mod dir;
mod file;
mod names;
mod place;
mod read;
mod tree;
mod walk;
mod way;
mod whole;

pub use clone::{CloneError, clone_tree};
pub use dir::Dir;
pub use file::{Access, create_new, open_existing, remove_file, reopen, same_file};
pub use names::{Names, StatCall};
pub use place::move_new;
pub use read::{Refused, open_plain, read, read_private_text, read_text};
pub use tree::copy_tree;
pub use way::{Doubt, trusted_way};
pub use whole::{probe, sweep, write_whole};

/// The user whose rights we have.
pub fn euid() -> u32 {
    rustix::process::geteuid().as_raw()
}
