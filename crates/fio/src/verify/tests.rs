use super::*;

fn blocks(method: Method) -> VerifyBlocks {
    VerifyBlocks {
        method,
        unit_bytes: 512,
        header_at: None,
        pattern: None,
        seed: 7,
        compress_percent: 0,
        job: 1,
        compares_number: true,
        compares_seed: true,
    }
}

fn with_pattern(method: Method, text: &str, interval_bytes: u32) -> VerifyBlocks {
    let parts = parse_pattern(text, true).unwrap();
    let none = |name: &str| Err(format!("no file {name}"));
    let pattern = Some(Pattern::of(&parts, interval_bytes, none).unwrap());
    VerifyBlocks { pattern, ..blocks(method) }
}

fn all() -> Vec<VerifyBlocks> {
    let sums = METHODS.iter().map(|(_, method)| blocks(*method));
    let sums = sums.filter(|blocks| !blocks.method.compares_pattern());
    let patterns = [Method::Meta, Method::Pattern, Method::PatternHdr, Method::Crc32c];
    sums.chain(patterns.map(|method| with_pattern(method, "\"abc\"%o0xdeadbeef12", 0)))
        .chain([blocks(Method::Meta), with_pattern(Method::Pattern, "%o", 512)])
        .collect()
}

#[test]
fn sums_are_those_of_the_published_check_values() {
    // Of "123456789": the catalogue of CRCs has each with another beginning or end.
    let data = b"123456789";
    assert_eq!(sums::crc32c(data), !0xe306_9283);
    assert_eq!(sums::crc16(data), 0xbb3d, "CRC-16/ARC");
    assert_eq!(sums::crc7(data), 0x75, "CRC-7/MMC");
    assert_eq!(sums::crc32(data), 0x89a1_897f, "CRC-32/BZIP2's polynomial from zero");
    assert_eq!(hexadecimal(&sums::md5(data)), "25f9e794323b453885f5181f1b624d0b");
    // SHA-1's digest with each word turned around.
    assert_eq!(
        hexadecimal(&sums::sha1(b"abc")),
        "363e99a96a81064771253eba6cc25078 9dd8d09c".replace(' ', "")
    );
    assert!(hexadecimal(&sums::sha512(b"abc")).starts_with("ddaf35a193617abacc417349ae204131"));
    assert_eq!(sums::xxhash(b""), 0x0b2c_b792, "XXH32 of nothing with seed 1");
}

#[test]
fn what_is_written_is_found_as_it_was() {
    for blocks in all() {
        for (bytes, offset) in [(4096, 0), (4096, 1 << 33), (512, 512)] {
            let mut block = vec![0; bytes];
            blocks.make(&mut block, offset, 3);
            assert_eq!(blocks.check(&mut block, offset, Some(3)), Ok(()), "{blocks:?}");
            assert_eq!(blocks.check(&mut block, offset, None), Ok(()), "{blocks:?}");
        }
    }
}

#[test]
fn every_byte_that_is_changed_is_found_in_its_unit() {
    for blocks in all() {
        let mut block = vec![0; 1024];
        blocks.make(&mut block, 4096, 3);
        for at in 0..block.len() {
            let mut changed = block.clone();
            changed[at] ^= 0x10;
            let found = blocks.check(&mut changed, 4096, Some(3));
            let unit = at % 512;
            // The number of the method, and what nobody compares.
            let header = blocks.method.has_header();
            let data_of_meta =
                blocks.method == Method::Meta && blocks.pattern.is_none() && unit >= 48;
            if blocks.method == Method::Null || data_of_meta {
                assert_eq!(found, Ok(()), "{blocks:?} byte {at}");
                continue;
            }
            let mismatch = found.expect_err(&format!("{blocks:?} byte {at}"));
            let exact = !header || (blocks.method.compares_pattern() && unit >= 48);
            let expected = if exact { 4096 + at } else { 4096 + at / 512 * 512 };
            assert_eq!(mismatch.offset, expected as u64, "{blocks:?} byte {at}: {mismatch}");
        }
    }
}

#[test]
fn a_block_of_another_place_write_seed_or_length_is_found() {
    for (_, method) in METHODS {
        let blocks = blocks(*method);
        if !method.has_header() {
            continue;
        }
        let mut block = vec![0; 4096];
        blocks.make(&mut block, 8192, 3);
        let what = |blocks: &VerifyBlocks, offset, number| {
            blocks.check(&mut block.clone(), offset, number).map_err(|mismatch| mismatch.what)
        };
        assert_eq!(what(&blocks, 4096, Some(3)), Err("header's offset"));
        assert_eq!(what(&blocks, 8192, Some(4)), Err("header's seed"));
        let numbered = VerifyBlocks { compares_seed: false, ..blocks.clone() };
        assert_eq!(what(&numbered, 8192, Some(4)), Err("number of the write"));
        let lax = VerifyBlocks { compares_number: false, ..numbered.clone() };
        assert_eq!(what(&lax, 8192, Some(4)), Ok(()));
        let other = VerifyBlocks { seed: 8, ..blocks.clone() };
        assert_eq!(what(&other, 8192, Some(3)), Err("header's seed"));
        let longer = VerifyBlocks { unit_bytes: 1024, ..blocks.clone() };
        assert_eq!(what(&longer, 8192, None), Err("bytes of a unit"));
    }
    let zeros = blocks(Method::Md5).check(&mut [0; 512], 0, None).unwrap_err();
    assert_eq!(zeros.to_string(), "at byte 0: header's magic: expected acca, found 0000");
}

