//! A certificate's parts, as far as rustls keeps them to itself (RFC 5280, section 4.1; X.690 for the encoding). Nothing is trusted
//! for being readable here.

use std::time::Duration;

use ring::digest;
use rustls::pki_types::UnixTime;

/// Parts of a certificate, as bytes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Certificate<'a> {
    /// 1 to 3.
    pub version: u8,
    /// What is signed.
    pub signed: &'a [u8],
    /// By whom, with the encoding's head.
    pub issuer: &'a [u8],
    /// Whose it is, with the encoding's head.
    pub subject: &'a [u8],
    /// From when.
    pub not_before: UnixTime,
    /// Until when.
    pub not_after: UnixTime,
    /// Algorithm and key, with the encoding's head.
    pub key_info: &'a [u8],
    /// The key's algorithm, without the encoding's head.
    pub key_algorithm: &'a [u8],
    /// The key.
    pub key: &'a [u8],
    /// Whether it has the extension for other names, beside which the common name counts nothing.
    pub has_other_names: bool,
    /// Whether it may sign others: the extension on basic constraints says so.
    pub is_authority: bool,
    /// The signature's algorithm, without the encoding's head.
    pub signature_algorithm: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const BOOLEAN: u8 = 0x01;
const BIT_STRING: u8 = 0x03;
const OCTET_STRING: u8 = 0x04;
const OBJECT: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// `[0]` and `[3]`, constructed: version and extensions.
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;

/// id-ce-subjectAltName, 2.5.29.17.
const OTHER_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
/// id-ce-basicConstraints, 2.5.29.19.
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];
/// id-at-commonName, 2.5.4.3.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The next value with its head, its tag and what is in it.
    fn any(&mut self) -> Option<(&'a [u8], u8, &'a [u8])> {
        let (&[tag, first], rest) = self.0.split_first_chunk::<2>()?;
        let (length, head) = if first < 0x80 {
            (usize::from(first), 2)
        } else {
            let bytes = usize::from(first & 0x7f);
            if !(1..=3).contains(&bytes) {
                return None;
            }
            let length = rest.get(..bytes)?.iter().fold(0, |sum, b| sum << 8 | usize::from(*b));
            (length, 2 + bytes)
        };
        let whole = self.0.get(..head + length)?;
        self.0 = &self.0[head + length..];
        Some((whole, tag, &whole[head..]))
    }

    fn take(&mut self, wanted: u8) -> Option<&'a [u8]> {
        self.any().filter(|(_, tag, _)| *tag == wanted).map(|(_, _, inner)| inner)
    }

    fn optional(&mut self, wanted: u8) -> Option<&'a [u8]> {
        if self.0.first() == Some(&wanted) { self.take(wanted) } else { None }
    }

    fn with_head(&mut self, wanted: u8) -> Option<&'a [u8]> {
        self.any().filter(|(_, tag, _)| *tag == wanted).map(|(whole, _, _)| whole)
    }

    /// A string of bits that is one of bytes.
    fn bits(&mut self) -> Option<&'a [u8]> {
        self.take(BIT_STRING)?.strip_prefix(&[0])
    }
}

impl<'a> Certificate<'a> {
    /// `None`: it is none, or not in the form of one.
    pub(crate) fn read(der: &'a [u8]) -> Option<Certificate<'a>> {
        let mut outer = Reader(Reader(der).take(SEQUENCE)?);
        let signed = outer.with_head(SEQUENCE)?;
        let signature_algorithm = outer.take(SEQUENCE)?;
        let signature = outer.bits()?;
        let mut body = Reader(Reader(signed).take(SEQUENCE)?);
        let version = match body.optional(VERSION) {
            Some(&[2, 1, number]) => number.checked_add(1)?,
            Some(_) => return None,
            None => 1,
        };
        let _serial = body.any()?;
        let _algorithm = body.take(SEQUENCE)?;
        let issuer = body.with_head(SEQUENCE)?;
        let mut times = Reader(body.take(SEQUENCE)?);
        let (not_before, not_after) = (time(&mut times)?, time(&mut times)?);
        let subject = body.with_head(SEQUENCE)?;
        let key_info = body.with_head(SEQUENCE)?;
        let mut key_parts = Reader(Reader(key_info).take(SEQUENCE)?);
        let (key_algorithm, key) = (key_parts.take(SEQUENCE)?, key_parts.bits()?);
        let mut found = Extensions::default();
        while let Some((_, tag, inner)) = body.any() {
            if tag == EXTENSIONS {
                found = extensions(inner)?;
            }
        }
        Some(Certificate {
            version,
            signed,
            issuer,
            subject,
            not_before,
            not_after,
            key_info,
            key_algorithm,
            key,
            has_other_names: found.other_names,
            is_authority: found.authority,
            signature_algorithm,
            signature,
        })
    }

    /// The most specific common name, if it is plain text.
    pub(crate) fn common_name(&self) -> Option<&'a str> {
        let mut names = Reader(Reader(self.subject).take(SEQUENCE)?);
        let mut found = None;
        while let Some(set) = names.take(SET) {
            let mut parts = Reader(Reader(set).take(SEQUENCE)?);
            if parts.take(OBJECT)? == COMMON_NAME {
                let (_, _, text) = parts.any()?;
                // A zero byte would end the name for others and not for us.
                found = std::str::from_utf8(text).ok().filter(|text| text.is_ascii());
            }
        }
        found.filter(|text| !text.contains('\0'))
    }
}

