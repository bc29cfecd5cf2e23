//! Texts of the command line.

use std::path::PathBuf;
use std::time::Duration;

use narrows_initiator::{Address, InvalidAddress};
use narrows_log_tier::MOST_MEDIA;

use crate::backing::{CACHE_PAGE, LEAST_BYTES};
use crate::namespace::{
    CacheRange, CacheSpec, DeviceCacheSpec, DiskSpec, LogMediumSpec, Medium, NamespaceSpec,
};
use crate::reactor::Wait;

/// Why a text isn't what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSpec(String);

fn invalid<T>(text: String) -> Result<T, InvalidSpec> {
    Err(InvalidSpec(text))
}

/// What is said to whoever asks for TLS by a name that it doesn't have here.
pub(crate) const HOW_TLS: &str = "hosts have to come by TLS where a key is named, as --tls-key-file or, in a configuration, tls-key-file\nhint: `nvme gen-tls-key` prints a key; put it into a file of mode 0600 and name that";

/// Size that `null` pretends where none is said: 1 TiB.
const NULL_BYTES: u64 = 1 << 40;

/// `FILE`, `DEVICE`, `ram:SIZE` or `null[:SIZE]`, then options with commas between: `block=4096`, `readonly`, `nsid=N`,
/// `serial=S`, `contents=keep`, `cache=ram:SIZE`, `cache-index=FILE`, or `cache=FILE` or `cache=DEVICE,cache-serial=S`, and once or twice
/// `log=FILE` or `log=DEVICE,log-serial=S`, or for each of two to eight peers `log=nvme-tcp://HOST:PORT/NQN?ns=1`.
///
/// # Errors
/// What of it isn't understood.
pub fn namespace_of(text: &str) -> Result<NamespaceSpec, InvalidSpec> {
    let mut words = text.split(',');
    let medium = match words.next().unwrap_or_default() {
        "" => return invalid("no file, device, `ram:SIZE` or `null` is named".to_string()),
        "null" => Medium::Null { bytes: NULL_BYTES },
        "ram" => return invalid("how much memory? `ram:SIZE`, as in ram:8GiB".to_string()),
        other => match other.split_once(':') {
            Some(("ram", size)) => Medium::Ram { bytes: bytes_of(size)? },
            Some(("null", size)) => Medium::Null { bytes: bytes_of(size)? },
            _ => Medium::Path(other.into()),
        },
    };
    let mut spec = NamespaceSpec {
        medium,
        block_bytes: 512,
        read_only: false,
        serial: None,
        keep_contents: false,
        number: None,
        cache: None,
        device_cache: None,
        log: Vec::new(),
    };
    let (mut ranges, mut index) = (Vec::new(), None);
    for word in words {
        match word.split_once('=') {
            Some(("block", "512")) => spec.block_bytes = 512,
            Some(("block", "4096")) => spec.block_bytes = 4096,
            Some(("serial", serial)) => spec.serial = Some(serial.to_string()),
            Some(("contents", "keep")) => spec.keep_contents = true,
            Some(("nsid", number)) => match number.parse() {
                Ok(number @ 1..=0xFFFF_FFFD) => spec.number = Some(number),
                _ => return invalid(format!("`{word}`: a namespace has a number from 1 on")),
            },
            Some(("cache", place)) => add_cache(&mut spec, place)?,
            Some(("cache-serial", serial)) => match &mut spec.device_cache {
                Some(cache) => cache.disk.serial = Some(serial.to_string()),
                None => {
                    return invalid(format!(
                        "`{word}`: it stands after the `cache=DEVICE` that it is of"
                    ));
                }
            },
            Some(("cache-index", path)) if !path.is_empty() => index = Some(path.into()),
            Some(("cache-keep", range)) => ranges.push(cache_range_of(word, range, true)?),
            Some(("cache-recycle", range)) => ranges.push(cache_range_of(word, range, false)?),
            Some(("log", place)) if !place.is_empty() => spec.log.push(log_place_of(place)?),
            Some(("log-serial", serial)) => match spec.log.last_mut() {
                Some(LogMediumSpec::Disk(medium)) => medium.serial = Some(serial.to_string()),
                Some(LogMediumSpec::Peer(_)) | None => {
                    return invalid(format!("`{word}`: it stands after the `log=` that it is of"));
                }
            },
            None if word == "readonly" => spec.read_only = true,
            _ => {
                let known = "block=512, block=4096, readonly, nsid=N, serial=S, contents=keep, cache=ram:SIZE, cache=FILE, cache-serial=S, cache-keep=RANGE, cache-recycle=RANGE, cache-index=FILE, log=FILE, log-serial=S";
                return invalid(format!("`{word}` is none of {known}"));
            }
        }
    }
    if let Medium::Ram { bytes } | Medium::Null { bytes } = spec.medium
        && bytes < u64::from(spec.block_bytes)
    {
        return invalid(format!("{bytes} bytes are less than one block"));
    }
    complete_cache(&mut spec, ranges, index)?;
    if !spec.log.is_empty() {
        if !matches!(spec.medium, Medium::Path(_)) {
            return invalid("a log is of a file or block device: memory keeps nothing".to_string());
        }
        if spec.read_only {
            return invalid(
                "`readonly` and `log=`: nothing would be written to the log".to_string(),
            );
        }
        check_places(&spec.log)?;
    }
    Ok(spec)
}