#[test]
fn a_header_stands_where_it_is_moved_to() {
    let blocks = VerifyBlocks { header_at: Some(256), ..blocks(Method::Crc32c) };
    let mut block = vec![0; 1024];
    blocks.make(&mut block, 0, 0);
    assert_eq!(
        (&block[256..260], &block[768..772]),
        (&[0xca, 0xac, 0x81, 5][..], &[0xca, 0xac, 0x81, 5][..])
    );
    assert_ne!(&block[..2], &[0xca, 0xac]);
    assert_eq!(blocks.check(&mut block.clone(), 0, Some(0)), Ok(()));
    block[10] ^= 1;
    assert_eq!(blocks.check(&mut block, 0, Some(0)).map_err(|found| found.what), Err("crc32c"));
}

#[test]
fn patterns_are_taken_apart() {
    let bytes = |text: &str| {
        let parts = parse_pattern(text, false)?;
        let none = |name: &str| Err(format!("no {name}"));
        let mut block = vec![0; 8];
        Pattern::of(&parts, 0, none)?.fill(&mut block, 0);
        Ok::<_, String>(hexadecimal(&block))
    };
    assert_eq!(bytes("\"ab\"").unwrap(), "6162616261626162");
    assert_eq!(bytes("0xaaa").unwrap(), "0aaa0aaa0aaa0aaa");
    assert_eq!(bytes("0xdeadbeef").unwrap(), "deadbeefdeadbeef");
    assert_eq!(bytes("0xff0x14").unwrap(), "ff14ff14ff14ff14");
    assert_eq!(bytes("0").unwrap(), "0000000000000000");
    assert_eq!(bytes("258").unwrap(), "0201020102010201");
    assert_eq!(bytes("-1").unwrap(), "ffffffffffffffff");
    assert_eq!(bytes("\"ab\"-120xff").unwrap(), "6162f4ffffffff61");
    assert_eq!(bytes("'f'").unwrap_err(), "no f");
    for wrong in ["", "abc", "\"ab", "'f", "0x", "%o", "99999999999"] {
        assert!(parse_pattern(wrong, false).is_err(), "{wrong}");
    }
    let parts = parse_pattern("\"abcd\"-120xff%o", true).unwrap();
    assert_eq!(parts.len(), 4);
    assert_eq!(parts[3], PatternPart::Offset);
}

#[test]
fn a_pattern_with_its_place_says_it() {
    let blocks = with_pattern(Method::Pattern, "%o", 0);
    let mut block = vec![0; 1024];
    blocks.make(&mut block, 0x1234, 0);
    assert!(block.chunks(8).all(|word| word == 0x1234_u64.to_le_bytes()));
    let blocks = with_pattern(Method::Pattern, "%o", 512);
    blocks.make(&mut block, 0x1000, 0);
    assert_eq!(&block[512..520], &0x1200_u64.to_le_bytes());
}

#[test]
fn no_bytes_make_the_check_fall() {
    let mut state = 1;
    for length in (0..200).chain([512, 513, 4096]) {
        for blocks in all() {
            for header_at in [None, Some(48), Some(400)] {
                let blocks = VerifyBlocks { header_at, ..blocks.clone() };
                state = mix(state);
                let mut block = vec![0; length];
                draw(&mut block, state, 0);
                if length > 8 && state % 2 == 0 {
                    block[..8].copy_from_slice(&[
                        0xca,
                        0xac,
                        0x81,
                        2,
                        length as u8,
                        (length >> 8) as u8,
                        0,
                        0,
                    ]);
                }
                let sure = blocks.check(&mut block, state >> 1, Some(state));
                assert!(sure.is_err() || length == 0 || blocks.method == Method::Null);
            }
        }
    }
}

#[test]
fn without_number_and_seed_a_whole_block_of_another_passes_and_a_torn_one_does_not() {
    let sums = METHODS.iter().map(|(_, method)| *method).filter(|one| one.trailer_bytes() > 1);
    for method in sums {
        let of = |seed, job| VerifyBlocks {
            unit_bytes: 4096,
            seed,
            job,
            compares_number: false,
            compares_seed: false,
            ..blocks(method)
        };
        let (one, other) = (of(7, 1), of(8, 2));
        let (mut first, mut second) = (vec![0; 4096], vec![0; 4096]);
        one.make(&mut first, 8192, 3);
        other.make(&mut second, 8192, 5);
        for tear in [512, 2048, 4095] {
            let mut torn = [&first[..tear], &second[tear..]].concat();
            let wrong = one.check(&mut torn, 8192, Some(3)).expect_err("a torn block");
            assert_eq!(wrong.what, method.name(), "torn at {tear}");
        }
        let strict = VerifyBlocks { compares_seed: true, ..one.clone() };
        assert!(strict.check(&mut second.clone(), 8192, Some(3)).is_err(), "another's seed");
        assert_eq!(one.check(&mut second.clone(), 8192, Some(3)), Ok(()), "{method:?}");
        assert!(one.check(&mut second, 4096, Some(3)).is_err(), "another place");
    }
}
