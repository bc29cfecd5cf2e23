//! Certificates and keys in files, where libpq has them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::home::home;
use crate::verify::Trusted;
use crate::{Mode, Roots, Settings, TlsError};

/// All the certificates of a machine have some hundred thousand.
const LONGEST_BYTES: u64 = 16 << 20;
const CERTIFICATE_HINT: &str =
    "it has to be a file of certificates in PEM form (-----BEGIN CERTIFICATE-----)";
const KEY_HINT: &str = "it has to be a file with a private key in PEM form, without a password: openssl pkey -in KEY -out NEW takes it off";
const PLACE_HINT: &str = "name an existing file that this user may read";

/// libpq's folder, where the user has a home.
fn default_file(name: &str) -> Option<PathBuf> {
    Some(home()?.join(".postgresql").join(name))
}

fn read(what: &'static str, path: &Path) -> Result<Vec<u8>, TlsError> {
    narrows_files::read(path, LONGEST_BYTES).map_err(|error| TlsError::File {
        what,
        path: path.into(),
        reason: error.to_string(),
        hint: PLACE_HINT,
    })
}

fn certificates(what: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(what, path)?;
    let file = |reason| TlsError::File { what, path: path.into(), reason, hint: CERTIFICATE_HINT };
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| file(error.to_string()))?;
    if found.is_empty() {
        Err(file("there is no certificate in it".to_string()))
    } else {
        Ok(found)
    }
}

/// Whom to trust; `None` where the mode takes whoever answers.
pub(crate) fn trusted(settings: &Settings) -> Result<Option<Trusted>, TlsError> {
    const WHAT: &str = "the trusted certificates";
    let mode = settings.mode;
    if mode < Mode::Require {
        return Ok(None);
    }
    let named = match &settings.roots {
        Roots::System => return system().map(Some),
        Roots::File(path) => Some(path.clone()),
        Roots::Default => default_file("root.crt"),
    };
    match named.filter(|path| path.exists()) {
        Some(path) => {
            let found = certificates(WHAT, &path)?;
            let none = || TlsError::File {
                what: WHAT,
                path: path.clone(),
                reason: "none in it can be read".to_string(),
                hint: CERTIFICATE_HINT,
            };
            Trusted::of(found).ok_or_else(none).map(Some)
        }
        None if mode == Mode::Require && settings.roots == Roots::Default => Ok(None),
        None => Err(TlsError::NoRoots { mode: mode.name(), path: wanted(settings) }),
    }
}

fn wanted(settings: &Settings) -> String {
    match &settings.roots {
        Roots::File(path) => path.display().to_string(),
        _ => default_file("root.crt")
            .map_or("~/.postgresql/root.crt".into(), |path| path.display().to_string()),
    }
}

fn system() -> Result<Trusted, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    let reason = found.errors.first().map_or("there are none".to_string(), ToString::to_string);
    Trusted::of(found.certs).ok_or(TlsError::NoSystemRoots { reason })
}

/// Who we are.
pub(crate) struct Identity {
    /// Our certificate, and those between it and an authority.
    pub(crate) chain: Vec<CertificateDer<'static>>,
    /// Its key.
    pub(crate) key: PrivateKeyDer<'static>,
    /// Where the key is.
    pub(crate) key_path: PathBuf,
}

/// Who we are, where the settings name it or the default file exists.
pub(crate) fn identity(settings: &Settings) -> Result<Option<Identity>, TlsError> {
    let default = || default_file("postgresql.crt").filter(|path| path.exists());
    let Some(path) = settings.certificate.clone().or_else(default) else { return Ok(None) };
    let chain = certificates("the client's certificate", &path)?;
    let key = settings.key.clone().or_else(|| default_file("postgresql.key"));
    let key_path = key.unwrap_or_default();
    Ok(Some(Identity { chain, key: private_key(&key_path)?, key_path }))
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    const WHAT: &str = "the private key";
    let file =
        |reason: String, hint| TlsError::File { what: WHAT, path: path.into(), reason, hint };
    let found = std::fs::metadata(path).map_err(|error| file(error.to_string(), PLACE_HINT))?;
    if !found.is_file() {
        return Err(file("it is not a plain file".to_string(), PLACE_HINT));
    }
    // libpq's rule: only its owner, and a group where it is root's.
    let others = if found.uid() == 0 { 0o037 } else { 0o077 };
    if found.mode() & others != 0 {
        return Err(TlsError::KeyMode { path: path.into(), mode: found.mode() & 0o7777 });
    }
    let text = read(WHAT, path)?;
    if text.windows(9).any(|word| word == b"ENCRYPTED") {
        return Err(file("it is protected by a password".to_string(), KEY_HINT));
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| file(error.to_string(), KEY_HINT))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn key_with(mode: u32, text: &str) -> Result<PrivateKeyDer<'static>, TlsError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        private_key(&path)
    }

    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";

    #[test]
    fn a_key_that_others_may_read_is_not_taken() {
        key_with(0o600, KEY).unwrap();
        key_with(0o400, KEY).unwrap();
        for mode in [0o644, 0o604, 0o660] {
            let error = key_with(mode, KEY).unwrap_err();
            assert!(matches!(error, TlsError::KeyMode { mode: found, .. } if found == mode));
            assert!(error.to_string().contains("hint: chmod 600"), "{error}");
        }
        let root = fs::metadata("/proc/self").unwrap().uid() == 0;
        assert_eq!(key_with(0o640, KEY).is_ok(), root);
    }

    #[test]
    fn what_is_no_key_or_a_locked_one_is_told() {
        let locked = KEY.replace("PRIVATE", "ENCRYPTED PRIVATE");
        let error = key_with(0o600, &locked).unwrap_err().to_string();
        assert!(error.contains("protected by a password") && error.contains("hint: "), "{error}");
        assert!(key_with(0o600, "text").unwrap_err().to_string().contains("hint: "));
        let error = private_key(Path::new("/nowhere/key")).unwrap_err().to_string();
        assert!(error.contains("/nowhere/key: No such file"), "{error}");
    }

    #[test]
    fn whom_to_trust_has_to_be_there_where_it_is_asked_for() {
        let roots = Roots::File("/nowhere/root.crt".into());
        for mode in [Mode::Require, Mode::VerifyCa, Mode::VerifyFull] {
            let settings = Settings { mode, roots: roots.clone(), ..Settings::default() };
            let error = trusted(&settings).unwrap_err().to_string();
            assert!(error.contains("/nowhere/root.crt does not exist"), "{error}");
            assert!(error.contains("hint: sslrootcert"), "{error}");
        }
        let settings = Settings { mode: Mode::Prefer, roots, ..Settings::default() };
        assert!(trusted(&settings).unwrap().is_none());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ca");
        fs::write(&path, "no certificate").unwrap();
        let settings =
            Settings { mode: Mode::VerifyCa, roots: Roots::File(path), ..Settings::default() };
        assert!(trusted(&settings).unwrap_err().to_string().contains("no certificate in it"));
    }
}