/// Gives a namespace a cache, in memory or on a file or device.
fn add_cache(spec: &mut NamespaceSpec, place: &str) -> Result<(), InvalidSpec> {
    if spec.cache.is_some() || spec.device_cache.is_some() {
        return invalid(format!(
            "`cache={place}`: a namespace has one cache, in memory (`cache=ram:SIZE`) or on a file or device (`cache=FILE`)"
        ));
    }
    match place {
        "" | "ram" => {
            return invalid(format!(
                "`cache={place}`: where? `cache=ram:SIZE` is in memory, as cache=ram:8GiB, and `cache=FILE` on a file or device"
            ));
        }
        _ if place.starts_with("ram:") => {
            let bytes = cache_bytes_of(place)?;
            spec.cache = Some(CacheSpec { bytes, ranges: Vec::new(), index: None });
        }
        path => {
            let disk = made_at(path);
            spec.device_cache = Some(DeviceCacheSpec { disk, ranges: Vec::new(), index: None });
        }
    }
    Ok(())
}

/// Size of a cache in memory.
fn cache_bytes_of(place: &str) -> Result<u64, InvalidSpec> {
    let bytes = bytes_of(place.strip_prefix("ram:").unwrap_or(place))?;
    if bytes < LEAST_BYTES {
        return invalid(format!(
            "`cache={place}`: the smallest cache has {} KiB",
            LEAST_BYTES >> 10
        ));
    }
    Ok(bytes)
}

/// `OFFSET+SIZE`, and behind a colon the quota.
fn cache_range_of(word: &str, range: &str, keep: bool) -> Result<CacheRange, InvalidSpec> {
    let (range, quota) = match range.split_once(':') {
        Some((range, quota)) => (range, Some(bytes_of(quota)?)),
        None => (range, None),
    };
    let Some((offset, bytes)) = range.split_once('+') else {
        return invalid(format!("`{word}` is no range, as cache-keep=0+100MiB is"));
    };
    let (offset, bytes) = (bytes_of(offset)?, bytes_of(bytes)?);
    if bytes == 0 || [offset, bytes, quota.unwrap_or(0)].iter().any(|it| it % CACHE_PAGE != 0) {
        return invalid(format!("`{word}`: a range has whole pages of 4 KiB"));
    }
    Ok(CacheRange { offset, bytes, keep, quota_bytes: quota })
}

