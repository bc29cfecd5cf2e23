//! libpq's parameters on TLS: names, values, defaults, environment (PostgreSQL documentation, "Parameter Key Words").

use std::path::PathBuf;

use crate::ParameterError;

/// How much of TLS a connection has to have. Later ones ask for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Mode {
    /// None.
    Disable,
    /// Only if the server admits nobody without.
    Allow,
    /// If the server has it; libpq's default.
    #[default]
    Prefer,
    /// Encrypted, to whomever answers; as [`Mode::VerifyCa`] where the default file of trusted certificates exists.
    Require,
    /// And the certificate is from somebody trusted.
    VerifyCa,
    /// And it names the host.
    VerifyFull,
}

/// Their names, in their order.
const MODES: [(&str, Mode); 6] = [
    ("disable", Mode::Disable),
    ("allow", Mode::Allow),
    ("prefer", Mode::Prefer),
    ("require", Mode::Require),
    ("verify-ca", Mode::VerifyCa),
    ("verify-full", Mode::VerifyFull),
];

impl Mode {
    /// As in an address.
    pub fn name(self) -> &'static str {
        MODES.iter().find(|(_, mode)| *mode == self).map_or("", |(name, _)| name)
    }
}

/// Whose certificates are trusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Roots {
    /// Those in `~/.postgresql/root.crt`, if it exists.
    #[default]
    Default,
    /// Those in a file.
    File(PathBuf),
    /// The machine's.
    System,
}

/// Whether a password is tied to the server's certificate (SCRAM-SHA-256-PLUS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChannelBinding {
    /// Never.
    Disable,
    /// Where both sides can.
    #[default]
    Prefer,
    /// Or no connection.
    Require,
}

/// The parameters as they were given; a value given before stays.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    mode: Option<Mode>,
    roots: Option<Roots>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    binding: Option<ChannelBinding>,
    direct: Option<String>,
}

/// Name in an address, variable in the environment.
const NAMES: [(&str, &str); 6] = [
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("sslnegotiation", "PGSSLNEGOTIATION"),
];

impl Parameters {
    /// Whether a parameter of that name is one of TLS.
    pub fn has_name(name: &str) -> bool {
        NAMES.iter().any(|(known, _)| *known == name)
    }

    /// Takes a parameter of an address; `false`: it is none of TLS. An empty value is none, as in libpq.
    ///
    /// # Errors
    /// The value is not one of this parameter's.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, ParameterError> {
        if !Parameters::has_name(name) {
            return Ok(false);
        }
        if !value.is_empty() {
            self.take(name, name, value)?;
        }
        Ok(true)
    }

    /// What the address doesn't say, from variables.
    ///
    /// # Errors
    /// A value is not one of its parameter's.
    pub fn fill(
        &mut self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<(), ParameterError> {
        for (name, said_as) in NAMES {
            let given = variable(said_as).filter(|value| !value.is_empty() && !self.has(name));
            if let Some(value) = given {
                self.take(name, said_as, &value)?;
            }
        }
        Ok(())
    }

    fn has(&self, name: &str) -> bool {
        match name {
            "sslmode" => self.mode.is_some(),
            "sslrootcert" => self.roots.is_some(),
            "sslcert" => self.certificate.is_some(),
            "sslkey" => self.key.is_some(),
            "channel_binding" => self.binding.is_some(),
            _ => self.direct.is_some(),
        }
    }

    fn take(&mut self, name: &str, said_as: &str, value: &str) -> Result<(), ParameterError> {
        let unknown = |known| ParameterError::Value { name: said_as.to_string(), known };
        match name {
            "sslmode" => {
                let found = MODES.iter().find(|(name, _)| *name == value);
                let (_, mode) = found.ok_or_else(|| {
                    unknown("disable, allow, prefer, require, verify-ca, verify-full")
                })?;
                self.mode = Some(*mode);
            }
            "sslrootcert" if value == "system" => self.roots = Some(Roots::System),
            "sslrootcert" => self.roots = Some(Roots::File(value.into())),
            "sslcert" => self.certificate = Some(value.into()),
            "sslkey" if value.contains(':') && !value.starts_with('/') => {
                return Err(unknown("a file; keys in hardware are not supported"));
            }
            "sslkey" => self.key = Some(value.into()),
            "channel_binding" => {
                self.binding = Some(match value {
                    "disable" => ChannelBinding::Disable,
                    "prefer" => ChannelBinding::Prefer,
                    "require" => ChannelBinding::Require,
                    _ => return Err(unknown("disable, prefer, require")),
                });
            }
            _ if value == "postgres" => self.direct = Some(value.to_string()),
            _ => return Err(ParameterError::Negotiation),
        }
        Ok(())
    }

    /// All of them with libpq's defaults.
    ///
    /// # Errors
    /// Two of them contradict each other.
    pub fn finish(self) -> Result<Settings, ParameterError> {
        let roots = self.roots.unwrap_or_default();
        // Anybody gets a certificate from somebody the machine trusts: without the name it proves nothing.
        let mode = match (self.mode, &roots) {
            (None, Roots::System) => Mode::VerifyFull,
            (Some(weak), Roots::System) if weak != Mode::VerifyFull => {
                return Err(ParameterError::Weak(weak.name()));
            }
            (mode, _) => mode.unwrap_or_default(),
        };
        Ok(Settings {
            mode,
            plain_on_request: self.mode == Some(Mode::Disable),
            roots,
            certificate: self.certificate,
            key: self.key,
            binding: self.binding.unwrap_or_default(),
        })
    }
}

