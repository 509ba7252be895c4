//! Which file holds what the user has git ignore in every repository.

use std::path::{Path, PathBuf};

use crate::places::Places;
use alongside_platform::untrusted::{self, Whose};

/// Settings of git are a few lines; whatever is larger than this is something else.
const MAX_BYTES: u64 = 1 << 20;

/// The file that git's settings name, or the one it reads otherwise.
pub(super) fn ignore_file(places: &Places) -> Option<PathBuf> {
    // The first one outranks the second.
    let settings = [places.home.join(".gitconfig"), places.config.join("git/config")];
    let named = settings.iter().find_map(|file| {
        let text = untrusted::read(file, MAX_BYTES, Whose::Anybodys).ok()?;
        excludes_file(&String::from_utf8_lossy(&text))
    });
    match named {
        Some(named) => expand(&named, &places.home),
        None => Some(places.config.join("git/ignore")),
    }
}

/// The value of `core.excludesFile`; the last one counts.
fn excludes_file(text: &str) -> Option<String> {
    let mut in_core = false;
    let mut named = None;
    for line in text.lines().map(str::trim) {
        let rest = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((section, rest)) => {
                in_core = section.trim().eq_ignore_ascii_case("core");
                rest.trim()
            }
            None => line,
        };
        if let Some((key, value)) = rest.split_once('=').filter(|_| in_core)
            && key.trim().eq_ignore_ascii_case("excludesfile")
        {
            named = Some(unquoted(value.trim()));
        }
    }
    named
}

/// Without a comment behind it, without quotes, and with what a backslash hides in them.
fn unquoted(value: &str) -> String {
    let (mut text, mut quoted, mut chars) = (String::new(), false, value.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => text.extend(chars.next()),
            _ => text.push(c),
        }
    }
    if quoted { text } else { text.trim_end().to_owned() }
}

/// `~` is home; a path that is not absolute means nothing here, and an empty one is none.
fn expand(named: &str, home: &Path) -> Option<PathBuf> {
    let path = named.strip_prefix("~/").map_or_else(|| PathBuf::from(named), |below| home.join(below));
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_read_as_git_reads_it() {
        for (text, named) in [
            ("[core]\n  excludesfile = ~/.ignore # mine\n", Some("~/.ignore")),
            ("[CORE]\n\tExcludesFile=\"/a b;c\\\\d\" ; x\n", Some("/a b;c\\d")),
            ("[core] excludesFile = /x\n[core]\nexcludesFile = /y\n", Some("/y")),
            ("[other]\nexcludesFile = /x\n", None),
            ("[core]\neditor = vim\n", None),
        ] {
            assert_eq!(excludes_file(text).as_deref(), named, "{text}");
        }
        assert_eq!(expand("~/i", Path::new("/h")), Some("/h/i".into()));
        assert_eq!(expand("", Path::new("/h")), None);
    }
}