/// Gives a cache its ranges and its index, where there is one and it can be.
fn complete_cache(
    spec: &mut NamespaceSpec,
    mut ranges: Vec<CacheRange>,
    index: Option<PathBuf>,
) -> Result<(), InvalidSpec> {
    if spec.cache.is_none() && spec.device_cache.is_none() {
        let what = match (&index, ranges.is_empty()) {
            (Some(_), _) => "the index",
            (None, false) => "a range",
            (None, true) => return Ok(()),
        };
        return invalid(format!("{what} of which cache? `cache=ram:SIZE` says how large it is"));
    }
    if !matches!(spec.medium, Medium::Path(_)) {
        return invalid("a cache is of a file or block device: the rest is memory".to_string());
    }
    ranges.sort_by_key(|range| range.offset);
    let apart = |pair: &[CacheRange]| {
        pair[0].offset.checked_add(pair[0].bytes).is_some_and(|end| end <= pair[1].offset)
    };
    if !ranges.windows(2).all(apart) {
        return invalid("`cache-keep=` and `cache-recycle=`: two ranges overlap".to_string());
    }
    if let Some(cache) = &mut spec.cache {
        (cache.ranges, cache.index) = (ranges, index);
    } else if let Some(cache) = &mut spec.device_cache {
        (cache.ranges, cache.index) = (ranges, index);
    }
    Ok(())
}

/// A medium of a log: a file, a device, or a peer's namespace by its address.
pub(crate) fn log_place_of(text: &str) -> Result<LogMediumSpec, InvalidSpec> {
    if !Address::is_meant(text) {
        return Ok(LogMediumSpec::Disk(made_at(text)));
    }
    let address: Address =
        text.parse().map_err(|error: InvalidAddress| InvalidSpec(error.to_string()))?;
    if address.reconnect.is_some() {
        return invalid(format!(
            "`{text}`: a peer that was lost is tried again every 2 s; leave reconnect-delay and ctrl-loss-tmo out"
        ));
    }
    Ok(LogMediumSpec::Peer(Box::new(address)))
}

/// Whether a log can be on these media together.
pub(crate) fn check_places(places: &[LogMediumSpec]) -> Result<(), InvalidSpec> {
    let peers = places.iter().filter(|place| matches!(place, LogMediumSpec::Peer(_))).count();
    match (peers, places.len()) {
        (0, 0..=2) => Ok(()),
        (0, _) => invalid("a log is on one medium or two, or on peers".to_string()),
        (peers, all) if peers < all => {
            invalid("a log is on peers, or on files and devices of this machine".to_string())
        }
        (peers, _) if !(2..=usize::from(MOST_MEDIA)).contains(&peers) => {
            invalid(format!("a log on peers has 2 to {MOST_MEDIA} of them, {peers} are named"))
        }
        _ => Ok(()),
    }
}

/// A medium of a log, or a cache, that was made before.
pub(crate) fn made_at(path: &str) -> DiskSpec {
    DiskSpec {
        path: path.into(),
        serial: None,
        keep_contents: true,
        block_bytes: 4096,
        only_read: false,
    }
}

/// A size: a number, and KiB, MiB, GiB, TiB or their first letters; bytes without.
///
/// # Errors
/// What of it isn't understood.
pub fn bytes_of(text: &str) -> Result<u64, InvalidSpec> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" | "B" => 0,
        "k" | "K" | "KiB" => 10,
        "m" | "M" | "MiB" => 20,
        "g" | "G" | "GiB" => 30,
        "t" | "T" | "TiB" => 40,
        other => return invalid(format!("`{other}` is no unit; KiB, MiB, GiB or TiB is")),
    };
    let number: u64 = match digits.parse() {
        Ok(number) => number,
        Err(_) => return invalid(format!("`{text}` is no size, as 8GiB is")),
    };
    number.checked_mul(1 << shift).ok_or_else(|| InvalidSpec(format!("`{text}` is too large")))
}

