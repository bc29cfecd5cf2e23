//! What is refused, with line, reason and hint.

use super::*;

#[test]
fn more_lanes_than_there_are_is_refused_with_the_sum() {
    let text = r#"
name = "too much"
[[machine]]
name = "server"
cpu = "xeon-sapphire-rapids"
[[drives]]
name = "disks"
at = "server"
class = "nvme-gen5-x4"
count = 24
[[adapter]]
name = "hca1"
at = "server"
slot = "pcie-gen5-x16"
[[adapter]]
name = "hca2"
at = "server"
slot = "pcie-gen5-x16"
[[database]]
at = "server"
data = "disks"
"#;
    let error = refused(text);
    assert_eq!(error.line, 4);
    assert_eq!(error.what, "machine server: lanes");
    assert_eq!(error.why, "24 × x4 + 2 × x16 = 128 lanes, and there are 80");
    assert!(error.hint.contains("[[switch]]"));
    // The same on a processor with 128 lanes is built.
    planned(&text.replace("xeon-sapphire-rapids", "epyc-9004"));
}

#[test]
fn what_cannot_be_is_refused_in_its_line_with_a_hint() {
    for (replace, by, line, what, why) in [
        ("count = 8", "count = 0", 11, "drives disks: count", "0 is not within 1"),
        ("count = 8", "count = -3", 11, "drives disks: count", "-3 is not within"),
        ("count = 8", "count = 99999999999", 11, "drives disks: count", "is not within"),
        ("count = 8", "colour = 8", 11, "the file", "unknown field `colour`"),
        ("\"2 GB/s\"\nwrite", "\"2 GB\"\nwrite", 12, "drives disks: read", "`GB` is not a unit"),
        (
            "\"2 GB/s\"\nwrite",
            "\"0 GB/s\"\nwrite",
            12,
            "drives disks: read",
            "not a positive number",
        ),
        ("\"2 GB/s\"\nwrite", "\"NaN GB/s\"\nwrite", 12, "drives disks: read", "NaN"),
        ("\"2 GB/s\"\nwrite", "\"-2 GB/s\"\nwrite", 12, "drives disks: read", "-2"),
        (
            "at = \"server\"\ncount",
            "at = \"sever\"\ncount",
            10,
            "drives disks: at",
            "nothing here is called",
        ),
        (
            "read_latency = \"100 us\"\nsource = \"test\"",
            "read_latency = \"100 us\"",
            12,
            "drives disks: read",
            "needs its source",
        ),
        ("name = \"disks\"", "name = \"server\"", 9, "drives", "already the name of a machine"),
        ("name = \"disks\"", "name = \"a b\"", 9, "drives: name", "is no name"),
    ] {
        let text = database("").replacen(replace, by, 1);
        assert_ne!(text, database(""), "{replace}");
        let error = refused(&text);
        assert_eq!((error.line, error.what.as_str()), (line, what), "{error}");
        assert!(error.why.contains(why) && !error.hint.is_empty(), "{error}");
    }
    let error =
        refused("name = \"x\"\n[[machine]]\nname = \"m\"\nmemory = \"ddr5-480\"\nchannels = 2\n");
    assert_eq!(error.hint, "did you mean `ddr5-4800`?");
    let error =
        refused("name = \"x\"\n[[machine]]\nname = \"m\"\nmemory = \"hdr-200\"\nchannels = 2\n");
    assert!(error.why.contains("infiniband"), "{error}");
    assert_eq!(error.hint, "`narrows limits dram` lists what belongs here");
}

/// A machine of one processor class with memory, one slot and one drive.
fn machine(cpu: &str, memory: &str, slot: &str, drive: &str) -> String {
    format!(
        "name = \"m\"\n[[machine]]\nname = \"m\"\ncpu = \"{cpu}\"\nmemory = \"{memory}\"\nchannels = 4\n\
         [[adapter]]\nname = \"a\"\nat = \"m\"\nslot = \"{slot}\"\n\
         [[drives]]\nname = \"d\"\nat = \"m\"\nclass = \"{drive}\"\n\
         [[database]]\nat = \"m\"\ndata = \"d\"\n"
    )
}

