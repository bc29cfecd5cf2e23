//! The drive as a process: answers the kernel until the power goes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::cache::Cache;
use crate::disk::Disk;
use crate::fuse::{self, Ask};
use crate::namespace::Namespace;
use crate::{commands, mounting};

/// The cache, until the power is cut.
pub(crate) type Shared = Arc<Mutex<Cache>>;

/// Shows the image as the file `disk` in the folder `place`, says `ready` on standard output, and serves until the
/// folder is unmounted. Ends the process where the power is cut.
///
/// # Errors
/// Where the image can't be opened, or the folder not be mounted on (needs root and FUSE).
pub fn serve(image: &Path, place: &Path) -> io::Result<()> {
    let medium = OpenOptions::new().read(true).write(true).open(image)?;
    let cache = Arc::new(Mutex::new(Cache::new(medium)));
    let disks = [Arc::clone(&cache)];
    answer_kernel(place, &disks, || commands::listen(Arc::clone(&cache), place))
}

/// Shows a namespace, `nvme-tcp://…`, in the same way, with so many commands under way at once. There is no power to cut: it ends with its
/// mount, or with its input.
///
/// # Errors
/// Where it can't be reached, and as [`serve`].
pub fn serve_namespace(address: &str, place: &Path, queues: u16) -> io::Result<()> {
    let namespaces = Namespace::connect(address, queues)?.into_iter();
    let disks: Vec<Arc<Mutex<Namespace>>> =
        namespaces.map(|namespace| Arc::new(Mutex::new(namespace))).collect();
    answer_kernel(place, &disks, || commands::end_with_input(place))
}

/// Mounts, says `ready`, and answers until the folder is unmounted: as many requests at once as there are disks, which are ways to the same
/// bytes.
fn answer_kernel<D: Disk>(
    place: &Path,
    disks: &[Arc<Mutex<D>>],
    listen: impl FnOnce(),
) -> io::Result<()> {
    let kernel = OpenOptions::new().read(true).write(true).open("/dev/fuse")?;
    mounting::mount_fuse(place, kernel.as_raw_fd())?;
    listen();
    println!("ready");
    std::thread::scope(|scope| {
        let answering: Vec<_> = disks
            .iter()
            .map(|disk| {
                let kernel = kernel.try_clone()?;
                Ok(scope.spawn(move || {
                    let end = answer_requests(kernel, disk);
                    if end.is_err() {
                        // The others would wait for requests as before.
                        let _ = mounting::abort(place);
                    }
                    end
                }))
            })
            .collect::<io::Result<_>>()?;
        for thread in answering {
            thread.join().map_err(|_| io::Error::other("a thread panicked"))??;
        }
        Ok(())
    })
}

/// One request after the other.
fn answer_requests<D: Disk>(mut kernel: File, disk: &Mutex<D>) -> io::Result<()> {
    let mut message = vec![0; fuse::MOST_BYTES + (64 << 10)];
    loop {
        let length = match kernel.read(&mut message) {
            Ok(length) => length,
            // Unmounted.
            Err(error) if error.raw_os_error() == Some(libc::ENODEV) => return Ok(()),
            // Taken back before it was read.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EINTR)) => {
                continue;
            }
            Err(error) => return Err(error),
        };
        reply(&mut kernel, disk, &message[..length])?;
    }
}

fn reply<D: Disk>(kernel: &mut File, disk: &Mutex<D>, message: &[u8]) -> io::Result<()> {
    let (unique, ask) = fuse::parse(message)?;
    if ask == Ask::Silent {
        return Ok(());
    }
    let answer = match done(disk, &ask) {
        Ok(body) => fuse::answer(unique, &body),
        Err(error) => fuse::failure(unique, error.raw_os_error().unwrap_or(libc::EIO)),
    };
    match kernel.write(&answer) {
        Ok(_) => Ok(()),
        // The asker gave up meanwhile.
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(()),
        Err(error) => Err(error),
    }
}

fn done<D: Disk>(disk: &Mutex<D>, ask: &Ask<'_>) -> io::Result<Vec<u8>> {
    let mut disk = disk.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let unknown = |code| Err(io::Error::from_raw_os_error(code));
    match ask {
        Ask::Init => Ok(fuse::init()),
        Ask::Lookup(name) if *name == fuse::DISK_NAME.as_bytes() => {
            Ok(fuse::entry(disk.size_bytes()?))
        }
        Ask::Lookup(_) => unknown(libc::ENOENT),
        Ask::Attributes(node) => Ok(fuse::attributes(*node, disk.size_bytes()?)),
        Ask::Open(node) => Ok(fuse::opened(*node)),
        Ask::Read(offset, bytes) => {
            // At the end there is less, or nothing.
            let left = disk.size_bytes()?.saturating_sub(*offset);
            let mut data = vec![0; (*bytes as u64).min(left) as usize];
            disk.read(*offset, &mut data)?;
            Ok(data)
        }
        Ask::Write(offset, data) => {
            disk.write(*offset, data)?;
            Ok(fuse::written(data.len()))
        }
        Ask::Flush => disk.flush().map(|()| Vec::new()),
        Ask::Size => Ok(fuse::size(disk.size_bytes()?)),
        Ask::Nothing => Ok(Vec::new()),
        Ask::Silent | Ask::Unknown => unknown(libc::ENOSYS),
    }
}
