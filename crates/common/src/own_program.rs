//! The command with which other programs start this program again.

/// Returns the program for discovery records, agents' variables and editors' settings: its path, or
/// `alongside` if the path is unknown or is not UTF-8.
pub fn own_program() -> String {
    let own = std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
    own.unwrap_or_else(|| "alongside".into())
}
