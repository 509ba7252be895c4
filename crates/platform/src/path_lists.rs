//! Lists of paths in one string, such as `PATH` and the workspace of a discovery record.

use crate::Os;

/// Returns the character between two paths.
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

/// Splits a list. Skips empty parts.
pub fn split(os: Os, list: &str) -> impl Iterator<Item = &str> {
    list.split(delimiter(os)).filter(|path| !path.is_empty())
}

/// Whether a person's editors get the PATH of the person's shell. On macOS, the Dock starts them with another
/// PATH.
pub const fn reaches_editors(os: Os) -> bool {
    match os {
        Os::Linux | Os::Windows => true,
        Os::MacOs => false,
    }
}

/// Returns the command that adds a directory to PATH: for this shell, or on Windows for every program that is
/// started afterwards.
pub fn addition(os: Os, directory: &str) -> String {
    match os {
        Os::Linux | Os::MacOs => format!("export PATH=\"$PATH:{directory}\""),
        Os::Windows => format!(
            "[Environment]::SetEnvironmentVariable('Path', \
             [Environment]::GetEnvironmentVariable('Path', 'User') \
             + ';{}', 'User')",
            directory.replace('\'', "''")
        ),
    }
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
    fn editors_get_the_path_of_the_shell_except_on_macos() {
        assert_eq!(Os::ALL.map(reaches_editors), [true, false, true]);
    }

    #[test]
    fn each_system_has_its_command_to_add_a_directory_to_path() {
        for os in [Os::Linux, Os::MacOs] {
            assert_eq!(addition(os, "/opt/a b"), "export PATH=\"$PATH:/opt/a b\"");
        }
        assert_eq!(
            addition(Os::Windows, r"C:\it's"),
            "[Environment]::SetEnvironmentVariable('Path', \
             [Environment]::GetEnvironmentVariable('Path', 'User') \
             + ';C:\\it''s', 'User')"
        );
    }

    #[test]
    fn a_path_with_the_delimiter_is_refused() {
        assert_eq!(join(Os::Linux, ["/a", "/x:y"]), Err("/x:y"));
        assert_eq!(join(Os::Windows, [r"C:\a", r"C:\x;y"]), Err(r"C:\x;y"));
        assert_eq!(join(Os::Windows, [r"C:\a"]), Ok(r"C:\a".to_owned()));
    }
}
