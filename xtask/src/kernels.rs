//! `cargo xtask kernels [PROGRAM]`: whether the hot loops that memory is measured by are, in the program that is shipped, what their
//! source means.
//!
//! A compiler may join, unroll, or leave out; then a bandwidth would be that of something else. The program is disassembled by
//! `objdump` (binutils), each function is found under its own name, and in it a loop that has the instructions it should, and calls
//! nothing. Where valgrind is installed the chase is run under callgrind too, and its instructions and loads are counted. A program for
//! aarch64 is read with `aarch64-linux-gnu-objdump` (binutils-aarch64-linux-gnu) on other machines.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

/// What a function's loop must have.
struct Expected {
    /// The end of the function's name.
    function: &'static str,
    /// Of each turn: words that an instruction has all of, and how many such instructions at least.
    each_turn: &'static [(&'static [&'static str], usize)],
}

const fn expect(
    function: &'static str,
    each_turn: &'static [(&'static [&'static str], usize)],
) -> Expected {
    Expected { function, each_turn }
}

const OF_X86: &[Expected] = &[
    // Eight loads, each of which needs the last one.
    expect("memory::chase::follow", &[(&["mov ", "(%r", "),%r"], 8)]),
    expect("x86::avx512::sum", &[(&["vpaddq", "(%r", "%zmm"], 8)]),
    expect("x86::avx512::fill", &[(&["vmov", "%zmm", ",0x", "(%r"], 7)]),
    expect(
        "x86::avx512::copy",
        &[(&["vmov", "(%r", "),%zmm"], 8), (&["vmov", "%zmm", ",0x", "(%r"], 7)],
    ),
    expect(
        "x86::avx512::triad",
        &[(&["vpaddq", "%zmm"], 8), (&["(%r", "%zmm"], 16), (&["mov", "%zmm", "(%r"], 8)],
    ),
    expect(
        "x86::avx512::stream_triad",
        &[(&["vpaddq", "%zmm"], 1), (&["(%r", "%zmm"], 2), (&["movnt", "%zmm", "(%r"], 1)],
    ),
    expect("x86::avx512::stream", &[(&["vmovnt", "%zmm", "(%r"], 1)]),
    expect(
        "x86::avx512::stream_copy",
        &[(&["vmov", "(%r", ",%zmm"], 4), (&["vmovnt", "%zmm", "(%r"], 4)],
    ),
    expect("x86::avx2::sum", &[(&["vpaddq", "(%r", "%ymm"], 8)]),
    expect("x86::avx2::fill", &[(&["vmov", "%ymm", ",0x", "(%r"], 7)]),
    expect(
        "x86::avx2::copy",
        &[(&["vmov", "(%r", "),%ymm"], 8), (&["vmov", "%ymm", ",0x", "(%r"], 7)],
    ),
    expect(
        "x86::avx2::triad",
        &[(&["vpaddq", "%ymm"], 8), (&["(%r", "%ymm"], 16), (&["mov", "%ymm", "(%r"], 8)],
    ),
    expect(
        "x86::avx2::stream_copy",
        &[(&["mov", "(%r", ",%ymm"], 8), (&["movnt", "%ymm", "(%r"], 8)],
    ),
    expect(
        "x86::avx2::stream_triad",
        &[(&["vpaddq", "%ymm"], 2), (&["(%r", "%ymm"], 4), (&["movnt", "%ymm", "(%r"], 2)],
    ),
    expect("x86::sse2::sum", &[(&["paddq", "%xmm"], 8)]),
    expect("x86::sse2::fill", &[(&["mov", "%xmm", ",0x", "(%r"], 7)]),
    expect(
        "x86::sse2::copy",
        &[(&["mov", "(%r", "),%xmm"], 8), (&["mov", "%xmm", ",0x", "(%r"], 7)],
    ),
    expect(
        "x86::sse2::triad",
        &[(&["paddq", "%xmm"], 8), (&["(%r", "%xmm"], 16), (&["mov", "%xmm", "(%r"], 8)],
    ),
    expect(
        "x86::sse2::stream_copy",
        &[(&["mov", "(%r", ",%xmm"], 16), (&["movnt", "%xmm", "(%r"], 16)],
    ),
    expect(
        "x86::sse2::stream_triad",
        &[(&["paddq", "%xmm"], 4), (&["(%r", "%xmm"], 8), (&["movnt", "%xmm", "(%r"], 4)],
    ),
    // SLB's loops: one access to the page's line, and the page's number before it.
    expect("memory::slb::write", &[(&["mov", "%r", ",(%r"], 1)]),
    expect("memory::slb::read", &[(&["add", "(%r"], 1)]),
];

// A pair of vectors by each load and store.
const OF_AARCH64: &[Expected] = &[
    expect("memory::chase::follow", &[(&["ldr x", ", [x"], 8)]),
    expect("kernel::neon::sum", &[(&["ldp q", ", [x"], 4), (&["add v", ".2d"], 8)]),
    expect("kernel::neon::fill", &[(&["stp q", ", [x"], 4)]),
    expect("kernel::neon::copy", &[(&["ldp q", ", [x"], 4), (&["stp q", ", [x"], 4)]),
    expect(
        "kernel::neon::triad",
        &[(&["ldp q", ", [x"], 8), (&["add v", ".2d"], 16), (&["stp q", ", [x"], 4)],
    ),
    expect("memory::slb::write", &[(&["str x", ", [x0"], 1)]),
    expect("memory::slb::read", &[(&["ldr x", ", [x0"], 1), (&["add x"], 2)]),
];

/// What a program was built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Machine {
    X86,
    Aarch64,
}

impl Machine {
    /// By the program's ELF header: the number at byte 18 is the machine's.
    fn of(header: &[u8]) -> Result<Machine> {
        ensure!(
            header.starts_with(b"\x7fELF") && header.len() >= 20,
            "this is no program of Linux"
        );
        match u16::from_le_bytes([header[18], header[19]]) {
            62 => Ok(Machine::X86),
            183 => Ok(Machine::Aarch64),
            other => bail!("the loops of machine {other} (ELF) are not known here"),
        }
    }

