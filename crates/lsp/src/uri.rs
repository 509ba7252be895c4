//! Conversion between paths and the `file:` URIs of editors.

use std::path::{Path, PathBuf};

/// The path of a `file:` URI; `None` for any other scheme and for invalid URIs.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let uri = url::Url::parse(uri).ok()?;
    (uri.scheme() == "file").then(|| uri.to_file_path().ok())?
}

/// The URI of an absolute path; `None` for any other.
pub(crate) fn of_path(path: &Path) -> Option<url::Url> {
    url::Url::from_file_path(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_the_round_trip() {
        for path in ["/a b/ü#?%.rs", "/", "/x\ny", "/a+b:c"] {
            let uri = of_path(Path::new(path)).unwrap();
            assert_eq!(to_path(uri.as_str()), Some(PathBuf::from(path)), "{uri}");
        }
    }

    #[test]
    fn only_files_have_paths() {
        for uri in ["untitled:Untitled-1", "alongside:/1", "", "/plain", "file://elsewhere/x"] {
            assert_eq!(to_path(uri), None, "{uri}");
        }
        assert_eq!(of_path(Path::new("relative")), None);
    }
}
