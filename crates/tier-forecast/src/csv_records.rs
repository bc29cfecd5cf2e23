//! Records of a CSV file (RFC 4180), each with the line that it begins on: a quoted field may hold commas, quotes and ends of lines.
//!
//! By hand, because the crate `csv` refuses no quote: one without an end takes the rest of the file for its field.

/// A record: the line that it begins on, from 1, and its fields.
pub(crate) type Record = (usize, Vec<String>);

/// All records; lines without anything are passed over.
///
/// # Errors
/// The line, and what is wrong there.
pub(crate) fn records(text: &str) -> Result<Vec<Record>, (usize, &'static str)> {
    let mut all = Vec::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut line = 1;
    while !rest.is_empty() {
        let begin = line;
        let mut fields = Vec::new();
        loop {
            let (field, behind) = field(rest).map_err(|why| (begin, why))?;
            line += rest[..rest.len() - behind.len()].matches('\n').count();
            fields.push(field);
            if let Some(next) = behind.strip_prefix(',') {
                rest = next;
                continue;
            }
            rest = behind.strip_prefix('\r').unwrap_or(behind);
            match rest.strip_prefix('\n') {
                Some(next) => rest = next,
                None if rest.is_empty() => {}
                None => return Err((begin, "a quote ends within a field")),
            }
            line += 1;
            break;
        }
        if fields != [""] {
            all.push((begin, fields));
        }
    }
    Ok(all)
}

/// The field that a text begins with, and what is behind it.
fn field(text: &str) -> Result<(String, &str), &'static str> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([',', '\n']).unwrap_or(text.len());
        let (field, behind) = text.split_at(end);
        return Ok((field.trim_end_matches('\r').to_string(), behind));
    };
    let mut field = String::new();
    loop {
        let end = rest.find('"').ok_or("a quoted field has no end")?;
        field.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(next) => {
                field.push('"');
                rest = next;
            }
            None => return Ok((field, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(usize, Vec<String>)> {
        records(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    #[test]
    fn quoted_fields_hold_what_would_end_them() {
        let text = "a,b\r\n\"x,\"\"y\"\"\",\n\n\"two\nlines\",2\nlast,\"\"";
        let words = |words: [&str; 2]| words.map(str::to_string).to_vec();
        let expected = vec![
            (1, words(["a", "b"])),
            (2, words(["x,\"y\"", ""])),
            (4, words(["two\nlines", "2"])),
            (6, words(["last", ""])),
        ];
        assert_eq!(of(text), expected);
        assert!(of("").is_empty() && of("\n\n").is_empty());
    }

    #[test]
    fn a_quote_that_does_not_end_or_ends_too_soon_is_told_by_its_line() {
        assert_eq!(records("a\n\"b\nc"), Err((2, "a quoted field has no end")));
        assert_eq!(records("a\nb,\"c\"d\n"), Err((2, "a quote ends within a field")));
    }
}
