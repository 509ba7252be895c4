//! The user's ignore file for all repositories, found as git finds it.

use std::path::{Path, PathBuf};

use alongside_platform::untrusted::{self, Whose};

use crate::git_config::{self, Setting};
use crate::persistence::app_dirs::AppDirs;

/// The largest settings file that is read, in bytes. Settings of git have a few lines.
const MAX_BYTES: u64 = 1 << 20;

/// Returns the file that git's settings name, or git's default. The file may not exist. Blocks.
pub fn ignore_file(dirs: &AppDirs) -> Option<PathBuf> {
    let named = dirs.git_settings().iter().find_map(|file| {
        let text = untrusted::read(file, MAX_BYTES, Whose::Anybodys).ok()?;
        excludes_file(&String::from_utf8_lossy(&text))
    });
    match named {
        Some(named) => expand(&named, &dirs.home),
        None => Some(dirs.config.join("git/ignore")),
    }
}

/// Returns the value of `core.excludesFile`; the last one counts.
fn excludes_file(text: &str) -> Option<String> {
    let is_excludes_file = |setting: &Setting| {
        setting.section == "core" && !setting.has_subsection && setting.key == "excludesfile"
    };
    git_config::settings(text).into_iter().rfind(is_excludes_file).map(|setting| setting.value)
}

/// Expands `~`. Returns `None` for a path that is empty or not absolute.
fn expand(named: &str, home: &Path) -> Option<PathBuf> {
    let path = named.strip_prefix("~/").map_or_else(|| PathBuf::from(named), |below| home.join(below));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_read_as_git_reads_it() {
        for (text, named) in [
            ("[core]\n  excludesfile = ~/.ignore # mine\n", Some("~/.ignore")),
            ("[CORE]\n\tExcludesFile=\"/a b;c\\\\d\" ; x\n", Some("/a b;c\\d")),
            ("[core] excludesFile = /x\n[core]\nexcludesFile = /y\n", Some("/y")),
            ("[other]\nexcludesFile = /x\n", None),
            ("[core]\neditor = vim\n", None),
        ] {
            assert_eq!(excludes_file(text).as_deref(), named, "{text}");
        }
        let home = crate::rooted("/h");
        assert_eq!(expand("~/i", &home), Some(home.join("i")));
        assert_eq!(expand("", &home), None);
    }
}