#[test]
fn what_does_not_fit_the_processor_is_refused() {
    let of = |cpu, memory, slot, drive| {
        let error = refused(&machine(cpu, memory, slot, drive));
        (error.line, error.what, error.hint)
    };
    let (line, what, hint) = of("epyc-7002", "ddr4-3200", "pcie-gen5-x16", "nvme-gen4-x4");
    assert_eq!((line, what.as_str()), (10, "adapter a: slot `pcie-gen5-x16`"));
    assert!(hint.contains("`pcie-gen4-x16`"), "{hint}");
    let (line, what, hint) = of("xeon-e5-v2", "ddr3-1866", "pcie-gen3-x16", "nvme-gen4-x4");
    assert_eq!((line, what.as_str()), (14, "drives d: class `nvme-gen4-x4`"));
    assert!(hint.contains("`nvme-gen3-x4`"), "{hint}");
    let (line, what, hint) = of("epyc-9004", "ddr4-3200", "pcie-gen5-x16", "nvme-gen5-x4");
    assert_eq!((line, what.as_str()), (5, "machine m: memory `ddr4-3200`"));
    assert!(hint.contains("ddr5"), "{hint}");
    // What is as new or older is built, and behind a switch only the switch's link counts.
    planned(&machine("epyc-9004", "ddr5-4800", "pcie-gen3-x8", "nvme-gen5-x4"));
    let switch = "[[switch]]\nname = \"s\"\nat = \"m\"\nclass = \"pcie-gen4-x16\"\n";
    let text = machine("epyc-7002", "ddr4-3200", "pcie-gen4-x16", "nvme-gen5-x4") + switch;
    let behind = text.replace("\"d\"\nat = \"m\"", "\"d\"\nat = \"s\"");
    planned(&behind);
    let error = refused(&behind.replace("class = \"pcie-gen4-x16\"", "class = \"pcie-gen5-x16\""));
    assert_eq!(error.what, "switch s: class `pcie-gen5-x16`");
}

#[test]
fn modules_faster_than_the_processor_runs_them_are_told() {
    let told = |memory| {
        let plan = planned(&machine("epyc-9004", memory, "pcie-gen5-x16", "nvme-gen5-x4"));
        plan.notes.iter().filter(|note| note.contains("told to run ddr5-4800")).count()
    };
    assert_eq!((told("ddr5-6400"), told("ddr5-4800"), told("ddr5-4400")), (1, 0, 0));
}

#[test]
fn a_links_operations_stand_in_for_no_drives_own() {
    let notes = |drive| planned(&machine("epyc-9004", "ddr5-4800", "pcie-gen5-x16", drive)).notes;
    let lacking = notes("nvme-gen5-x4");
    let said =
        |key: &str| lacking.iter().any(|note| note.contains("media (add") && note.contains(key));
    assert!(said("reads") && said("writes"), "{lacking:?}");
    let volume = Table::builtin().classes().find(|class| class.id.starts_with("ebs-io2"));
    let volume = volume.expect("a cloud volume with operations").id.clone();
    let rented = notes(&volume);
    assert!(!rented.iter().any(|note| note.contains("reads")), "{rented:?}");
}

#[test]
fn values_of_the_wrong_kind_are_told_by_their_key() {
    let base = "name = \"x\"\n[[machine]]\nname = \"m\"\n";
    for (more, line, what, why, hint) in [
        ("cores = \"64\"", 4, "cores", "\"64\" stands where a whole number", "cores = 8"),
        ("cores = 1.5", 4, "cores", "`1.5` stands where a whole number", "cores = 8"),
        ("memory = 3200", 4, "memory", "`3200` stands where text in quotes", "unit"),
        ("cores = 1\ncores = 2", 5, "cores", "twice", "keep one"),
        (
            "[[array]]\nname = \"a\"\nlevel = \"raid1\"\ndrives = \"d\"",
            7,
            "drives",
            "a list",
            "[…]",
        ),
        ("[[drives]]\nname = \"d\"", 4, "[[drives]]", "has no `at`", "add at"),
        ("[machine]\nname = \"n\"", 4, "machine", "twice", "[[machine]]"),
        ("[switch]\nname = \"n\"", 4, "[switch]", "a list", "[[switch]]"),
    ] {
        let error = refused(&format!("{base}{more}\n"));
        assert_eq!((error.line, error.what.as_str()), (line, what), "{error}");
        assert!(error.why.contains(why) && error.hint.contains(hint), "{error}");
        assert!(!error.why.contains("expected"), "{error}");
    }
    let error = refused("");
    assert!(error.why.contains("has no `name`") && error.hint.contains("add name"), "{error}");
}

