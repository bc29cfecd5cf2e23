//! Storing a recorder so that other tools can read it: HdrHistogram V2, uncompressed, in base64.
//!
//! Three significant digits are finer than our buckets, so that every bucket comes back as itself.
//! A bucket's values are written at its middle (for a distribution without more knowledge the least
//! wrong place), except one at the smallest and one at the largest value, which other tools then
//! show rightly to 0.1 %. Values beyond 2^41 ns are all written at the largest. The exact sum is
//! lost: a mean after reading is within 0.78 %.
//!
//! Source: the V2 encoding as published with HdrHistogram (cookie base 0x1c849303, zig-zag LEB128
//! counts).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{
    Deserializer, Serializer as _, V2DeflateSerializer, V2Serializer,
};

use crate::Recorder;

const SIGNIFICANT_DIGITS: u8 = 3;
/// Readers in other languages hold values in signed 64 bits.
const LARGEST: u64 = i64::MAX as u64;

/// First word of the uncompressed V2 encoding, in words of one byte and more.
const COOKIE: u32 = 0x1c84_9313;
/// Cookie, length, offset, digits, lowest, highest, ratio: 4 × 4 + 3 × 8 bytes.
const HEADER_BYTES: usize = 40;

/// Why a stored histogram could not be read.
#[derive(Debug, thiserror::Error)]
pub enum HdrError {
    /// Not base64.
    #[error(
        "could not read a stored histogram: its base64 is damaged ({0})\nhint: the run file was cut or edited; take the original"
    )]
    Base64(#[from] base64::DecodeError),
    /// Base64, but not an HdrHistogram V2.
    #[error(
        "could not read a stored histogram: its bytes are not an HdrHistogram V2 encoding ({0})\nhint: the run file was cut or edited; take the original"
    )]
    Encoding(String),
}

impl Recorder {
    /// The distribution as base64 of the uncompressed HdrHistogram V2 bytes.
    pub fn to_hdr_v2(&self) -> String {
        // All ones: the bound then does not change when the largest value comes back rounded to its
        // bucket.
        let top = (u64::MAX >> self.max().unwrap_or(0).leading_zeros().min(62)).min(LARGEST);
        let mut histogram = Histogram::<u64>::new_with_bounds(1, top, SIGNIFICANT_DIGITS)
            .expect("1, at least 3 and three digits are valid bounds");
        let mut put = |value: u64, times: u64| {
            histogram.record_n(value.min(LARGEST), times).expect("no value is above the bound");
        };
        for (low, high, count) in self.buckets() {
            let mut rest = count;
            for extreme in [self.min(), self.max()].into_iter().flatten() {
                if (low..=high).contains(&extreme) && rest > 0 {
                    put(extreme, 1);
                    rest -= 1;
                }
            }
            if rest > 0 {
                put(self.representative_of(low), rest);
            }
        }
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&histogram, &mut bytes)
            .expect("writing into memory fails for no histogram with u64 counts below i64::MAX");
        STANDARD.encode(bytes)
    }

    /// Reads what [`Recorder::to_hdr_v2`] wrote. Counts per bucket come back exactly, smallest and
    /// largest within 0.1 %.
    ///
    /// # Errors
    /// [`HdrError`] when the text is not base64 or its bytes are not the V2 encoding.
    pub fn from_hdr_v2(text: &str) -> Result<Recorder, HdrError> {
        let bytes = STANDARD.decode(text)?;
        check_header(&bytes)?;
        let histogram: Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| HdrError::Encoding(error.to_string()))?;
        let mut recorder = Recorder::new();
        for step in histogram.iter_recorded() {
            // The lower edge: our bucket middles are aligned to it, and come back unchanged.
            let value = histogram.lowest_equivalent(step.value_iterated_to());
            recorder.record_times(value, step.count_at_value());
        }
        Ok(recorder)
    }
}

/// A stored histogram with its place in a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedHistogram<'a> {
    /// What it is of.
    pub tag: String,
    /// Its beginning after the log's, s.
    pub start_s: f64,
    /// Its length, s.
    pub length_s: f64,
    /// Base64 of the uncompressed V2 bytes, values in ns.
    pub hdr_v2: &'a str,
}

/// Histograms as a log of HdrHistogram's (format 1.3), which its own viewers read; its maxima are in milliseconds. `started_unix_s` is when
/// the log begins.
///
/// # Errors
/// A histogram is damaged.
pub fn interval_log(
    started_unix_s: f64,
    logged: &[LoggedHistogram<'_>],
) -> Result<String, HdrError> {
    let mut log = format!(
        "#[Histogram log format version 1.3]\n#[StartTime: {started_unix_s:.3} (seconds since epoch)]\n\
         \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
    );
    let mut serializer = V2DeflateSerializer::new();
    for LoggedHistogram { tag, start_s, length_s, hdr_v2 } in logged {
        let bytes = STANDARD.decode(hdr_v2)?;
        check_header(&bytes)?;
        let encoding = |error: String| HdrError::Encoding(error);
        let histogram: Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| encoding(error.to_string()))?;
        let mut compressed = Vec::new();
        serializer
            .serialize(&histogram, &mut compressed)
            .map_err(|error| encoding(error.to_string()))?;
        // What ends a tag can't be in it.
        let tag: String = tag
            .chars()
            .map(|c| if c == ',' || c.is_whitespace() || c.is_control() { '_' } else { c })
            .collect();
        let max_ms = histogram.max() as f64 / 1e6;
        log += &format!(
            "Tag={tag},{start_s:.3},{length_s:.3},{max_ms:.3},{}\n",
            STANDARD.encode(compressed)
        );
    }
    Ok(log)
}