/// What a connection has to have, and with what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// How much of TLS.
    pub mode: Mode,
    /// Whether no TLS was asked for by name.
    pub plain_on_request: bool,
    /// Whose certificates are trusted.
    pub roots: Roots,
    /// Our certificate; else `~/.postgresql/postgresql.crt`, if it exists.
    pub certificate: Option<PathBuf>,
    /// Its key; else `~/.postgresql/postgresql.key`.
    pub key: Option<PathBuf>,
    /// Whether the password is tied to the server's certificate.
    pub binding: ChannelBinding,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<Settings, ParameterError> {
        let mut parameters = Parameters::default();
        for (name, value) in pairs {
            assert!(parameters.set(name, value)?, "{name}");
        }
        parameters.finish()
    }

    #[test]
    fn every_mode_has_its_name_and_the_default_is_libpqs() {
        for (name, mode) in MODES {
            assert_eq!(of(&[("sslmode", name)]).unwrap().mode, mode);
            assert_eq!(mode.name(), name);
        }
        assert_eq!(of(&[]).unwrap(), Settings::default());
        assert_eq!(Settings::default().mode, Mode::Prefer);
        assert!(of(&[("sslmode", "disable")]).unwrap().plain_on_request);
        let wrong = of(&[("sslmode", "verify_full")]).unwrap_err().to_string();
        assert!(wrong.contains("sslmode has") && wrong.contains("verify-full"), "{wrong}");
    }

    #[test]
    fn the_machines_certificates_go_with_the_host_only() {
        assert_eq!(of(&[("sslrootcert", "system")]).unwrap().mode, Mode::VerifyFull);
        let weak = of(&[("sslrootcert", "system"), ("sslmode", "require")]).unwrap_err();
        assert_eq!(weak, ParameterError::Weak("require"));
        let file = of(&[("sslrootcert", "/etc/ca.pem"), ("sslmode", "verify-ca")]).unwrap();
        assert_eq!(file.roots, Roots::File("/etc/ca.pem".into()));
    }

    #[test]
    fn the_address_goes_before_the_environment_and_both_before_the_default() {
        let mut parameters = Parameters::default();
        assert!(parameters.set("sslmode", "require").unwrap());
        assert!(parameters.set("sslcert", "").unwrap());
        let variable = |name: &str| match name {
            "PGSSLMODE" => Some("disable".to_string()),
            "PGSSLCERT" => Some("/c".to_string()),
            "PGSSLKEY" => Some(String::new()),
            "PGCHANNELBINDING" => Some("require".to_string()),
            _ => None,
        };
        parameters.fill(variable).unwrap();
        let settings = parameters.finish().unwrap();
        assert_eq!((settings.mode, settings.plain_on_request), (Mode::Require, false));
        assert_eq!((settings.certificate, settings.key), (Some("/c".into()), None));
        assert_eq!(settings.binding, ChannelBinding::Require);
    }

    #[test]
    fn what_is_not_known_is_told_by_the_name_it_was_given_under() {
        let mut parameters = Parameters::default();
        assert!(!parameters.set("sslcrl", "x").unwrap());
        let error = parameters.fill(|name| (name == "PGSSLMODE").then(|| "on".into())).unwrap_err();
        assert!(error.to_string().contains("PGSSLMODE has"), "{error}");
        let direct = of(&[("sslnegotiation", "direct")]).unwrap_err().to_string();
        assert!(direct.contains("hint: sslnegotiation=postgres"), "{direct}");
        assert!(of(&[("sslnegotiation", "postgres")]).is_ok());
    }
}
