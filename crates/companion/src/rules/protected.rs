//! The files that no rule and no grant covers: those by which a project, or the person, tells agents, git or
//! alongside what to do. A change there can make every later change pass.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use alongside_contract::agents::own_files;

/// The settings of a project.
const PROJECT_SETTINGS: &str = ".alongside.toml";
/// The end of the path of the person's settings, wherever they are.
const OWN_SETTINGS: [&str; 2] = ["alongside", "config.toml"];

/// Characters that some file systems ignore in names.
const IGNORED: &[char] =
    &['\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{feff}'];

/// Why a file, which is no link, is protected; `None` if it is not. `own`: the settings that were read.
pub(super) fn reason(path: &Path, own: &[PathBuf]) -> Option<&'static str> {
    let parts: Vec<String> = path.components().map(|part| plain(part.as_os_str())).collect();
    let is_settings = parts.ends_with(&OWN_SETTINGS.map(str::to_owned))
        || parts.last().is_some_and(|name| name == PROJECT_SETTINGS)
        || own.iter().any(|own| own == path);
    if is_settings {
        return Some("no rule covers the settings of alongside");
    }
    if parts.iter().any(|part| part == ".git") {
        return Some("no rule covers git's own directory");
    }
    let is_agents = |part: &String| own_files().any(|name| name.eq_ignore_ascii_case(part));
    parts.iter().any(is_agents).then_some("no rule covers the settings and instructions of agents")
}

/// The name as the most lenient file system takes it: one that ignores case, dots and blanks at the end, what
/// follows a colon, and characters that nobody sees.
fn plain(part: &OsStr) -> String {
    let name = part.to_string_lossy().to_lowercase().replace(IGNORED, "");
    let name = name.split(':').next().unwrap_or_default();
    name.trim_end_matches(['.', ' ']).to_owned()
}
