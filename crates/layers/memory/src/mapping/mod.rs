//! Memory of a wanted page size on a wanted node, and what was obtained.
//!
//! Everything is checked after it was touched: the page size in `/proc/self/smaps`, the node page by page. Explicit
//! huge pages come from a pool that may be short on the node asked for; populating them by
//! `MADV_POPULATE_WRITE` turns that into an error where a plain touch would be killed by SIGBUS.

mod kinds;
mod system;

use std::io;
use std::ptr::NonNull;

use narrows_engine::Stop;

use self::system::{advise, read_number};
use crate::placement;
use crate::smaps::{self, Mapped};
use crate::spread::Spread;

pub use self::kinds::{BASE, Backing, GIB, HUGE, MapError, Pages};
pub use self::system::{base_page_bytes, map};

/// Populated between two looks at the stop token.
const PIECE: usize = 32 << 20;
/// A page size or node counts as obtained from this share of the bytes.
pub const OBTAINED: f64 = 0.99;

/// Touched memory, unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    reserved: NonNull<u8>,
    reserved_len: usize,
    data: NonNull<u8>,
    len: usize,
    /// Where its pages came from.
    pub backing: Backing,
    /// Size of a page of the pool, where it is from one, bytes.
    pub pool_page_bytes: u64,
    /// Share of the bytes in 2 MiB pages.
    pub huge_share: f64,
    /// Share of the pages on the wanted node; `None` if none was wanted or the kernel doesn't say.
    pub node_share: Option<f64>,
}

