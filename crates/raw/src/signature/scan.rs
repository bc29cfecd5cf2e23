//! Looks for every mark of the table on anything that can be read at a place.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};

use super::{Owner, Signature, table};

/// A mark that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundSignature {
    /// The format's name.
    pub name: &'static str,
    /// Whose it is.
    pub owner: Owner,
    /// Its first place, bytes from the start.
    pub offset_bytes: u64,
    /// Further places with the same name's marks.
    pub copies: u32,
}

/// All marks on `reader`, which is `size_bytes` long; each name once, in the table's order.
///
/// # Errors
/// What reading gave. A place that can't be read may hold anything, so there is no partial answer.
pub fn scan(reader: &mut (impl Read + Seek), size_bytes: u64) -> io::Result<Vec<FoundSignature>> {
    let mut pages = Pages { reader, size_bytes, pages: BTreeMap::new() };
    let mut found: Vec<FoundSignature> = Vec::new();
    for signature in table() {
        for place in signature.places {
            for offset_bytes in place.offsets(size_bytes) {
                if !pages.has(signature, offset_bytes)? {
                    continue;
                }
                match found.iter_mut().find(|found| found.name == signature.name) {
                    Some(known) => known.copies += 1,
                    None => found.push(FoundSignature {
                        name: signature.name,
                        owner: signature.owner,
                        offset_bytes,
                        copies: 0,
                    }),
                }
            }
        }
    }
    Ok(found)
}

/// Most marks stand in the same few pages, so each page is read once.
struct Pages<'a, R> {
    reader: &'a mut R,
    size_bytes: u64,
    pages: BTreeMap<u64, Vec<u8>>,
}

const PAGE: u64 = 4096;

impl<R: Read + Seek> Pages<'_, R> {
    fn has(&mut self, signature: &Signature, offset: u64) -> io::Result<bool> {
        if !self.equal(offset, signature.magic)? {
            return Ok(false);
        }
        let Some((distance, bytes)) = signature.also else { return Ok(true) };
        match offset.checked_add_signed(distance) {
            Some(offset) => self.equal(offset, bytes),
            None => Ok(false),
        }
    }

    fn equal(&mut self, offset: u64, bytes: &[u8]) -> io::Result<bool> {
        if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > self.size_bytes) {
            return Ok(false);
        }
        for (at, byte) in (offset..).zip(bytes) {
            if self.page(at / PAGE)?[(at % PAGE) as usize] != *byte {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn page(&mut self, number: u64) -> io::Result<&[u8]> {
        if !self.pages.contains_key(&number) {
            let start = number * PAGE;
            let mut page = vec![0; (self.size_bytes - start).min(PAGE) as usize];
            self.reader.seek(SeekFrom::Start(start))?;
            self.reader.read_exact(&mut page)?;
            self.pages.insert(number, page);
        }
        Ok(&self.pages[&number])
    }
}
