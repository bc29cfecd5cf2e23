//! `cargo xtask attack | causes | check | docs | book | kernels | dist | kills | lab | log-ends | pages | peers | plants | quiet | suite | soak | fuzz | sanitize | tier-proofs`.

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask TASK

  attack    the experiments of an attack on the verdict, made with the program of before and with today's (docs/src/evidence/attack.md)
  causes    make troubles on a PostgreSQL and compare the cause named first with what was written before (docs/src/evidence/causes.md)
  check     format, clippy, all tests, generated files, documentation; what continuous integration runs and more
  docs      write the generated files: schema, rules page, man page, completions
  book      the book as HTML, in target/book
  pages     write the pages that are made of stored results of plants and kills
  dist      [PROGRAM…]: static programs, Debian packages, what is inside and checksums, in target/dist-files
  kernels   [PROGRAM…]: disassemble the hot loops that memory is measured by, and compare them with what they should be
  lab       boot machines made by QEMU and compare what narrows finds with what they were made of
  peers     measure beside fio, pg_test_fsync and pgbench and record it in docs/benchmarks.md
  plants    plant bottlenecks under a PostgreSQL and compare the verdicts with what was written before (docs/src/evidence/planted.md)
  kills     random signals at random moments in every command that writes, and what they leave (docs/src/evidence/kills.md)
  log-ends  targets with a log that are killed or lose their drives' power, and what is left (docs/src/evidence/log-ends.md)
  quiet     the tests that need a machine on which nothing else runs
  suite     [--on-drive]: all tests, and what they took: processor time, bytes written, what was skipped
  soak      all tests again and again, also on a busy machine and with half a processor
  fuzz      [TARGET…] [--for 60s]: feed what others wrote, made up and guided by what it reaches, to every reader
  sanitize  the I/O path's tests under AddressSanitizer and Miri
  storage-attack  the experiments of an attack on storage and memory figures, and clean runs (docs/src/evidence/storage-attack.md)
  tier-proofs  PostgreSQL on a log tier and without one, forecast and measured (docs/src/evidence/tier-proofs.md)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["book"] => xtask::book::write(),
        ["check"] => xtask::check::check(),
        ["dist", rest @ ..] => xtask::dist::dist(rest),
        ["docs"] => xtask::generate::all().and_then(|files| xtask::generate::write(&files)),
        ["kernels", rest @ ..] => xtask::kernels::kernels(rest),
        [
            "attack" | "causes" | "kills" | "lab" | "log-ends" | "pages" | "peers" | "plants"
            | "soak" | "storage-attack" | "tier-proofs",
            ..,
        ] => {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            return xtask::tools::run(&args);
        }
        ["quiet"] => xtask::quiet::quiet(),
        ["suite"] => xtask::suite::suite(xtask::suite::Scratch::Memory),
        ["suite", "--on-drive"] => xtask::suite::suite(xtask::suite::Scratch::Drive),
        ["fuzz", rest @ ..] => xtask::fuzz::fuzz(rest),
        ["sanitize"] => xtask::sanitize::sanitize(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