#[test]
fn rings_and_loose_ends_are_refused() {
    let ring = r#"
name = "ring"
[[machine]]
name = "m"
[[switch]]
name = "a"
at = "b"
class = "pcie-gen4-x16"
[[switch]]
name = "b"
at = "a"
class = "pcie-gen4-x16"
"#;
    assert!(refused(ring).why.contains("ring"));
    let network = "name = \"x\"\n[[machine]]\nname = \"m\"\n[[switch]]\nname = \"s\"\n[[drives]]\nname = \"d\"\nat = \"s\"\nclass = \"nvme-gen4-x4\"\n";
    assert!(refused(network).why.contains("switch of the network"));
    assert!(refused("name = \"x\"\n").why.contains("[[machine]]"));
    assert!(refused(BOX).why.contains("[[database]]"));
    let mirror = format!("{BOX}\n[[array]]\nname = \"a\"\nlevel = \"raid6\"\ndrives = []\n");
    assert!(refused(&mirror).why.contains("raid6 needs 4"));
    let both = pair(&link("one", 3.0).replace("source", "class = \"eth-25\"\nsource"));
    assert!(refused(&both).why.contains("a class and a bandwidth"));
}

#[test]
fn two_links_or_databases_of_one_name_are_refused() {
    let unnamed = link("one", 3.0).replace("name = \"one\"\n", "");
    let error = refused(&pair(&unnamed.repeat(2)));
    assert!(error.what == "link target to host" && error.hint.contains("count = 2"), "{error}");
    let twice = link("disks", 3.0);
    assert!(refused(&pair(&twice)).why.contains("`disks` is already in use"));
    let again = "[[database]]\nname = \"db\"\nat = \"host\"\ndata = \"disks\"\n";
    assert!(refused(&(pair(&link("one", 3.0)) + again)).why.contains("another database"));
}

#[test]
fn distances_have_to_be_a_matrix() {
    let with = |matrix: &str| {
        format!(
            "name = \"x\"\n[[machine]]\nname = \"m\"\nmemory = \"ddr3-1333\"\nchannels = 4\ndistances = {matrix}\n"
        )
    };
    let notes = planned(&with("[[10, 20], [20, 10]]")).notes;
    assert!(
        notes.iter().any(|note| note.contains("1 access in 2") && note.contains("15.0")),
        "{notes:?}"
    );
    for (matrix, why) in [
        ("[[10, 20]]", "2 columns of 1"),
        ("[[10, 20], [20, 11]]", "11 from itself"),
        ("[[10, 5], [20, 10]]", "5 is not within"),
        ("[]", "0 rows"),
    ] {
        assert!(refused(&with(matrix)).why.contains(why), "{matrix}");
    }
}

#[test]
fn copies_on_several_machines_are_refused_and_stripes_are_not() {
    let own = "[[drives]]\nname = \"own\"\nat = \"host\"\nread = \"30 GB/s\"\nsource = \"test\"\n";
    let array = |level: &str| {
        let array = format!(
            "{own}[[array]]\nname = \"a\"\nlevel = \"{level}\"\ndrives = [\"disks\", \"own\"]\n"
        );
        pair(&(link("wide", 25.0) + &array)).replace("data = \"disks\"", "data = \"a\"")
    };
    let error = refused(&array("raid1"));
    assert!(error.why.contains("on 2 machines"), "{error}");
    planned(&array("raid0"));
}
