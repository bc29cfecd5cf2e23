//! `${VAR}` and the three keywords.
//!
//! fio hands a value with a keyword and an operator to `bc` through a shell. Here it is computed by ourselves: whole
//! numbers, `+ - * /`, parentheses, which is what `bc` does with them. Anything else stops.

use crate::loader::{Loader, Machine};
use crate::problem::Wrong;

/// A setting's text after substitution; `None` where it can't be computed.
pub fn substitute(text: &str, loader: &dyn Loader, machine: &Machine) -> Option<String> {
    substituted(text, loader, machine).ok().map(|(text, _)| text)
}

/// A setting's text after substitution, and warnings about it.
pub(crate) fn substituted(
    text: &str,
    loader: &dyn Loader,
    machine: &Machine,
) -> Result<(String, Vec<String>), Wrong> {
    let mut warnings = Vec::new();
    let text = variables(text, loader, &mut warnings)?;
    let keywords = [
        ("$pagesize", machine.page_size_bytes),
        ("$mb_memory", machine.memory_mib),
        ("$ncpus", machine.cpus),
    ];
    let replaced = keywords
        .iter()
        .fold(text.clone(), |text, (word, value)| text.replace(word, &value.to_string()));
    if replaced == text {
        return Ok((text, warnings));
    }
    let Some((key, value)) = replaced.split_once('=') else { return Ok((replaced, warnings)) };
    if !value.contains(['+', '-', '*', '/']) || value.contains('\'') {
        return Ok((replaced, warnings));
    }
    let computed = Sum { rest: value.as_bytes(), depth: 0 }.all().ok_or_else(|| {
        Wrong::value(format!("`{value}` can't be computed"))
            .hint("beside $pagesize, $mb_memory and $ncpus only whole numbers, + - * / and () go")
    })?;
    Ok((format!("{key}={computed}"), warnings))
}

fn variables(text: &str, loader: &dyn Loader, warnings: &mut Vec<String>) -> Result<String, Wrong> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let name = &rest[start + 2..start + length];
        out.push_str(&rest[..start]);
        if loader.withholds(name) {
            let reason = format!(
                "${{{name}}} is a variable of the environment, and none goes into a job unasked"
            );
            return Err(
                Wrong::refused(reason).hint(format!("--env {name} lets the job file have it"))
            );
        }
        match loader.variable(name) {
            Some(value) => {
                out.push_str(&value);
                warnings.push(format!("${{{name}}} is taken from the environment"));
            }
            None => warnings.push(format!("${{{name}}} is not set; fio puts nothing in its place")),
        }
        rest = &rest[start + length + 1..];
    }
    Ok(out + rest)
}

/// Whole numbers with the usual precedence; division towards zero.
struct Sum<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl Sum<'_> {
    fn all(mut self) -> Option<i64> {
        let value = self.sum()?;
        self.peek().is_none().then_some(value)
    }

    fn peek(&mut self) -> Option<u8> {
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
        self.rest.first().copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        loop {
            if self.take(b'+') {
                value = value.checked_add(self.product()?)?;
            } else if self.take(b'-') {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.operand()?;
        loop {
            if self.take(b'*') {
                value = value.checked_mul(self.operand()?)?;
            } else if self.take(b'/') {
                value = value.checked_div(self.operand()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn operand(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 1000 {
            return None;
        }
        if self.take(b'-') {
            return self.operand()?.checked_neg();
        }
        if self.take(b'(') {
            let value = self.sum()?;
            return self.take(b')').then_some(value);
        }
        self.peek()?;
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;

    impl Loader for One {
        fn text(&self, _: &str) -> Result<Option<String>, String> {
            Ok(None)
        }

        fn variable(&self, name: &str) -> Option<String> {
            (name == "SIZE").then(|| "64".to_string())
        }
    }

    const MACHINE: Machine = Machine { page_size_bytes: 4096, memory_mib: 1000, cpus: 8 };

    fn of(text: &str) -> Option<String> {
        substituted(text, &One, &MACHINE).ok().map(|(text, _)| text)
    }

    #[test]
    fn variables_stand_in_braces_only() {
        assert_eq!(of("size=${SIZE}m").as_deref(), Some("size=64m"));
        assert_eq!(of("size=$SIZE").as_deref(), Some("size=$SIZE"));
        assert_eq!(of("size=${SIZE").as_deref(), Some("size=${SIZE"));
        let (text, warnings) = substituted("size=${NOPE}1m", &One, &MACHINE).expect("a text");
        assert_eq!((text.as_str(), warnings.len()), ("size=1m", 1));
    }

    /// Somebody's job file under an environment with a password.
    struct PasswordEnvironment;

    impl Loader for PasswordEnvironment {
        fn text(&self, _: &str) -> Result<Option<String>, String> {
            Ok(None)
        }

        fn variable(&self, name: &str) -> Option<String> {
            Some(if name == "SIZE" { "64m" } else { "S3cret" }.to_string())
        }

        fn withholds(&self, name: &str) -> bool {
            name != "SIZE"
        }
    }

    #[test]
    fn a_variable_is_had_by_name_only_and_named_where_it_is_had() {
        let (text, warnings) =
            substituted("size=${SIZE}", &PasswordEnvironment, &MACHINE).expect("a text");
        assert_eq!(text, "size=64m");
        assert_eq!(warnings, ["${SIZE} is taken from the environment"]);
        for text in ["description=${PGPASSWORD}", "name=${PGPASSWORD}", "size=${SIZE}${PGPASSWORD}"]
        {
            let wrong = substituted(text, &PasswordEnvironment, &MACHINE).expect_err("withheld");
            let said = format!("{wrong:?}");
            assert!(said.contains("PGPASSWORD") && !said.contains("S3cret"), "{said}");
            assert_eq!(wrong.hint.as_deref(), Some("--env PGPASSWORD lets the job file have it"));
        }
    }

    #[test]
    fn keywords_are_computed_without_a_shell() {
        for (text, value) in [
            ("size=2*$pagesize", "size=8192"),
            ("size=$pagesize", "size=4096"),
            ("size=$mb_memory/3", "size=333"),
            ("numjobs=($ncpus+2)*3", "numjobs=30"),
            ("size=$pagesize-5000", "size=-904"),
            ("size=${SIZE}*$pagesize", "size=262144"),
        ] {
            assert_eq!(of(text).as_deref(), Some(value), "{text}");
        }
        for text in ["size=$pagesize*2k", "f=/tmp/$ncpus", "a=$ncpus*$(id)", "a=$ncpus/0"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
