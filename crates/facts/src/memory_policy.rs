//! On which NUMA nodes the pages lie that the calling thread touches first: `set_mempolicy(2)`.
//!
//! The kernel narrows a set of nodes silently to what the cpuset allows, so [`set`] reads back what it got.

use std::io;

/// Where pages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// On these nodes and no others.
    Bind,
    /// On one node while it has free memory, then on others.
    Prefer,
    /// In turns on these nodes.
    Interleave,
    /// On the node that the thread runs on; no nodes are named.
    Local,
}

impl Mode {
    /// `numactl`'s and fio's word.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Bind => "bind",
            Mode::Prefer => "prefer",
            Mode::Interleave => "interleave",
            Mode::Local => "local",
        }
    }

    fn number(self) -> libc::c_int {
        match self {
            Mode::Bind => libc::MPOL_BIND,
            Mode::Prefer => libc::MPOL_PREFERRED,
            Mode::Interleave => libc::MPOL_INTERLEAVE,
            Mode::Local => libc::MPOL_LOCAL,
        }
    }
}

/// Words of a mask of nodes: 1024 of them, as many as Linux can be built for (`MAX_NUMNODES`).
const MASK_WORDS: usize = 1024 / libc::c_ulong::BITS as usize;

/// Gives the calling thread that policy; of pages that it has touched already nothing moves.
///
/// # Errors
/// `EINVAL` where none of the nodes has memory; `EPERM` or `ENOSYS` where a container's filter or a kernel without nodes knows no
/// policies; [`io::ErrorKind::InvalidInput`] where the kernel kept only some of the nodes, and for nodes beyond 1023.
pub fn set(mode: Mode, nodes: &[u32]) -> io::Result<()> {
    let mut wanted = nodes.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mask = mask(&wanted)?;
    // SAFETY: the mask has the length that is passed in bits; the kernel only reads it.
    let result = unsafe {
        libc::syscall(
            libc::SYS_set_mempolicy,
            mode.number(),
            if wanted.is_empty() { std::ptr::null() } else { mask.as_ptr() },
            if wanted.is_empty() { 0 } else { max_node() },
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let got = nodes_now()?;
    if got == wanted || mode == Mode::Local {
        return Ok(());
    }
    let message = format!("asked for nodes {wanted:?}, the kernel allowed {got:?} of them");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// The nodes of the calling thread's policy; none where it has none of its own.
///
/// # Errors
/// What the kernel said.
pub fn nodes_now() -> io::Result<Vec<u32>> {
    let mut mask = [0 as libc::c_ulong; MASK_WORDS];
    let mut mode: libc::c_int = 0;
    // SAFETY: both are written within their length; no address is asked about.
    let result = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut mode,
            mask.as_mut_ptr(),
            max_node(),
            std::ptr::null::<libc::c_void>(),
            0 as libc::c_ulong,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let bits = libc::c_ulong::BITS;
    let of_word = |(word, value): (usize, &libc::c_ulong)| {
        let (base, value) = (word as u32 * bits, *value);
        (0..bits).filter(move |bit| value >> bit & 1 == 1).map(move |bit| base + bit)
    };
    Ok(mask.iter().enumerate().flat_map(of_word).collect())
}

fn mask(nodes: &[u32]) -> io::Result<[libc::c_ulong; MASK_WORDS]> {
    let bits = libc::c_ulong::BITS;
    let mut mask = [0; MASK_WORDS];
    for &node in nodes {
        let Some(word) = mask.get_mut((node / bits) as usize) else {
            let message = format!("node {node} is beyond what Linux can have");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        };
        *word |= 1 << (node % bits);
    }
    Ok(mask)
}

/// Bits of a mask as both calls want them: the kernel looks at one less (BUGS of set_mempolicy(2)'s interface).
fn max_node() -> libc::c_ulong {
    MASK_WORDS as libc::c_ulong * libc::c_ulong::from(libc::c_ulong::BITS) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_the_threads_own_and_is_read_back() {
        let of_thread = || std::thread::spawn(|| (set(Mode::Bind, &[0, 0]), nodes_now())).join();
        let (result, nodes) = of_thread().unwrap();
        if let Err(error) = &result {
            eprintln!("SKIPPED: memory policies can't be set here: {error}");
            return;
        }
        assert_eq!(nodes.unwrap(), [0]);
        let local = std::thread::spawn(|| set(Mode::Local, &[])).join().unwrap();
        assert!(local.is_ok(), "{local:?}");
    }

    #[test]
    fn nodes_that_do_not_exist_are_an_error() {
        let absent = std::thread::spawn(|| set(Mode::Bind, &[1000])).join().unwrap();
        assert!(absent.is_err());
        let beyond = set(Mode::Bind, &[5000]).unwrap_err();
        assert!(beyond.to_string().contains("5000"), "{beyond}");
    }

    #[test]
    fn bits_beyond_the_first_word_are_set() {
        let mask = mask(&[0, 65]).unwrap();
        assert_eq!((mask[0], mask[1]), (1, 2));
    }
}
