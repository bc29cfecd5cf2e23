//! Services: sections of a file that say where a server is (PostgreSQL documentation, "The Connection Service File").

use std::path::{Path, PathBuf};

use super::error::AddressError;

/// Bytes; a file of addresses has some hundred lines.
const LONGEST: u64 = 1 << 20;
/// The system's file where `PGSYSCONFDIR` doesn't name its folder: as Debian and the PostgreSQL project's packages have it.
const SYSTEM: [&str; 2] = ["/etc/postgresql-common", "/etc/sysconfig/pgsql"];
const NAME: &str = "pg_service.conf";

/// Keywords with their values, in the order of the file.
type Section = Vec<(String, String)>;

/// The files that are looked through, in their order.
pub(super) fn files(
    variable: impl Fn(&str) -> Option<String>,
    home: Option<&Path>,
) -> Vec<PathBuf> {
    let own = match variable("PGSERVICEFILE").filter(|file| !file.is_empty()) {
        Some(file) => Some(PathBuf::from(file)),
        None => home.map(|home| home.join(format!(".{NAME}"))),
    };
    let system: Vec<PathBuf> = match variable("PGSYSCONFDIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => vec![folder.into()],
        None => SYSTEM.map(PathBuf::from).into(),
    };
    own.into_iter().chain(system.into_iter().map(|folder| folder.join(NAME))).collect()
}

/// What the first of these files that has a section of that name says in it.
///
/// # Errors
/// None has one, or the one that should can't be read.
pub(super) fn section(name: &str, files: &[PathBuf]) -> Result<Section, AddressError> {
    for file in files.iter().filter(|file| file.exists()) {
        let wrong = |line, reason: String| AddressError::ServiceFile {
            file: file.display().to_string(),
            line,
            reason,
        };
        let text = narrows_files::read_text(file, LONGEST)
            .map_err(|refused| wrong(0, refused.to_string()))?;
        if let Some(section) = section_of(&text, name).map_err(|(line, why)| wrong(line, why))? {
            return Ok(section);
        }
    }
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    Err(AddressError::Service(names.join(", ")))
}

/// The section of that name in a text; an error names its line.
fn section_of(text: &str, name: &str) -> Result<Option<Section>, (usize, String)> {
    let mut found: Option<Section> = None;
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(head) = line.strip_prefix('[') {
            if found.is_some() {
                break;
            }
            let head = head.strip_suffix(']').unwrap_or(head);
            found = (head == name).then(Vec::new);
        } else if let Some(section) = &mut found {
            let Some((keyword, value)) = line.split_once('=') else {
                return Err((number, "a line without a `=`".to_string()));
            };
            if keyword == "service" {
                return Err((number, "a service can't be another one".to_string()));
            }
            section.push((keyword.to_string(), value.to_string()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# ours\n[test]\nhost=t\n\n[shop]\n  host=db7\n# its port\nport=5433\npassword=a=b\n[other]\nhost=x\n";

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let section = section_of(TEXT, "shop").unwrap().unwrap();
        let section: Vec<_> = section.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(section, [("host", "db7"), ("port", "5433"), ("password", "a=b")]);
        assert_eq!(section_of(TEXT, "none"), Ok(None));
        assert_eq!(section_of("[a]\nhost", "a").unwrap_err().0, 2);
        assert_eq!(section_of("[a]\nhost", "b"), Ok(None));
        assert_eq!(section_of("[a]\n\nservice=b", "a").unwrap_err().0, 3);
    }

    #[test]
    fn files_are_looked_through_in_libpqs_order() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let etc = folder.path().join("etc");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(&etc).unwrap();
        let etc_name = etc.display().to_string();
        let variable = |name: &str| (name == "PGSYSCONFDIR").then(|| etc_name.clone());
        let files = files(variable, Some(&home));
        assert_eq!(files, [home.join(".pg_service.conf"), etc.join(NAME)]);
        std::fs::write(etc.join(NAME), "[both]\nhost=system\n[system]\nhost=system\n").unwrap();
        std::fs::write(&files[0], "[both]\nhost=own\n").unwrap();
        let host = |name: &str| section(name, &files).map(|section| section[0].1.clone());
        assert_eq!(
            (host("both").unwrap(), host("system").unwrap()),
            ("own".into(), "system".into())
        );
        let error = host("none").unwrap_err().to_string();
        assert!(error.contains(".pg_service.conf") && error.contains("\nhint: "), "{error}");
    }
}