    /// Whether this machine runs such programs.
    fn is_here(self) -> bool {
        match self {
            Machine::X86 => cfg!(target_arch = "x86_64"),
            Machine::Aarch64 => cfg!(target_arch = "aarch64"),
        }
    }

    fn expected(self) -> &'static [Expected] {
        match self {
            Machine::X86 => OF_X86,
            Machine::Aarch64 => OF_AARCH64,
        }
    }

    /// The disassembler, and its package.
    fn objdump(self) -> (&'static str, &'static str) {
        match self {
            _ if self.is_here() => ("objdump", "binutils"),
            Machine::X86 => ("x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu"),
            Machine::Aarch64 => ("aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu"),
        }
    }
}

/// Programs that are looked at where none is named: of a first build, and of what is shipped.
const BUILT: [&str; 2] = ["target/release/narrows", "target/dist/narrows"];

/// Reads the hot loops of programs and prints what they are.
///
/// # Errors
/// There is no program, or one of its loops is missing, or isn't what it should be.
pub fn kernels(args: &[&str]) -> Result<()> {
    let mut programs: Vec<PathBuf> = args.iter().map(PathBuf::from).collect();
    if programs.is_empty() {
        let built = BUILT.map(|program| crate::root().join(program));
        programs = built.into_iter().filter(|program| program.exists()).collect();
    }
    let hint = "hint: cargo build --release; cargo build --profile dist";
    ensure!(!programs.is_empty(), "none of {} is there\n{hint}", BUILT.join(", "));
    for program in &programs {
        println!("{}", program.display());
        kernels_of(program)?;
    }
    Ok(())
}

