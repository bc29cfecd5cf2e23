//! A user's file over the table: what it changes, and what is refused with line, key, reason and hint.

use narrows_limits::table::{Detail, Grade, Table, TableError};
use proptest::prelude::*;

fn over(text: &str) -> Result<Table, TableError> {
    Table::builtin().with_overrides("ours.toml", text)
}

const CITED: &str = "source = \"our own\"\ngrade = \"measured_by_others\"\n";

#[test]
fn a_figure_takes_the_place_of_the_tables_and_leaves_the_rest() {
    let text =
        format!("[[class]]\nid = \"nvme-gen5-x4\"\n{CITED}read = {{ expected = \"13.1 GB/s\" }}\n");
    let table = over(&text).expect("understood");
    let before = Table::builtin().class("nvme-gen5-x4").unwrap();
    let after = table.class("nvme-gen5-x4").unwrap();
    let expected = after.read.expected.as_ref().unwrap();
    assert_eq!((expected.low, expected.high), (13.1e9, 13.1e9));
    assert_eq!((expected.source.as_str(), expected.grade), ("our own", Grade::MeasuredByOthers));
    assert_eq!((&after.read.protocol, &after.write), (&before.read.protocol, &before.write));
    assert_eq!(table.classes().count(), Table::builtin().classes().count());
}

#[test]
fn a_class_of_its_own_is_found_beside_the_others() {
    let text = format!(
        "[[class]]\nid = \"san-7\"\ntitle = \"the array in room 7\"\nfamily = \"drive\"\n{CITED}\
         read = {{ protocol = \"24 GB/s\" }}\noperations = {{ read = \"900k/s\" }}\n\
         times = {{ read = \"180 us\", durable_write = \"0.2 to 0.4 ms\" }}\n\n\
         [[link]]\nid = \"eth-5\"\ntitle = \"5 Gb/s Ethernet\"\nfamily = \"ethernet\"\n\
         signal = \"5.15625 Gb/s\"\nlanes = [1]\nencoding = \"64b/66b\"\nframing = \"tcp\"\n\
         mtu = [1500]\n{CITED}\n[[normal]]\nof = \"san-7\"\nwhat = \"random_read_4k\"\n\
         value = \"850k/s\"\n{CITED}"
    );
    let table = over(&text).expect("understood");
    let array = table.class("san-7").unwrap();
    assert_eq!(array.times.durable_write_ns.as_ref().unwrap().low, 0.2e6);
    // Bytes bind from 24e9 / 900e3 on, operations below.
    let read = narrows_limits::Direction::Read;
    assert_eq!(array.operations_per_s(read, 8192), Some(900e3));
    assert_eq!(array.operations_per_s(read, 1 << 20), Some(24e9 / f64::from(1 << 20)));
    assert_eq!(array.operations_per_s(read, 0), None);
    assert!(
        (table.class("eth-5").unwrap().read.encoded.as_ref().unwrap().high - 625e6).abs() < 1.0
    );
    assert_eq!(table.normals("san-7").count(), 1);
    assert_eq!(table.nearest("san7"), Some("san-7"));
}