/// What is asked of the extensions.
#[derive(Default)]
struct Extensions {
    other_names: bool,
    authority: bool,
}

fn extensions(text: &[u8]) -> Option<Extensions> {
    let mut list = Reader(Reader(text).take(SEQUENCE)?);
    let mut found = Extensions::default();
    while let Some(extension) = list.take(SEQUENCE) {
        let mut extension = Reader(extension);
        let object = extension.take(OBJECT)?;
        found.other_names |= object == OTHER_NAMES;
        if object == BASIC_CONSTRAINTS {
            let _critical = extension.optional(BOOLEAN);
            let mut constraints = Reader(Reader(extension.take(OCTET_STRING)?).take(SEQUENCE)?);
            found.authority = constraints.optional(BOOLEAN) == Some(&[0xff]);
        }
    }
    Some(found)
}

/// UTCTime or GeneralizedTime as certificates have it: to the second, in UTC (RFC 5280, section 4.1.2.5).
fn time(reader: &mut Reader<'_>) -> Option<UnixTime> {
    let (_, tag, text) = reader.any()?;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (year, rest) = match tag {
        UTC_TIME if text.len() == 12 => {
            let short: i64 = text[..2].parse().ok()?;
            (if short < 50 { 2000 + short } else { 1900 + short }, &text[2..])
        }
        GENERALIZED_TIME if text.len() == 14 => (text[..4].parse().ok()?, &text[4..]),
        _ => return None,
    };
    let part = |at: usize| rest[at..at + 2].parse::<i64>().ok();
    let seconds =
        days(year, part(0)?, part(2)?)? * 86_400 + part(4)? * 3600 + part(6)? * 60 + part(8)?;
    // Nothing here is older than 1970.
    Some(UnixTime::since_unix_epoch(Duration::from_secs(seconds.try_into().ok()?)))
}

/// Days from 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March, so that the leap day is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leaps + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// Hashes in the names of signature algorithms, as bytes of their identifiers: PKCS #1 (RFC 8017, A.2.4), ECDSA (RFC 5758, 3.2).
const HASHES: [(&[u8], &digest::Algorithm); 8] = [
    // md5 and sha1 with RSA, sha1 with ECDSA: replaced by SHA-256.
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05], &digest::SHA256),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01], &digest::SHA256),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b], &digest::SHA256),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0c], &digest::SHA384),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0d], &digest::SHA512),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02], &digest::SHA256),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03], &digest::SHA384),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x04], &digest::SHA512),
];

/// What ties a password to a certificate: `tls-server-end-point` (RFC 5929, section 4). `None` where the signature's algorithm names
/// no hash, as with Ed25519.
pub(crate) fn end_point(der: &[u8]) -> Option<Vec<u8>> {
    let algorithm = Reader(Certificate::read(der)?.signature_algorithm).take(OBJECT)?;
    let (_, hash) = HASHES.iter().find(|(id, _)| *id == algorithm)?;
    Some(digest::digest(hash, der).as_ref().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixtures;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (date, expected) in [
            ((1970, 1, 1), 0),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2026, 11, 22), 20_779),
            ((2100, 3, 1), 47_541),
        ] {
            assert_eq!(days(date.0, date.1, date.2), Some(expected), "{date:?}");
        }
        assert_eq!(days(2026, 13, 1), None);
    }

    #[test]
    fn a_certificates_parts_are_those_that_openssl_shows() {
        let der = fixtures::der("v1.pem");
        let old = Certificate::read(&der).unwrap();
        assert_eq!((old.version, old.has_other_names), (1, false));
        assert_eq!(old.common_name(), Some("db7.example"));
        let root = fixtures::der("root.pem");
        let root = Certificate::read(&root).unwrap();
        assert_eq!((root.version, root.common_name()), (3, Some("narrows test root")));
        assert_eq!((old.issuer, root.issuer), (root.subject, root.subject));
        // openssl x509 -enddate, in seconds.
        assert_eq!(root.not_after.as_secs(), fixtures::ROOT_NOT_AFTER);
        let new = fixtures::der("leaf.pem");
        let new = Certificate::read(&new).unwrap();
        assert!(new.has_other_names && !new.is_authority && root.is_authority);
        let plain = fixtures::der("plain.pem");
        assert!(!Certificate::read(&plain).unwrap().is_authority);
    }

    #[test]
    fn what_is_cut_off_or_changed_is_refused_and_never_panics() {
        let der = fixtures::der("leaf.pem");
        for end in 0..der.len() {
            assert_eq!(Certificate::read(&der[..end]), None, "{end}");
        }
        let mut changed = der.to_vec();
        for at in 0..der.len() {
            for value in [0, 0x7f, 0x80, 0x84, 0xff] {
                changed[at] = value;
                let _ = Certificate::read(&changed).map(|read| read.common_name().is_some());
            }
            changed[at] = der[at];
        }
    }

    #[test]
    fn the_end_point_is_the_hash_that_the_signature_names() {
        let der = fixtures::der("leaf.pem");
        let expected = digest::digest(&digest::SHA256, &der);
        assert_eq!(end_point(&der).as_deref(), Some(expected.as_ref()));
        let der = fixtures::der("sha384.pem");
        let expected = digest::digest(&digest::SHA384, &der);
        assert_eq!(end_point(&der).as_deref(), Some(expected.as_ref()));
        assert_eq!(end_point(&fixtures::der("ed25519.pem")), None);
    }
}