fn kernels_of(program: &Path) -> Result<()> {
    let mut header = [0; 20];
    let mut file = std::fs::File::open(program).with_context(|| program.display().to_string())?;
    file.read_exact(&mut header).with_context(|| program.display().to_string())?;
    let machine = Machine::of(&header).with_context(|| program.display().to_string())?;
    let (objdump, package) = machine.objdump();
    let mut command = Command::new(objdump);
    command.args(["--disassemble", "--no-show-raw-insn", "--demangle"]).arg(program);
    let output =
        command.output().with_context(|| format!("running {objdump}, of the package {package}"))?;
    ensure!(
        output.status.success(),
        "{} can't be disassembled: {}\nhint: cargo build --release",
        program.display(),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let functions = functions(&String::from_utf8_lossy(&output.stdout));
    let mut wrong = Vec::new();
    for expected in machine.expected() {
        match check(expected, &functions) {
            Ok(length) => println!("{:28} a loop of {length} instructions", expected.function),
            Err(why) => wrong.push(format!("{}: {why}", expected.function)),
        }
    }
    ensure!(wrong.is_empty(), "not as they should be:\n{}", wrong.join("\n"));
    if machine.is_here() {
        return counted(program);
    }
    println!("SKIPPED: this machine does not run that program, so that the chase was not counted");
    Ok(())
}

/// Instructions of the chase for each load, at most: the load, and its share of the loop around eight of them.
const MOST_PER_LOAD: f64 = 1.5;

/// Counts, as the program runs under callgrind (valgrind), the instructions of the chase and what they read and write: a load each, hardly
/// more, and no store.
fn counted(program: &Path) -> Result<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("SKIPPED: valgrind is not installed, so that the chase was not counted");
        return Ok(());
    }
    let folder = tempfile::tempdir().context("a folder for callgrind")?;
    let out = folder.path().join("callgrind.out");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--cache-sim=yes", "--quiet"]);
    command.arg(format!("--callgrind-out-file={}", out.display())).arg(program);
    // SLB's few pages, with the latency of as much memory beside it: that is the chase.
    command.args(["memory", "slb", "2048", "1", "--load-here", "--output"]).arg(folder.path());
    let output = command.output().context("running valgrind")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(out.is_file(), "callgrind counted nothing:\n{said}");
    let mut annotate = Command::new("callgrind_annotate");
    annotate.args(["--threshold=100", "--auto=no", "--show=Ir,Dr,Dw"]).arg(&out);
    let text = annotate.output().context("running callgrind_annotate")?.stdout;
    let counts = counts(&String::from_utf8_lossy(&text), "chase::follow");
    let [instructions, reads, writes] = counts.context("callgrind saw no chase")?;
    let per_load = instructions / reads;
    ensure!(
        per_load <= MOST_PER_LOAD && writes <= reads / 1e3,
        "the chase takes {per_load:.2} instructions a load and stores {writes} times in {reads} loads"
    );
    println!(
        "chase::follow                {per_load:.2} instructions a load, {reads:.0} loads counted"
    );
    Ok(())
}

/// Instructions, reads and writes of a function, as `callgrind_annotate` prints them: a line for each file that the function's code
/// comes from, a dot for none.
fn counts(text: &str, function: &str) -> Option<[f64; 3]> {
    let number = |word: &str| match word {
        "." => Some(0.0),
        word => word.replace(',', "").parse::<f64>().ok(),
    };
    let of_line = |line: &str| -> Option<[f64; 3]> {
        let numbers: Vec<f64> = line.split_whitespace().filter_map(number).take(3).collect();
        numbers.try_into().ok()
    };
    text.lines()
        .filter(|line| line.contains(function))
        .filter_map(of_line)
        .reduce(|all, line| std::array::from_fn(|at| all[at] + line[at]))
}

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Instruction {
    at: u64,
    text: String,
}

struct Function {
    name: String,
    body: Vec<Instruction>,
}

/// What objdump printed, by function.
fn functions(text: &str) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    for line in text.lines() {
        if let Some((_, name)) = line.split_once(" <").filter(|_| line.ends_with(">:")) {
            let name = name.trim_end_matches(">:");
            // A hash tells functions of one name apart; nobody asks for it.
            let name = name.rsplit_once("::h").map_or(name, |(name, hash)| {
                if hash.len() == 16 { name } else { line.split_once(" <").map_or("", |l| l.1) }
            });
            found
                .push(Function { name: name.trim_end_matches(">:").to_string(), body: Vec::new() });
        } else if let (Some(function), Some((at, text))) = (found.last_mut(), line.split_once(':'))
            && let Ok(at) = u64::from_str_radix(at.trim(), 16)
        {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            function.body.push(Instruction { at, text });
        }
    }
    found
}

/// The loops of a function, the shortest first: from where a jump leads back to, up to the jump.
fn loops(function: &Function) -> Vec<&[Instruction]> {
    let mut found: Vec<&[Instruction]> = Vec::new();
    for (end, instruction) in function.body.iter().enumerate() {
        let Some(target) = jumps_to(&instruction.text) else { continue };
        let start = function.body.iter().position(|first| first.at == target);
        if let Some(start) = start.filter(|start| *start <= end) {
            found.push(&function.body[start..=end]);
        }
    }
    found.sort_by_key(|instructions| instructions.len());
    found
}

/// Where a jump leads to: the address before its name.
fn jumps_to(text: &str) -> Option<u64> {
    let jump = ["j", "b.", "cb", "tb", "b "].iter().any(|start| text.starts_with(start));
    let (before, _) = text.split_once(" <").filter(|_| jump)?;
    u64::from_str_radix(before.split_whitespace().next_back()?, 16).ok()
}