/// Refuses what would make the decoder reserve memory on the word of a damaged header: a compressed
/// form, or a length that is not that of the bytes at hand.
fn check_header(bytes: &[u8]) -> Result<(), HdrError> {
    let word = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
        four.map(u32::from_be_bytes).ok_or_else(|| HdrError::Encoding("cut short".into()))
    };
    if word(0)? != COOKIE {
        return Err(HdrError::Encoding(format!("it starts with {:#010x}", word(0)?)));
    }
    let (said, present) = (word(4)? as usize, bytes.len().saturating_sub(HEADER_BYTES));
    if said != present {
        let reason = format!("{said} bytes of counts announced, {present} present");
        return Err(HdrError::Encoding(reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_holds_what_was_stored() {
        let mut recorder = Recorder::new();
        recorder.record_times(1_500_000, 10);
        let stored = recorder.to_hdr_v2();
        let one = |tag: &str| LoggedHistogram {
            tag: tag.to_string(),
            start_s: 0.0,
            length_s: 5.0,
            hdr_v2: &stored,
        };
        let log = interval_log(1_700_000_000.0, &[one("block.read, QD1"), one("b")]).unwrap();
        let lines: Vec<&str> = log.lines().filter(|line| line.starts_with("Tag=")).collect();
        assert!(lines[0].starts_with("Tag=block.read__QD1,0.000,5.000,1.5"), "{log}");
        assert_eq!(lines.len(), 2);
        let packed = STANDARD.decode(lines[1].rsplit(',').next().unwrap()).unwrap();
        let read: Histogram<u64> = Deserializer::new().deserialize(&mut packed.as_slice()).unwrap();
        assert_eq!(read.len(), 10);
        assert!(interval_log(0.0, &[LoggedHistogram { hdr_v2: "no", ..one("c") }]).is_err());
    }

    #[test]
    fn a_damaged_text_is_refused_with_its_reason() {
        let good = {
            let mut recorder = Recorder::new();
            (0..1000).for_each(|i| recorder.record(i * 977));
            recorder.to_hdr_v2()
        };
        assert!(Recorder::from_hdr_v2(&good).is_ok());
        assert!(matches!(Recorder::from_hdr_v2("no base64!"), Err(HdrError::Base64(_))));
        assert!(matches!(Recorder::from_hdr_v2(""), Err(HdrError::Encoding(_))));
        let cut = &good[..good.len() / 2 / 4 * 4];
        assert!(matches!(Recorder::from_hdr_v2(cut), Err(HdrError::Encoding(_))));
        let mut bytes = STANDARD.decode(&good).unwrap();
        bytes.push(0);
        let longer = Recorder::from_hdr_v2(&STANDARD.encode(&bytes)).unwrap_err().to_string();
        assert!(longer.contains("announced"), "{longer}");
        // Four gigabytes announced must not be four gigabytes reserved.
        bytes[4..8].fill(0xff);
        assert!(matches!(check_header(&bytes), Err(HdrError::Encoding(_))));
        let error = Recorder::from_hdr_v2("AAAA").unwrap_err().to_string();
        assert!(error.contains("hint: "), "{error}");
    }

    #[test]
    fn another_reader_sees_the_same_distribution() {
        let mut recorder = Recorder::new();
        (1..=100_000u64).for_each(|i| recorder.record(i * 37));
        let bytes = STANDARD.decode(recorder.to_hdr_v2()).unwrap();
        assert_eq!(bytes[..4], COOKIE.to_be_bytes(), "cookie of the uncompressed V2 encoding");
        let histogram: Histogram<u64> =
            Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(histogram.len(), 100_000);
        for q in [0.01, 0.5, 0.9, 0.99, 0.999] {
            let (ours, theirs) = (recorder.quantile(q).unwrap(), histogram.value_at_quantile(q));
            assert!((theirs as f64 / ours as f64 - 1.0).abs() < 0.002, "q {q}: {ours}, {theirs}");
        }
        assert!((histogram.max() as f64 / 3_700_000.0 - 1.0).abs() < 0.001);
    }

    #[test]
    fn extremes_survive() {
        let empty = Recorder::from_hdr_v2(&Recorder::new().to_hdr_v2()).unwrap();
        assert_eq!(empty.count(), 0);
        let mut recorder = Recorder::new();
        for value in [0, 1, u64::MAX, u64::MAX - 1] {
            recorder.record(value);
        }
        let back = Recorder::from_hdr_v2(&recorder.to_hdr_v2()).unwrap();
        assert_eq!(back.buckets().collect::<Vec<_>>(), recorder.buckets().collect::<Vec<_>>());
        assert_eq!((back.min(), back.overflow()), (Some(0), 2));
    }
}
