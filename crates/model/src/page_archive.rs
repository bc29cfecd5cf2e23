//! A page is its own archive: the JSON that it was made from lies in a script element of a type that browsers do not execute. Short JSON
//! is there as it is; of a full run, which has a million bytes, it is packed (gzip, in base64) to a third, so that a page can be mailed.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::{ReadRunError, Run};

const PLAIN: &str = "<script type=\"application/json\" id=\"run\">";
const PACKED: &str = "<script type=\"application/gzip\" id=\"run\">";
const CLOSE: &str = "</script>";
/// From so many bytes on it is packed.
const LONG: usize = 128 << 10;
/// The most that is unpacked: what a run file may have.
const LONGEST: u64 = 512 << 20;

/// The element with this JSON, in which no `<` may stand where it is short.
pub fn element(json: &str) -> String {
    if json.len() < LONG {
        return format!("\n{PLAIN}{json}{CLOSE}");
    }
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(json.as_bytes()).expect("memory takes it");
    let packed = packer.finish().expect("memory takes it");
    format!("\n{PACKED}{}{CLOSE}", STANDARD.encode(packed))
}

/// What a page was made from; `None` if it holds no such.
///
/// # Errors
/// It is damaged, or larger than any run file.
fn embedded_json(page: &str) -> Option<Result<Cow<'_, str>, String>> {
    let between = |open| Some(page.split_once(open)?.1.split_once(CLOSE)?.0);
    if let Some(json) = between(PLAIN) {
        return Some(Ok(Cow::Borrowed(json)));
    }
    between(PACKED).map(|letters| from_letters(letters).map(Cow::Owned))
}

/// The run inside a page; `None` if the page holds no JSON.
///
/// # Errors
/// What is inside is damaged, or no run file of this version.
pub fn embedded_run(page: &str) -> Option<Result<Run, ReadRunError>> {
    let json = embedded_json(page)?;
    Some(json.map_err(ReadRunError::Packed).and_then(|json| Run::from_json(&json)))
}

fn from_letters(letters: &str) -> Result<String, String> {
    unpacked(&STANDARD.decode(letters.trim()).map_err(|error| error.to_string())?)
}

/// The text that gzip packed.
///
/// # Errors
/// It is damaged, larger than any run file, or no text.
pub fn unpacked(packed: &[u8]) -> Result<String, String> {
    let mut json = Vec::new();
    let mut reader = GzDecoder::new(packed).take(LONGEST + 1);
    std::io::copy(&mut reader, &mut json).map_err(|error| error.to_string())?;
    if json.len() as u64 > LONGEST {
        return Err(format!("more than {LONGEST} bytes"));
    }
    String::from_utf8(json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(page: &str) -> String {
        embedded_json(page).expect("an element").expect("readable").into_owned()
    }

    #[test]
    fn short_json_is_read_by_people_and_long_json_is_packed() {
        let short = r#"{"a":1}"#;
        assert_eq!(read(&format!("<p>x</p>{}", element(short))), short);
        let long = format!("{{\"a\":\"{}\"}}", "</script>12 ".repeat(LONG / 10));
        let page = element(&long);
        assert!(page.len() < long.len() / 10, "{} of {}", page.len(), long.len());
        assert_eq!(read(&page), long);
    }

    #[test]
    fn damage_is_said_and_fills_no_memory() {
        let page = element(&"1234 ".repeat(LONG));
        let cut = page.replacen("</script>", "", 1);
        assert!(embedded_json(&cut).is_none());
        let bent = page.replacen("H4sI", "H4sx", 1);
        assert!(embedded_json(&bent).expect("an element").is_err());
        assert!(embedded_json(&format!("{PACKED}?{CLOSE}")).expect("an element").is_err());
        assert!(embedded_json("<html></html>").is_none());
    }
}
