//! fio as the judge of verified blocks: it has to find nothing in what is written here, and its own have to pass here; and both have to
//! find a byte that was changed.

use std::path::Path;
use std::process::{Command, Output};

use narrows_fio::verify::{METHODS, Method, Pattern, VerifyBlocks, parse_pattern};

use crate::common::fio;

const BLOCK: usize = 4096;
const BLOCKS: usize = 16;
const PATTERN: &str = "\"narrows\"%o0xdeadbeef-12";

/// A case: the method, further settings of fio's job, and what we make of them.
struct Case {
    method: &'static str,
    settings: Vec<String>,
    blocks: VerifyBlocks,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let units = [(BLOCK as u32, None), (512, Some(256))];
    for ((name, method), (unit_bytes, header_at)) in
        METHODS.iter().flat_map(|one| units.map(|unit| (one, unit)))
    {
        let mut settings = vec![format!("--verify_interval={unit_bytes}")];
        settings.extend(header_at.map(|at| format!("--verify_offset={at}")));
        let needs_pattern = matches!(method, Method::Pattern | Method::PatternHdr);
        let pattern = needs_pattern.then(|| {
            settings.push(format!("--verify_pattern={PATTERN}"));
            let parts = parse_pattern(PATTERN, true).expect("a pattern");
            Pattern::of(&parts, 0, |_| Ok(Vec::new())).expect("no file")
        });
        let blocks = VerifyBlocks {
            method: *method,
            unit_bytes,
            header_at,
            pattern,
            seed: 5,
            compress_percent: 0,
            job: 1,
            compares_number: false,
            compares_seed: false,
        };
        cases.push(Case { method: name, settings, blocks });
    }
    cases
}

fn run(fio: &str, folder: &Path, case: &Case, direction: &str) -> Output {
    Command::new(fio)
        .current_dir(folder)
        .args(["--name=a", "--filename=f", "--bs=4k", "--size=64k", "--do_verify=0"])
        .arg(format!("--rw={direction}"))
        .arg(format!("--verify={}", case.method))
        .args(&case.settings)
        .output()
        .expect("fio runs")
}

/// Whether fio has the header that is written here: since 3.41.
fn has_our_header(fio: &str) -> bool {
    let out = Command::new(fio).arg("--version").output().expect("fio runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let numbers = text.trim().trim_start_matches("fio-");
    let mut numbers = numbers.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    version >= (3, 41)
}

#[test]
fn fio_finds_nothing_in_our_blocks_but_what_was_changed() {
    let Some(fio) = fio() else { return };
    if !has_our_header(&fio) {
        println!(
            "SKIPPED: {fio} is older than 3.41, whose header is written here (NARROWS_FIO names another)"
        );
        return;
    }
    let folder = tempfile::tempdir().expect("a scratch folder");
    for case in cases() {
        let mut file = vec![0; BLOCKS * BLOCK];
        for (number, block) in file.chunks_mut(BLOCK).enumerate() {
            case.blocks.make(block, (number * BLOCK) as u64, number as u64);
        }
        let path = folder.path().join("f");
        std::fs::write(&path, &file).expect("written");
        let out = run(&fio, folder.path(), &case, "read");
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{} {:?}: {told}", case.method, case.settings);
        if case.method == "null" || case.method == "meta" {
            continue;
        }
        // In the last unit: fio forgets a bad one when the next of its block is good.
        file[6 * BLOCK - 50] ^= 1;
        std::fs::write(&path, &file).expect("written");
        let out = run(&fio, folder.path(), &case, "read");
        assert!(!out.status.success(), "{} {:?}: fio finds nothing", case.method, case.settings);
    }
}

#[test]
fn the_blocks_of_fio_pass_here_but_what_was_changed() {
    let Some(fio) = fio() else { return };
    let folder = tempfile::tempdir().expect("a scratch folder");
    let new = has_our_header(&fio);
    for case in cases() {
        // The bytes that are exchanged are as many as the header has, which was shorter.
        if case.blocks.header_at.is_some() && !new {
            continue;
        }
        // Of fio 3.33 the sum of sha512 is another than that of 3.42.
        if case.method == "sha512" && !new {
            continue;
        }
        let out = run(&fio, folder.path(), &case, "write");
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        if told.contains("failed parsing verify=") && !new {
            println!("SKIPPED: {fio} has no {}", case.method);
            continue;
        }
        assert!(out.status.success(), "{told}");
        let mut file = std::fs::read(folder.path().join("f")).expect("read");
        assert_eq!(file.len(), BLOCKS * BLOCK);
        let check = |file: &mut [u8]| {
            let blocks = file.chunks_mut(BLOCK).enumerate();
            let mut found = blocks
                .map(|(number, block)| case.blocks.check(block, (number * BLOCK) as u64, None));
            found.find_map(Result::err)
        };
        assert_eq!(check(&mut file.clone()), None, "{} {:?}", case.method, case.settings);
        if case.method == "null" || case.method == "meta" {
            continue;
        }
        file[5 * BLOCK + 3000] ^= 1;
        let found = check(&mut file).unwrap_or_else(|| panic!("{} is not found", case.method));
        let place = 5 * BLOCK as u64..6 * BLOCK as u64;
        assert!(place.contains(&found.offset), "{}: {found}", case.method);
    }
}
