//! Conversion between paths and the `file:` URIs of editors.

use std::path::{Path, PathBuf};

use alongside_desk::ReviewId;

/// Returns the path of a `file:` URI; `None` for any other scheme and for invalid URIs.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let uri = url::Url::parse(uri).ok()?;
    (uri.scheme() == "file").then(|| uri.to_file_path().ok())?
}

/// Returns the URI of the document that is the original of a review of a file with this name.
pub(crate) fn of_original(review: ReviewId, name: &str) -> Option<url::Url> {
    let mut uri = url::Url::parse(&format!("alongside:/original/{review}")).ok()?;
    uri.path_segments_mut().ok()?.push(name);
    Some(uri)
}

/// The characters that browsers accept in a path and RFC 3986 does not.
const ESCAPED: [(char, &str); 4] = [('|', "%7C"), ('[', "%5B"), (']', "%5D"), ('^', "%5E")];

/// Returns the URI of an absolute path; `None` for any other.
pub(crate) fn of_path(path: &Path) -> Option<url::Url> {
    let mut uri = url::Url::from_file_path(path).ok()?;
    if uri.path().contains(ESCAPED.map(|(character, _)| character)) {
        let escape = |path: String, (character, escaped): &(char, &str)| path.replace(*character, escaped);
        let path = ESCAPED.iter().fold(uri.path().to_owned(), escape);
        uri.set_path(&path);
    }
    Some(uri)
}

/// Whether a path has such characters.
pub(crate) fn is_escaped(path: &Path) -> bool {
    path.to_string_lossy().contains(ESCAPED.map(|(character, _)| character))
}

/// Returns a file name without these characters, for an editor that fails to make a URI of them.
pub(crate) fn without_escaped(name: &str) -> String {
    name.replace(ESCAPED.map(|(character, _)| character), "_")
}

#[cfg(test)]
mod tests {
    use alongside_testing::hostile::{NAMES, file_name};

    use super::*;

    #[test]
    fn a_path_survives_the_round_trip() {
        for path in ["/a b/ü#?%.rs", "/", "/x\ny", "/a+b:c", "/a|b[c]^d"] {
            let uri = of_path(Path::new(path)).unwrap();
            assert_eq!(to_path(uri.as_str()), Some(PathBuf::from(path)), "{uri}");
        }
    }

    #[test]
    fn a_uri_has_only_the_characters_of_rfc_3986() {
        let uri = of_path(Path::new("/a|b[c]^d{e}`f\"g<h>")).unwrap();
        assert_eq!(uri.as_str(), "file:///a%7Cb%5Bc%5D%5Ed%7Be%7D%60f%22g%3Ch%3E");
    }

    #[test]
    fn no_name_leads_to_another_document_than_the_original() {
        for (why, name) in NAMES {
            let uri = of_original(ReviewId(7), &file_name(name)).unwrap();
            let path = uri.path().strip_prefix("/original/7/").unwrap();
            assert_eq!(
                (uri.scheme(), uri.host(), uri.query(), uri.fragment()),
                ("alongside", None, None, None)
            );
            assert!(!path.contains('/'), "{why}: {uri}");
        }
        let name = "http:::host:x?y#z%2e.md";
        assert_eq!(
            of_original(ReviewId(1), name).unwrap().as_str(),
            "alongside:/original/1/http:::host:x%3Fy%23z%252e.md"
        );
    }

    #[test]
    fn a_hostile_name_survives_the_round_trip() {
        for (why, name) in NAMES {
            let path = PathBuf::from(format!("/p/{}", file_name(name)));
            let uri = of_path(&path).unwrap();
            assert_eq!(to_path(uri.as_str()), Some(path), "{why}: {uri}");
            assert!(uri.query().is_none() && uri.fragment().is_none(), "{why}: {uri}");
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
