//! Lists of paths in one string, such as `PATH` and the workspace of a discovery record.

use crate::Os;

/// The character between two paths.
pub const fn delimiter(os: Os) -> char {
    match os {
        Os::Windows => ';',
        Os::Linux | Os::MacOs => ':',
    }
}

/// Joins paths.
///
/// # Errors
/// Returns the first path that contains the delimiter.
pub fn join<'a>(os: Os, paths: impl IntoIterator<Item = &'a str>) -> Result<String, &'a str> {
    let mut joined = String::new();
    for path in paths {
        if path.contains(delimiter(os)) {
            return Err(path);
        }
        if !joined.is_empty() {
            joined.push(delimiter(os));
        }
        joined.push_str(path);
    }
    Ok(joined)
}

/// Splits a list and skips empty parts.
pub fn split(os: Os, list: &str) -> impl Iterator<Item = &str> {
    list.split(delimiter(os)).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_list_splits_into_its_paths() {
        for (os, one, two) in [
            (Os::Linux, "/a b", "/c;d"),
            (Os::MacOs, "/Users/a", "/Volumes/c"),
            (Os::Windows, r"C:\a b", r"\\server\c"),
        ] {
            let list = join(os, [one, two]).unwrap();
            assert_eq!(split(os, &list).collect::<Vec<_>>(), [one, two], "{os:?}");
            assert_eq!(split(os, "").count(), 0);
        }
    }

    #[test]
    fn a_path_with_the_delimiter_is_refused() {
        assert_eq!(join(Os::Linux, ["/a", "/x:y"]), Err("/x:y"));
        assert_eq!(join(Os::Windows, [r"C:\a", r"C:\x;y"]), Err(r"C:\x;y"));
        assert_eq!(join(Os::Windows, [r"C:\a"]), Ok(r"C:\a".to_owned()));
    }
}
