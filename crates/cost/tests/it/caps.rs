use super::described::{near, pencil, value};
use super::reckoned;

fn licensed(server: &str, rule: &str) -> narrows_cost::CostAnswer {
    let text = format!(
        "name = \"a\"\ncurrency = \"USD\"\n[cost.server]\n{server}\n[[cost.licence]]\nrule = \"{rule}\"\n"
    );
    reckoned(&text).unwrap()
}

fn told(answer: &narrows_cost::CostAnswer, words: &str) -> bool {
    answer.notes.iter().any(|note| note.contains(words))
}

#[test]
fn cores_that_a_product_does_not_use_make_those_that_it_uses_dearer() {
    let all = licensed("cores = 16\nsockets = 2", "sql-server-2022-standard");
    assert!(all.line("licence.sql-server-2022-standard.used_cores").is_none());
    near(value(&all, "core.all"), value(&all, "total") / 16.0);
    let part = licensed("cores = 64\nsockets = 2", "sql-server-2022-standard");
    near(value(&part, "core.all"), value(&part, "total") / 24.0);
    near(value(&part, "core.licence"), value(&part, "licence.all") / 24.0);
    let line = part.line("core.all").unwrap();
    assert!(line.title.contains("core that is used"), "{}", line.title);
    // Two servers use 24 cores each.
    let two = licensed("servers = 2\ncores = 128\nsockets = 4", "sql-server-2022-standard");
    near(value(&two, "licence.sql-server-2022-standard.used_cores"), 48.0);
    for line in part.lines.iter().chain(&two.lines).filter(|line| !line.formula.is_empty()) {
        let (redone, value) = (pencil(&line.formula), line.value.unwrap());
        assert!(
            (redone - value).abs() <= 1e-4 * value.abs(),
            "{}: {redone}, {value}",
            line.formula
        );
    }
}

#[test]
fn sockets_and_threads_that_a_product_uses_are_so_many_cores() {
    // Eight sockets of two cores: four of them are used, which are fewer than 24 cores.
    let sockets = licensed("cores = 16\nsockets = 8", "sql-server-2022-standard");
    near(value(&sockets, "licence.sql-server-2022-standard.used_cores"), 8.0);
    assert!(told(&sockets, "uses at most 4 sockets"), "{:?}", sockets.notes);
    let threads = licensed("cores = 32\nsockets = 2\nthreads_per_core = 2", "oracle-se2");
    near(value(&threads, "licence.oracle-se2.used_cores"), 8.0);
    assert_eq!((threads.most_cores, threads.most_threads), (Some(8.0), None));
    let unsaid = licensed("cores = 32\nsockets = 2", "oracle-se2");
    near(value(&unsaid, "licence.oracle-se2.used_cores"), 16.0);
    assert_eq!(
        unsaid.most_threads,
        Some(16.0),
        "whoever knows the threads of a core says how many cores"
    );
    let few = licensed("cores = 8\nsockets = 2\nthreads_per_core = 2", "oracle-se2");
    assert!(few.line("licence.oracle-se2.used_cores").is_none());
}

#[test]
fn memory_that_a_product_does_not_use_is_told_with_what_it_uses() {
    let part = licensed("cores = 16\nsockets = 2\nmemory = \"512 GB\"", "sql-server-2022-standard");
    near(value(&part, "licence.sql-server-2022-standard.used_memory"), 137.438_953_472);
    assert!(told(&part, "a smaller pool reads more"), "{:?}", part.notes);
    let all = licensed("cores = 16\nsockets = 2\nmemory = \"128 GB\"", "sql-server-2022-standard");
    assert!(all.line("licence.sql-server-2022-standard.used_memory").is_none());
}

#[test]
fn more_licensed_than_described_is_told() {
    let text = |counted: u32| {
        reckoned(&format!(
            "name = \"a\"\ncurrency = \"USD\"\n[cost.server]\ncores = 32\n[[cost.licence]]\nrule = \"oracle-ee\"\ncounted = {counted}\n"
        ))
        .unwrap()
    };
    assert!(told(&text(64), "64 cores are licensed, and 32 are described"));
    assert!(!told(&text(32), "are described"));
}
