//! Nothing that is written in a job file makes the reader panic, loop or forget a setting.
//!
//! `NARROWS_FIO_FUZZ_CASES` sets how many files are made up; a night's worth is ten million.

use crate::common;
use crate::common::{InMemory, MACHINE};
use narrows_fio::verify::{Method, Pattern, VerifyBlocks, parse_pattern};
use narrows_fio::{KbBase, OptionType, bytes_as_fio, options, read, time_as_fio};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn cases() -> u32 {
    let asked = std::env::var("NARROWS_FIO_FUZZ_CASES").ok();
    asked.map_or(2000, |asked| asked.parse().expect("NARROWS_FIO_FUZZ_CASES is a number"))
}

fn runner() -> TestRunner {
    TestRunner::new(Config { cases: cases(), failure_persistence: None, ..Config::default() })
}

/// Pieces that job files and their values are made of, and some that they aren't.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "4k",
        "8k",
        "1.5m",
        "0x10",
        "%",
        "-",
        ",",
        ":",
        "/",
        "z",
        "(",
        ")",
        "+",
        "*",
        "^",
        "kib",
        "sec",
        "${HOME}",
        "${",
        "}",
        "$pagesize",
        "$ncpus",
        "$mb_memory",
        "randrw",
        "read",
        "zipf:",
        "zoned:",
        "50/50",
        " ",
        "\t",
        "=",
        ";",
        "#",
        "\\:",
        "9223372036854775807",
        "99999999999999999999",
        "0",
        "1",
        "é",
        "\u{0}",
        "include",
        "null",
        "io_uring",
        "global",
        "[",
        "]",
        "\r",
        "'",
        "1e9",
        ".",
        "0-7",
        "99.9",
        "\"ab\"",
        "%o",
        "md5",
        "true",
        "none",
    ];
    prop_oneof![
        8 => proptest::sample::select(words.to_vec()).prop_map(str::to_string),
        1 => "[ -~]{0,6}",
        1 => any::<i64>().prop_map(|number| number.to_string()),
    ]
}

fn value() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.concat())
}

fn line() -> impl Strategy<Value = String> {
    let names: Vec<&str> = options::all().map(|option| option.name).collect();
    prop_oneof![
        10 => (proptest::sample::select(names.clone()), value()).prop_map(|(n, v)| format!("{n}={v}")),
        2 => proptest::sample::select(names).prop_map(str::to_string),
        2 => value().prop_map(|v| format!("[{v}]")),
        1 => Just("[global]".to_string()),
        1 => Just("include other".to_string()),
        1 => value(),
    ]
}

fn file() -> impl Strategy<Value = String> {
    (any::<bool>(), proptest::collection::vec(line(), 0..12)).prop_map(|(begun, lines)| {
        let start = if begun { "[a]\n" } else { "" };
        format!("{start}{}", lines.join("\n"))
    })
}

#[test]
fn any_file_is_read_or_stopped() {
    runner()
        .run(&(file(), file()), |(first, other)| {
            let mut loader = InMemory::default();
            loader.variables.insert("HOME".into(), "$pagesize;[x]\n#".into());
            loader.files.insert("f".into(), first.clone());
            loader.files.insert("other".into(), other);
            match read(&["f", "other"], &[], &loader, &MACHINE) {
                // Every setting of an accepted file is accounted for.
                Ok(plan) => {
                    let written = plan.jobs.iter().map(|job| job.written.len()).sum::<usize>();
                    prop_assert!(plan.notes.len() >= written + plan.global_options.len());
                }
                Err(stopped) => {
                    prop_assert!(!stopped.0.is_empty());
                    prop_assert!(stopped.0.iter().all(|problem| !problem.reason.is_empty()));
                }
            }
            Ok(())
        })
        .expect("no file makes it panic");
}

#[test]
fn any_value_of_any_option_is_read_or_stopped() {
    let names: Vec<&'static str> = options::all().map(|option| option.name).collect();
    runner()
        .run(&(proptest::sample::select(names), value()), |(name, value)| {
            let _ = common::job(&format!("ioengine=io_uring\n{name}={value}"));
            for kind in [OptionType::PerDirection, OptionType::Seconds, OptionType::Microseconds] {
                kind.integers_as_fio(&value, KbBase::Binary);
            }
            Ok(())
        })
        .expect("no value makes it panic");
}

/// What is accepted without a word is what fio makes of it.
#[test]
fn silence_means_that_fio_agrees() {
    let number = ("[0-9]{1,6}", "(|k|m|g|kb|mi|kib|MiB|%|x|s)");
    runner()
        .run(&number, |(digits, unit)| {
            let text = format!("{digits}{unit}");
            let taken = common::job(&format!("ioengine=null\nbs=1\noffset={text}"));
            if let Ok(plan) = &taken
                && plan.notes.iter().all(|note| note.option != "offset" || note.sentence.is_empty())
            {
                let ours = match plan.jobs[0].region.offset {
                    narrows_fio::Amount::Bytes(bytes) => bytes as i64,
                    narrows_fio::Amount::Percent(percent) => -1 - i64::from(percent),
                };
                prop_assert_eq!(bytes_as_fio(&text, KbBase::Binary), Some(ours));
            }
            let taken = common::job(&format!("runtime={text}"));
            if let Ok(plan) = &taken {
                let ours = plan.jobs[0].ending.runtime.map_or(0, |nanos| nanos.0 / 1000);
                prop_assert_eq!(time_as_fio(&text, true), Some(ours as i64));
            }
            Ok(())
        })
        .expect("silence is agreement");
}

/// Any pattern that is taken fills a block, and the block is then what it has to be.
#[test]
fn patterns_never_panic_and_are_found_again() {
    let parts = ["\"ab\"", "\"\"", "%o", "0xff1", "0x", "12", "-3", "0", "'f'", "x", "\"", " "];
    let text = proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..5);
    let text = text.prop_map(|parts| parts.concat());
    let of = (
        prop_oneof![9 => text, 1 => value()],
        1..300_usize,
        any::<u64>(),
        0..64_u32,
        any::<usize>(),
    );
    runner()
        .run(&of, |(text, bytes, offset, interval, changed)| {
            let Ok(parts) = parse_pattern(&text, true) else { return Ok(()) };
            let read = |_: &str| Ok(vec![1, 2, 3]);
            let Ok(pattern) = Pattern::of(&parts, interval, read) else { return Ok(()) };
            let blocks = VerifyBlocks {
                method: Method::Pattern,
                unit_bytes: 0,
                header_at: None,
                pattern: Some(pattern),
                seed: 0,
                compress_percent: 0,
                job: 1,
                compares_number: true,
                compares_seed: true,
            };
            let (offset, mut block) = (offset >> 1, vec![0; bytes]);
            blocks.make(&mut block, offset, 0);
            prop_assert_eq!(blocks.check(&mut block, offset, None), Ok(()));
            let at = changed % bytes;
            block[at] ^= 1;
            let found = blocks.check(&mut block, offset, None).map_err(|found| found.offset);
            prop_assert_eq!(found, Err(offset + at as u64));
            Ok(())
        })
        .expect("no pattern is an exception");
}