/// The length of the shortest loop that is as it should be.
fn check(expected: &Expected, functions: &[Function]) -> Result<usize, String> {
    let function = functions
        .iter()
        .find(|function| function.name.ends_with(expected.function))
        .ok_or("there is no such function")?;
    let mut why = "it has no loop".to_string();
    for instructions in loops(function) {
        let missing = expected.each_turn.iter().find_map(|(words, least)| {
            let count = instructions.iter().filter(|i| has(&i.text, words)).count();
            (count < *least)
                .then(|| format!("{count} of at least {least} instructions with {words:?}"))
        });
        let calls = ["call", "bl ", "blr "];
        let calls = instructions.iter().any(|i| calls.iter().any(|call| i.text.starts_with(call)));
        match missing {
            None if !calls => return Ok(instructions.len()),
            None => why = "its loop calls another function".to_string(),
            Some(missing) => why = format!("no loop has what it should: {missing}"),
        }
    }
    Err(why)
}

/// Whether the words come in this order.
fn has(text: &str, words: &[&str]) -> bool {
    let mut rest = text;
    words.iter().all(|word| match rest.find(word) {
        Some(at) => {
            rest = &rest[at + word.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
0000000000001000 <narrows_layer_memory::chase::follow>:
    1000:\ttest   %rsi,%rsi
    1003:\tje     1020 <narrows_layer_memory::chase::follow+0x20>
    1005:\tmov    (%rdi),%rdi
    1008:\tmov    (%rdi),%rdi
    100b:\tdec    %rsi
    100e:\tjne    1005 <narrows_layer_memory::chase::follow+0x5>
    1020:\tret
0000000000002000 <<narrows::A as narrows::B>::c>:
    2000:\tcall   1000 <narrows_layer_memory::chase::follow>
    2005:\tjmp    2000 <x>
";

    #[test]
    fn counts_are_read_as_they_are_printed() {
        let text = "Ir Dr Dw file:function\n\
                    900,018 (45.2%) 800,008 (80.1%) 2 ( 0.0%)  ptr/mod.rs:narrows_layer_memory::chase::follow [narrows]\n\
                    100,002 ( 5.2%)       .             .      iter/range.rs:narrows_layer_memory::chase::follow [narrows]\n";
        assert_eq!(counts(text, "chase::follow"), Some([1_000_020.0, 800_008.0, 2.0]));
        assert_eq!(counts(text, "chase::walk"), None);
    }

    #[test]
    fn jumps_of_both_machines_are_followed() {
        assert_eq!(jumps_to("jne 1005 <narrows::chase::follow+0x5>"), Some(0x1005));
        assert_eq!(jumps_to("b.ne 6636a0 <narrows::chase::follow+0x4> // b.any"), Some(0x6636a0));
        assert_eq!(jumps_to("cbz x12, 644ac4 <narrows::triad+0xcc>"), Some(0x644ac4));
        assert_eq!(jumps_to("bl 66e8a0 <narrows::portable::sum>"), None);
        assert_eq!(jumps_to("mov (%rdi),%rdi"), None);
        let header = |machine: u8| {
            let mut header = *b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\0\0";
            header[18] = machine;
            header
        };
        assert_eq!(Machine::of(&header(62)).unwrap(), Machine::X86);
        assert_eq!(Machine::of(&header(183)).unwrap(), Machine::Aarch64);
        assert!(Machine::of(&header(243)).is_err());
        assert!(Machine::of(b"#!/bin/sh\n").is_err());
    }

    #[test]
    fn a_loop_is_found_with_what_it_has() {
        let functions = functions(TEXT);
        assert_eq!(functions.len(), 2);
        assert_eq!(functions[0].body.len(), 7);
        let two = expect("chase::follow", &[(&["mov ", "(%r", "),%r"], 2)]);
        assert_eq!(check(&two, &functions), Ok(4));
        let three = expect("chase::follow", &[(&["mov ", "(%r", "),%r"], 3)]);
        assert!(check(&three, &functions).unwrap_err().contains("2 of at least 3"));
        let gone = expect("chase::walk", &[]);
        assert!(check(&gone, &functions).unwrap_err().contains("no such function"));
        let calls = expect("B>::c", &[(&["jmp"], 1)]);
        assert!(check(&calls, &functions).unwrap_err().contains("calls"));
    }
}