#[test]
fn the_books_example_is_understood() {
    let page = include_str!("../../../../docs/src/reference/limits.md");
    let (_, rest) = page.split_once("```toml\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let table = over(example).unwrap_or_else(|error| panic!("{error}"));
    let expected = table.class("nvme-gen5-x4").unwrap().read.expected.clone().unwrap();
    assert_eq!(expected.high, 13.1e9);
    assert_eq!(table.class("san-7").unwrap().operations.write.as_ref().unwrap().high, 300e3);
    assert!(table.class("eth-5").is_some() && table.class("eth-5-9000").is_some());
    assert!(table.normals("xeon-ice-lake").any(|normal| normal.figure.low == 86.0));
}

#[test]
fn a_measurement_takes_the_place_of_those_before_it() {
    let text = format!(
        "[[normal]]\nof = \"xeon-skylake\"\nwhat = \"memory_latency_local\"\nvalue = \"86 ns\"\n{CITED}"
    );
    let table = over(&text).expect("understood");
    let count = |table: &Table| table.normals("xeon-skylake").count();
    assert_eq!(count(&table), count(Table::builtin()));
    assert!(table.normals("xeon-skylake").any(|normal| normal.figure.high == 86.0));
}

#[test]
fn a_link_by_its_parts_replaces_the_whole_class() {
    let text = format!(
        "[[link]]\nid = \"ddr5-4800\"\ntitle = \"half a channel\"\nfamily = \"dram\"\n\
         signal = \"4800 MT/s\"\nlanes = [32]\nencoding = \"none\"\nframing = \"none\"\n\
         duplex = \"half\"\n{CITED}"
    );
    let table = over(&text).expect("understood");
    let class = table.class("ddr5-4800").unwrap();
    assert_eq!(class.read.raw.as_ref().unwrap().high, 19.2e9);
    assert!(class.read.expected.is_none());
    assert!(matches!(&class.detail, Detail::Link(link) if link.lanes == 32));
}

/// A class with one line more.
fn with(line: &str) -> String {
    format!("# ours\n[[class]]\nid = \"nvme-gen5-x4\"\n{CITED}{line}\n")
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let link = |lanes: &str, rest: &str| {
        format!(
            "[[link]]\nid = \"x\"\ntitle = \"x\"\nfamily = \"ethernet\"\nsignal = \"1 Gb/s\"\n\
             lanes = {lanes}\nencoding = \"64b/66b\"\n{rest}\n{CITED}"
        )
    };
    let read = |value: &str| with(&format!("read = {{ expected = \"{value}\" }}"));
    let cases: Vec<(String, usize, &str)> = vec![
        (read("0 GB/s"), 6, "positive"),
        (read("-1 GB/s"), 6, "positive"),
        (read("nan GB/s"), 6, "not a unit"),
        (read("13 parsecs"), 6, "not a unit known here"),
        (read("13"), 6, "no unit"),
        (read("15 GB/s"), 2, "more than read.protocol"),
        (with("read = 13"), 6, "invalid type"),
        (with("read = { epxected = \"1 GB/s\" }"), 6, "unknown field"),
        (with("lanes = [4]"), 6, "unknown field"),
        (with("times = {"), 6, ""),
        (with("").replace("our own", "  "), 4, "empty"),
        (with("").replace("our own", "\\u001b[2J"), 4, "control characters"),
        (with("").replace("source = \"our own\"\n", ""), 2, "missing field `source`"),
        (with("").replace("measured_by_others", "hearsay"), 5, "unknown variant"),
        (with("").replace("nvme-gen5-x4", "nvme-gen55-x4"), 2, "new class without title"),
        (with("").replace("nvme-gen5-x4", "NVMe 5"), 3, "is no id"),
        (
            with("title = \"t\"\nfamily = \"drive\"").replace("nvme-gen5-x4", "new"),
            2,
            "without a figure",
        ),
        (with("read = {expected = \"13 GB/s\"}").repeat(2), 12, "given before"),
        (link("[]", "framing = \"tcp\"\nmtu = [1500]"), 6, "0 widths"),
        (link("[0]", "framing = \"tcp\"\nmtu = [1500]"), 6, "not within"),
        (link("[-1]", "framing = \"tcp\"\nmtu = [1500]"), 6, "invalid value"),
        (link("[1, 2]", "framing = \"tcp\"\nmtu = [1500]"), 6, "2 widths"),
        (
            link(&format!("{:?}", [4; 17]), "framing = \"ssp\"").replace("\"x\"", "\"x{lanes}\""),
            6,
            "17 widths",
        ),
        (link("[1]", &format!("framing = \"tcp\"\nmtu = {:?}", [1500; 17])), 9, "17 frame sizes"),
        (with("").replace("nvme-gen5-x4", "nvme-{lanes}"), 3, "is no id"),
        (with("").replace("our own", "\u{202e}nwo ruo"), 4, "control characters"),
        (link("[1]", "framing = \"tcp\""), 8, "mtu: is missing"),
        (link("[1]", "framing = \"tcp\"\nmtu = [52]"), 9, "not within"),
        (link("[1]", "framing = \"pcie\"\nmtu = [1500]"), 9, "means nothing"),
        (link("[1]", "framing = \"tcp\"\nmtu = [1500]").repeat(2), 12, "stands twice"),
        (
            format!(
                "[[normal]]\nof = \"xeon-skylak\"\nwhat = \"random_read_4k\"\nvalue = \"1k/s\"\n{CITED}"
            ),
            2,
            "did you mean `xeon-skylake`",
        ),
        (
            format!(
                "[[raid]]\nid = \"r\"\ntitle = \"r\"\nlayout = \"double_parity\"\nmembers_min = 3\n{CITED}"
            ),
            5,
            "not within 4",
        ),
        (
            format!(
                "[[cpu]]\nid = \"c\"\ntitle = \"c\"\nmemory_channels = 8\nmemory = \"ddr5-480\"\n\
                 lanes = 80\npcie_generation = 5\n{CITED}"
            ),
            5,
            "did you mean `ddr5-4800`",
        ),
    ];
    for (text, line, reason) in cases {
        let error = over(&text).err().unwrap_or_else(|| panic!("accepted:\n{text}"));
        assert_eq!(error.line, line, "{error}\n{text}");
        let shown = error.to_string();
        assert!(shown.contains(reason), "{shown}\n{text}");
        assert!(shown.starts_with(&format!("ours.toml, line {line}: ")), "{shown}");
        assert!(shown.contains("\nhint: "), "{shown}");
        assert!(!shown.replace('\n', "").contains(char::is_control), "{shown:?}");
    }
}

#[test]
fn an_enormous_file_is_refused_unread() {
    let error = over(&"# nothing\n".repeat(200_000)).unwrap_err();
    assert!(error.to_string().contains("2000000 bytes"), "{error}");
    // Deep nesting ends the parser, not the stack.
    assert!(over(&format!("a = {}", "[".repeat(100_000))).is_err());
}

#[test]
fn entries_that_multiply_end_at_a_number_of_classes() {
    let several = |from: usize| (from..from + 16).collect::<Vec<_>>();
    let text: String = (0..45)
        .map(|n| {
            format!(
                "[[link]]\nid = \"n{n}-{{lanes}}\"\ntitle = \"t\"\nfamily = \"ethernet\"\n\
                 signal = \"1 Gb/s\"\nlanes = {:?}\nencoding = \"none\"\nframing = \"tcp\"\n\
                 mtu = {:?}\n{CITED}",
                several(1),
                several(1500)
            )
        })
        .collect();
    let error = over(&text).unwrap_err();
    assert!(error.reason.contains("more than the 10000 classes"), "{error}");
}

/// Pieces that a file is made of, and some that it isn't.
fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "[[link]]",
        "[[class]]",
        "[[cpu]]",
        "[[normal]]",
        "[[raid]]",
        "[unbalanced]",
        "id",
        "title",
        "family",
        "signal",
        "lanes",
        "encoding",
        "framing",
        "mtu",
        "source",
        "grade",
        "read",
        "write",
        "expected",
        "value",
        "what",
        "of",
        "=",
        "\n",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "\"eth-25\"",
        "\"1 GB/s\"",
        "\"tcp\"",
        "\"64b/66b\"",
        "\"vendor\"",
        "\"x{lanes}\"",
        "[1, 2]",
        "1e999",
        "-1",
        "nan",
        "0",
        "4294967295",
        "\"ethernet\"",
        "\"\\u0000\"",
        "é",
        "\r\n",
        "#",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_text_gives_an_error_or_a_table(text in prop_oneof![pieces(), any::<String>()]) {
        if let Err(error) = over(&text) {
            prop_assert!(error.line >= 1 && error.line <= text.lines().count() + 1);
            prop_assert!(!error.hint.is_empty());
        }
    }

    #[test]
    fn the_data_damaged_anywhere_gives_an_error_or_a_table(
        file in prop::sample::select(vec![
            include_str!("../../data/pcie.toml"),
            include_str!("../../data/processors.toml"),
            include_str!("../../data/drives.toml"),
        ]),
        at in any::<prop::sample::Index>(),
        cut in 0usize..40,
        put in "[ -~\n]{0,8}",
    ) {
        let from = at.index(file.len());
        let until = (from + cut).min(file.len());
        let damaged = format!("{}{put}{}", &file[..from], &file[until..]);
        if let Err(error) = over(&damaged) {
            prop_assert!(!error.reason.is_empty());
        }
    }

    #[test]
    fn any_number_of_any_unit_is_positive_or_refused(number in any::<f64>(), unit in "[a-zA-Z%/]{0,5}") {
        let text = with(&format!("operations = {{ read = \"{number} {unit}\" }}"));
        if let Ok(table) = over(&text) {
            let read = table.class("nvme-gen5-x4").unwrap().operations.read.clone().unwrap();
            prop_assert!(read.high > 0.0 && read.high.is_finite());
        }
    }
}