// SAFETY: the mapping is owned memory like a Box; nothing in it is tied to the thread that made it.
unsafe impl Send for Mapping {}
// SAFETY: through a shared reference it is only read; whoever writes has the only one, or a raw pointer and its own promise.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// `bytes` (a multiple of [`Pages::granule`]) of touched memory. With a node, it is bound there before the first touch;
    /// where binding is refused the calling thread's own node is used by first touch and then verified.
    pub fn new(
        bytes: u64,
        pages: Pages,
        node: Option<u32>,
        stop: &Stop,
    ) -> Result<Mapping, MapError> {
        let whole = bytes > 0 && bytes.is_multiple_of(pages.granule());
        assert!(whole, "a mapping is made of whole pieces");
        let len = bytes as usize;
        let mut mapping = match pages {
            Pages::Base => Mapping::base(len, node, stop)?,
            Pages::Any => {
                let mut mapping = Mapping::ordinary(len, libc::MADV_HUGEPAGE)?;
                mapping.bind(node)?;
                mapping.populate(stop)?;
                mapping.huge_share = mapping.mapped()?.transparent_bytes as f64 / len as f64;
                mapping
            }
            Pages::Gib => match Mapping::pool(len, GIB, node, stop) {
                Err(MapError::Map { reason, .. }) => {
                    return Err(MapError::NotGib { pool: reason.to_string() });
                }
                other => other?,
            },
            Pages::Huge => match Mapping::pool(len, HUGE, node, stop) {
                Ok(mapping) => mapping,
                Err(MapError::Stopped(stopped)) => return Err(stopped.into()),
                Err(pool) => match Mapping::transparent(len, libc::MADV_HUGEPAGE, node, stop) {
                    Ok(mapping) => mapping,
                    Err(MapError::NotHuge { transparent, .. }) => {
                        return Err(MapError::NotHuge { pool: pool.to_string(), transparent });
                    }
                    Err(other) => return Err(other),
                },
            },
        };
        mapping.verify_node(node)?;
        Ok(mapping)
    }

    /// First byte.
    pub fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    /// Length, bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// As words.
    pub fn words(&self) -> &[u64] {
        // SAFETY: the range is mapped, readable, aligned to 2 MiB and initialised (anonymous memory is zero).
        unsafe { std::slice::from_raw_parts(self.data.as_ptr().cast(), self.len / 8) }
    }

    /// As words that can be changed.
    pub fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as in `words`, and `&mut self` makes it the only access.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr().cast(), self.len / 8) }
    }

    fn base(len: usize, node: Option<u32>, stop: &Stop) -> Result<Mapping, MapError> {
        let page_bytes = base_page_bytes();
        if page_bytes != BASE {
            return Err(MapError::OtherBase { page_bytes });
        }
        let mut mapping = Mapping::ordinary(len, libc::MADV_NOHUGEPAGE)?;
        mapping.bind(node)?;
        mapping.populate(stop)?;
        let mapped = mapping.mapped()?;
        let as_wanted = mapped.transparent_bytes == 0
            && mapped.page_bytes == Some(BASE)
            && mapped.rss_bytes as f64 >= OBTAINED * len as f64;
        if !as_wanted {
            return Err(MapError::NotBase { mapped });
        }
        Ok(mapping)
    }

    fn transparent(
        len: usize,
        advice: libc::c_int,
        node: Option<u32>,
        stop: &Stop,
    ) -> Result<Mapping, MapError> {
        let not = |transparent: String| MapError::NotHuge { pool: String::new(), transparent };
        let pmd: Option<u64> = read_number("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
        if pmd.is_some_and(|bytes| bytes != HUGE) {
            return Err(not(format!("they are {} bytes here", pmd.unwrap_or(0))));
        }
        let mut mapping = Mapping::ordinary(len, advice)?;
        mapping.backing = Backing::Transparent;
        mapping.bind(node)?;
        mapping.populate(stop)?;
        mapping.huge_share = mapping.mapped()?.transparent_bytes as f64 / len as f64;
        if mapping.huge_share < OBTAINED {
            let mode = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
                .unwrap_or_else(|_| "not in this kernel".to_string());
            return Err(not(format!(
                "{:.0} % of the bytes obtained (setting: {})",
                mapping.huge_share * 100.0,
                mode.trim()
            )));
        }
        Ok(mapping)
    }

    /// Pages of that size, explicit ones.
    fn pool(
        len: usize,
        page_bytes: u64,
        node: Option<u32>,
        stop: &Stop,
    ) -> Result<Mapping, MapError> {
        let size = if page_bytes == GIB { libc::MAP_HUGE_1GB } else { libc::MAP_HUGE_2MB };
        let flags = libc::MAP_HUGETLB | size;
        let data = map(len, libc::PROT_READ | libc::PROT_WRITE, flags)?;
        let mut mapping = Mapping {
            reserved: data,
            reserved_len: len,
            data,
            len,
            backing: Backing::Pool,
            pool_page_bytes: page_bytes,
            huge_share: 1.0,
            node_share: None,
        };
        mapping.bind(node)?;
        for piece in mapping.pieces() {
            stop.check()?;
            // Never by touching: a page the pool can't give on this node would be a SIGBUS.
            advise(piece, libc::MADV_POPULATE_WRITE)?;
        }
        mapping.huge_share = mapping.mapped()?.hugetlb_bytes as f64 / len as f64;
        if mapping.huge_share < 1.0 {
            let reason = io::Error::other("the pool gave fewer pages than it promised");
            return Err(MapError::Map { bytes: len, reason });
        }
        Ok(mapping)
    }

    /// Private anonymous memory between two pieces that stay inaccessible, so that the kernel can't join it with
    /// a neighbour and `smaps` shows it alone.
    fn ordinary(len: usize, advice: libc::c_int) -> Result<Mapping, MapError> {
        let reserved_len = len + 2 * HUGE as usize;
        let reserved = map(reserved_len, libc::PROT_NONE, 0)?;
        let align = HUGE as usize;
        let offset = align - reserved.as_ptr().addr() % align;
        // SAFETY: 0 < offset <= 2 MiB, so data and data + len lie inside the reservation.
        let data = unsafe { reserved.add(offset) };
        let mapping = Mapping {
            reserved,
            reserved_len,
            data,
            len,
            backing: Backing::Ordinary,
            pool_page_bytes: HUGE,
            huge_share: 0.0,
            node_share: None,
        };
        // SAFETY: the range lies inside our own reservation.
        let result = unsafe {
            libc::mprotect(data.as_ptr().cast(), len, libc::PROT_READ | libc::PROT_WRITE)
        };
        if result != 0 {
            return Err(MapError::Map { bytes: len, reason: io::Error::last_os_error() });
        }
        // A kernel without transparent huge pages refuses the advice; what was obtained is checked later.
        let _ = advise((data.as_ptr(), len), advice);
        Ok(mapping)
    }

    fn bind(&mut self, node: Option<u32>) -> Result<(), MapError> {
        let Some(node) = node else { return Ok(()) };
        match placement::bind(self.as_ptr(), self.len, node) {
            Ok(()) => Ok(()),
            Err(reason) if placement::refused(&reason) => Ok(()),
            Err(reason) => Err(MapError::Bind { node, reason }),
        }
    }

    fn verify_node(&mut self, node: Option<u32>) -> Result<(), MapError> {
        let Some(node) = node else { return Ok(()) };
        let page_bytes =
            if self.huge_share >= OBTAINED { self.pool_page_bytes } else { base_page_bytes() };
        let shares = placement::shares(self.as_ptr(), self.len, page_bytes as usize);
        self.node_share = shares.map(|shares| shares.get(&node).copied().unwrap_or(0.0));
        match self.node_share {
            Some(share) if share < OBTAINED => Err(MapError::WrongNode { node, share }),
            _ => Ok(()),
        }
    }

    /// `bytes` of touched memory on several nodes, on 4 KiB pages or on as large ones as can be had.
    ///
    /// # Errors
    /// Also when the pages don't lie there as they should, or the kernel doesn't say where they lie.
    pub fn spread(
        bytes: u64,
        over: &Spread,
        small: bool,
        stop: &Stop,
    ) -> Result<Mapping, MapError> {
        assert!(bytes > 0 && bytes.is_multiple_of(HUGE), "a mapping is made of 2 MiB pieces");
        let len = bytes as usize;
        let advice = if small { libc::MADV_NOHUGEPAGE } else { libc::MADV_HUGEPAGE };
        let mut mapping = Mapping::ordinary(len, advice)?;
        mapping.lay(over, small)?;
        mapping.populate(stop)?;
        mapping.huge_share = mapping.mapped()?.transparent_bytes as f64 / len as f64;
        let page_bytes = if mapping.huge_share >= OBTAINED { HUGE } else { base_page_bytes() };
        let shares = placement::shares(mapping.as_ptr(), len, page_bytes as usize);
        let shares = shares.ok_or(MapError::Unverified)?;
        let near = |node: u32, wanted: f64| {
            (shares.get(&node).copied().unwrap_or(0.0) - wanted).abs() <= crate::spread::TOLERANCE
        };
        if over.shares().into_iter().all(|(node, wanted)| near(node, wanted)) {
            Ok(mapping)
        } else {
            Err(MapError::NotSpread { shares: format!("{shares:.3?}") })
        }
    }

    fn lay(&self, over: &Spread, small: bool) -> Result<(), MapError> {
        let refused = |nodes: &[u32], reason| MapError::Bind { node: nodes[0], reason };
        match over {
            Spread::Interleave(nodes) => placement::interleave(self.as_ptr(), self.len, nodes)
                .map_err(|reason| refused(nodes, reason)),
            Spread::Weighted(_) | Spread::One(_) => {
                for (node, at, len) in over.pieces(self.len, small) {
                    // `at` and `len` lie inside the mapping.
                    placement::bind(self.as_ptr().wrapping_add(at), len, node)
                        .map_err(|reason| refused(&[node], reason))?;
                }
                Ok(())
            }
        }
    }

    fn populate(&mut self, stop: &Stop) -> Result<(), MapError> {
        for piece in self.pieces() {
            stop.check()?;
            match advise(piece, libc::MADV_POPULATE_WRITE) {
                Ok(()) => {}
                // Before Linux 5.14.
                Err(MapError::Map { reason, .. })
                    if reason.raw_os_error() == Some(libc::EINVAL) =>
                {
                    let (address, len) = piece;
                    for offset in (0..len).step_by(base_page_bytes() as usize) {
                        // SAFETY: offset < len, and the piece lies inside the mapping.
                        unsafe { address.add(offset).write_volatile(0) };
                    }
                }
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    fn pieces(&self) -> impl Iterator<Item = (*mut u8, usize)> + use<> {
        let (address, len) = (self.as_ptr(), self.len);
        (0..len)
            .step_by(PIECE)
            .map(move |offset| (address.wrapping_add(offset), PIECE.min(len - offset)))
    }

    /// What the kernel reports for this mapping now.
    pub fn mapped(&self) -> Result<Mapped, MapError> {
        let from = self.as_ptr().addr() as u64;
        std::fs::read_to_string("/proc/self/smaps")
            .and_then(|text| {
                smaps::in_range(&text, from, from + self.len as u64)
                    .filter(|mapped| mapped.size_bytes == self.len as u64)
                    .ok_or_else(|| io::Error::other("/proc/self/smaps does not show the mapping"))
            })
            .map_err(|reason| MapError::Map { bytes: self.len, reason })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by this struct, and every reference into it borrowed the struct.
        unsafe { libc::munmap(self.reserved.as_ptr().cast(), self.reserved_len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: u64 = 8 << 20;

    #[test]
    fn base_pages_are_base_pages_although_huge_ones_were_on_offer() {
        if base_page_bytes() != BASE {
            eprintln!("SKIPPED: this kernel's base page is not 4 KiB");
            return;
        }
        let mut mapping = Mapping::new(LEN, Pages::Base, None, &Stop::new()).unwrap();
        mapping.words_mut()[0] = 5;
        let mapped = mapping.mapped().unwrap();
        assert_eq!((mapped.transparent_bytes, mapped.page_bytes), (0, Some(BASE)));
        assert_eq!((mapped.rss_bytes, mapping.huge_share), (LEN, 0.0));
    }

    #[test]
    fn the_check_of_base_pages_can_fail() {
        // The same region asked to be huge after all: the report must differ from what `base` accepts.
        match Mapping::new(LEN, Pages::Huge, None, &Stop::new()) {
            Ok(mapping) => {
                let mapped = mapping.mapped().unwrap();
                assert!(mapped.transparent_bytes > 0 || mapped.page_bytes == Some(HUGE));
                assert!(mapping.huge_share >= OBTAINED);
                assert_eq!(mapping.as_ptr().addr() as u64 % HUGE, 0);
            }
            Err(refused @ MapError::NotHuge { .. }) => eprintln!("SKIPPED: {refused}"),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn refused_huge_pages_give_both_reasons() {
        // The opposite advice stands in for a system that gives no transparent huge pages.
        let error = Mapping::transparent(LEN as usize, libc::MADV_NOHUGEPAGE, None, &Stop::new())
            .unwrap_err();
        let MapError::NotHuge { transparent, .. } = error else { panic!("{error}") };
        assert!(transparent.contains("0 % of the bytes") || transparent.contains("here"));
        // More than any pool can hold.
        let huge = Mapping::pool(1 << 46, HUGE, None, &Stop::new());
        assert!(matches!(huge, Err(MapError::Map { .. })), "{huge:?}");
    }

    #[test]
    fn a_stop_frees_what_was_begun() {
        let stop = Stop::new();
        stop.set();
        for pages in [Pages::Base, Pages::Huge, Pages::Any] {
            let error = Mapping::new(LEN, pages, None, &stop).unwrap_err();
            assert!(matches!(error, MapError::Stopped(_)), "{pages:?}: {error}");
        }
    }

    #[test]
    fn a_node_is_bound_and_verified() {
        let stop = Stop::new();
        match Mapping::new(LEN, Pages::Any, Some(0), &stop) {
            Ok(mapping) => assert!(mapping.node_share.is_none_or(|share| share >= OBTAINED)),
            Err(error) => eprintln!("SKIPPED: node 0 has no memory for us: {error}"),
        }
        // A node that isn't there is an error, never memory from elsewhere under its name.
        assert!(Mapping::new(LEN, Pages::Any, Some(900), &stop).is_err());
    }
}