/// `sleep`, `poll`, or for how many microseconds to look before sleeping: `50us`.
///
/// # Errors
/// What of it isn't understood.
pub fn wait_of(text: &str) -> Result<Wait, InvalidSpec> {
    match text {
        "sleep" => Ok(Wait::Sleep),
        "poll" => Ok(Wait::Poll),
        _ => match text.strip_suffix("us").map(str::parse) {
            Some(Ok(micros @ 1..=1_000_000)) => Ok(Wait::Spin(Duration::from_micros(micros))),
            _ => invalid(format!("`{text}` is none of sleep, poll, or a time such as 50us")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_served_is_told_by_its_first_word() {
        let ram = namespace_of("ram:8GiB,block=4096").unwrap();
        assert_eq!(ram.medium, Medium::Ram { bytes: 8 << 30 });
        assert_eq!(ram.block_bytes, 4096);
        let null = namespace_of("null,readonly,nsid=7").unwrap();
        assert_eq!((null.read_only, null.number), (true, Some(7)));
        let device = namespace_of("/dev/sdx,serial=A:B C,contents=keep").unwrap();
        assert_eq!(device.medium, Medium::Path("/dev/sdx".into()));
        assert_eq!((device.serial.as_deref(), device.keep_contents), (Some("A:B C"), true));
        let cached = namespace_of("/srv/disk,cache=ram:64MiB").unwrap();
        let cache = CacheSpec { bytes: 64 << 20, ranges: Vec::new(), index: None };
        assert_eq!((cached.cache, null.cache), (Some(cache), None));
        let text = "a,cache-recycle=1GiB+8KiB:4KiB,cache=ram:1MiB,cache-keep=0+64KiB";
        let ranges = namespace_of(text).unwrap().cache.unwrap().ranges;
        let keep = CacheRange { offset: 0, bytes: 64 << 10, keep: true, quota_bytes: None };
        let quota_bytes = Some(4096);
        let recycle = CacheRange { offset: 1 << 30, bytes: 8192, keep: false, quota_bytes };
        assert_eq!(ranges, [keep, recycle]);
        let text = "a,cache-index=/var/lib/a b,cache=ram:1MiB";
        let index = namespace_of(text).unwrap().cache.unwrap().index;
        assert_eq!(index.as_deref(), Some("/var/lib/a b".as_ref()));
        let index = namespace_of("a,cache=b,cache-index=c").unwrap().device_cache.unwrap().index;
        assert_eq!(index.as_deref(), Some("c".as_ref()));
        let text = "/srv/a,cache-keep=0+64KiB,cache=/dev/sdy,cache-serial=S 1,log=/fast/a";
        let fast = namespace_of(text).unwrap();
        let on = fast.device_cache.unwrap();
        assert_eq!(
            (on.disk.path.to_str(), on.disk.serial.as_deref()),
            (Some("/dev/sdy"), Some("S 1"))
        );
        assert_eq!((on.ranges, fast.cache, fast.log.len()), (vec![keep], None, 1));
        let logged = namespace_of("/srv/wal,log=/fast/a,log=/dev/sdy,log-serial=S 1").unwrap();
        let media = logged.log.iter().map(|place| match place {
            LogMediumSpec::Disk(it) => (it.path.to_str(), it.serial.as_deref()),
            LogMediumSpec::Peer(_) => panic!("a file and a device"),
        });
        let media: Vec<_> = media.collect();
        assert_eq!(media, [(Some("/fast/a"), None), (Some("/dev/sdy"), Some("S 1"))]);
        let peer = "log=nvme-tcp://[2001:db8::1]:4420/nqn.x:p?ns=2&io-timeout=2";
        let on_peers = namespace_of(&format!("/srv/wal,{peer},{peer}")).unwrap();
        let LogMediumSpec::Peer(address) = &on_peers.log[1] else { panic!("a peer") };
        assert_eq!((address.namespace, address.io_timeout_s), (2, 2));
        let both = namespace_of("a,cache=ram:1MiB,log=b").unwrap();
        assert_eq!((both.cache.map(|cache| cache.bytes), both.log.len()), (Some(1 << 20), 1));
        // A file may have a colon in its name.
        assert_eq!(namespace_of("a:b").unwrap().medium, Medium::Path("a:b".into()));
    }

    #[test]
    fn what_is_not_understood_is_repeated() {
        let why = |text: &str| namespace_of(text).unwrap_err().to_string();
        assert!(why("").contains("no file"));
        assert!(why("ram").contains("ram:8GiB"));
        assert!(why("ram:8XB").contains("`XB`"));
        assert!(why("ram:").contains("no size"));
        assert!(why("ram:100").contains("less than one block"));
        assert!(why("a,block=1024").contains("`block=1024`"));
        assert!(why("a,nsid=0").contains("from 1 on"));
        assert!(why("ram:1MiB,log=b").contains("memory keeps nothing"));
        assert!(why("a,log=b,readonly").contains("nothing would be written"));
        assert!(why("a,log=b,log=c,log=d").contains("one medium or two"));
        assert!(why("ram:8MiB,cache=ram:1MiB").contains("the rest is memory"));
        for place in ["", "ram"] {
            assert!(why(&format!("a,cache={place}")).contains("where? `cache=ram:SIZE`"));
        }
        for two in ["a,cache=b,cache=ram:1MiB", "a,cache=ram:1MiB,cache=b", "a,cache=b,cache=c"] {
            assert!(why(two).contains("a namespace has one cache"), "{two}");
        }
        assert!(why("ram:8MiB,cache=b").contains("the rest is memory"));
        assert!(why("a,cache-serial=S,cache=b").contains("after the `cache=DEVICE`"));
        assert!(why("a,cache=b,cache-keep=0+1MiB,cache-keep=0+4KiB").contains("overlap"));
        assert!(why("a,cache=ram:64KiB").contains("smallest cache has 256 KiB"));
        assert!(why("a,cache=ram:").contains("no size"));
        assert!(why("a,cache-keep=0+1MiB").contains("of which cache"));
        assert!(why("a,cache-index=b").contains("index of which cache"));
        assert!(why("a,cache=ram:1MiB,cache-index=").contains("`cache-index=`"));
        assert!(why("a,cache=ram:1MiB,cache-keep=1MiB").contains("no range"));
        for range in ["0+0", "512+4096", "0+100", "0+8KiB:100"] {
            let text = format!("a,cache=ram:1MiB,cache-keep={range}");
            assert!(why(&text).contains("whole pages"), "{range}");
        }
        let two = "a,cache=ram:1MiB,cache-keep=0+64KiB,cache-recycle=";
        assert!(why(&format!("{two}60KiB+8KiB")).contains("overlap"));
        assert!(namespace_of(&format!("{two}64KiB+8KiB")).is_ok());
        assert!(why("a,log-serial=S").contains("after the `log=`"));
        let peer = "log=nvme-tcp://h/nqn.x";
        assert!(why(&format!("a,{peer},log-serial=S")).contains("after the `log=`"));
        assert!(why(&format!("a,{peer}")).contains("2 to 8 of them, 1 are named"));
        assert!(why(&format!("a,{peer},log=b")).contains("on peers, or on files"));
        assert!(why(&format!("a{}", format!(",{peer}").repeat(9))).contains("9 are named"));
        assert!(why("a,log=nvme-tcp://h").contains("subsystem's NQN"));
        assert!(why(&format!("a,{peer}?reconnect-delay=1,{peer}")).contains("every 2 s; leave"));
        assert!(bytes_of("99999999T").unwrap_err().to_string().contains("too large"));
        assert_eq!(wait_of("50us").unwrap(), Wait::Spin(Duration::from_micros(50)));
        assert!(wait_of("50ms").unwrap_err().to_string().contains("50ms"));
    }
}
