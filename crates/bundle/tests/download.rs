//! The real bundle from the real registry, or a loud skip where there is no network.

use narrows_bundle::{BundleError, ensure};

#[test]
fn the_pinned_bundle_downloads_and_verifies() {
    let cache = tempfile::tempdir().unwrap();
    let mut seen = (0, 0);
    let bundle = match ensure(cache.path(), &|| false, &mut |done, all| seen = (done, all)) {
        Ok(bundle) => bundle,
        Err(BundleError::Download { reason, .. }) => {
            return eprintln!("SKIPPED: the registry is not in reach: {reason}");
        }
        Err(BundleError::Architecture { arch }) => {
            return eprintln!("SKIPPED: no bundle for {arch}");
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!(seen.0, seen.1);
    assert!(!bundle.cached);
    let again =
        ensure(cache.path(), &|| false, &mut |_, _| panic!("nothing is downloaded again")).unwrap();
    assert!(again.cached);
    match std::process::Command::new(again.bin_dir.join("postgres")).arg("--version").output() {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            let (major, rest) = bundle.version.split_once('.').unwrap();
            let minor = rest.split('.').next().unwrap();
            assert!(
                text.contains(&format!(") {major}.{minor}")),
                "{text} is not {}",
                bundle.version
            );
        }
        // Linked against glibc.
        other => eprintln!("SKIPPED: the bundle's programs don't run here: {other:?}"),
    }
}
