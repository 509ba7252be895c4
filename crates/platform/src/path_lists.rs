//! Lists of paths in one string, as `PATH` and the workspace of a discovery record are written.

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
/// A path that contains the delimiter cannot be written in this form; it is returned, and nothing is joined.
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

/// Splits a list; empty parts do not count.
pub fn split(os: Os, list: &str) -> impl Iterator<Item = &str> {
    list.split(delimiter(os)).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_is_split_again() {
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
    fn a_path_with_the_delimiter_cannot_be_written_and_a_drive_is_no_delimiter() {
        assert_eq!(join(Os::Linux, ["/a", "/x:y"]), Err("/x:y"));
        assert_eq!(join(Os::Windows, [r"C:\a", r"C:\x;y"]), Err(r"C:\x;y"));
        assert_eq!(join(Os::Windows, [r"C:\a"]), Ok(r"C:\a".to_owned()));
    }
}
