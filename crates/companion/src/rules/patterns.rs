//! The patterns of a rule, which are those of `.gitignore`, and the paths that they match.
//!
//! A pattern of a rule that asks matches every spelling that a file system may take for the same name. A
//! pattern of another rule matches exactly, and matches no directory with the name of a file.

use std::collections::BTreeSet;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::config::BadGlob;
use crate::folded_name::{fold, fold_leniently};
use crate::rule::Ruling;

/// The patterns of one rule.
#[derive(Debug)]
pub(super) struct Patterns {
    /// The patterns with a slash, and all patterns of a rule that asks. They match whole paths; a pattern
    /// that matches a directory matches everything below it.
    paths: Gitignore,
    /// The patterns without a slash, which match the name of a file.
    names: Gitignore,
}

/// Relative paths, in every spelling that may stand for the same name.
#[derive(Debug, Default)]
pub(super) struct AskedPaths(BTreeSet<String>);

impl AskedPaths {
    /// Adds a relative path. Adds nothing for an empty path.
    pub(super) fn add(&mut self, below: &Path) {
        let parts = || below.components().map(|part| part.as_os_str());
        let joined = |parts: Vec<String>| parts.join("/");
        let spellings = [
            joined(parts().map(|part| part.to_string_lossy().into_owned()).collect()),
            joined(parts().map(|part| fold(&part.to_string_lossy())).collect()),
            // A character may fold to a separator, that of Windows or that of the others.
            joined(parts().map(fold_leniently).collect()).replace('\\', "/"),
        ];
        let relative = spellings.iter().map(|path| path.trim_start_matches('/').to_owned());
        self.0.extend(relative.filter(|path| !path.is_empty()));
    }
}

impl Patterns {
    /// Compiles patterns. Fails for the first invalid one.
    pub(super) fn new(globs: &[String], ruling: Ruling) -> Result<Self, BadGlob> {
        let bad = |glob: &str, why: String| BadGlob { glob: glob.to_owned(), why };
        let (mut paths, mut names) = (GitignoreBuilder::new(""), GitignoreBuilder::new(""));
        let asks = ruling == Ruling::Ask;
        // An unclosed class is an error: otherwise the pattern would match only a bracket.
        paths.allow_unclosed_class(false);
        names.allow_unclosed_class(false);
        paths.case_insensitive(asks).map_err(|error| bad("", error.to_string()))?;
        for glob in globs {
            check(glob).map_err(|why| bad(glob, why.to_owned()))?;
            let of = if asks || glob.contains('/') { &mut paths } else { &mut names };
            of.add_line(None, glob).map_err(|error| bad(glob, error.to_string()))?;
            let other = fold(glob);
            if asks && other != *glob && check(&other).is_ok() {
                // A folded range of characters may be invalid.
                let _ = paths.add_line(None, &other);
            }
        }
        let built = |builder: &GitignoreBuilder| {
            builder.build().map_err(|error| bad(&globs.join(", "), error.to_string()))
        };
        Ok(Self { paths: built(&paths)?, names: built(&names)? })
    }

    /// Whether a pattern matches this file, given by its relative path.
    pub(super) fn match_file(&self, below: &Path) -> bool {
        // `Gitignore` panics at a path with a root. On Windows, `c:/a` below a project has one. It names no
        // file, and a path on disk with such a part leads outside every project.
        !below.has_root()
            && (self.paths.matched_path_or_any_parents(below, false).is_ignore()
                || self.names.matched(below, false).is_ignore())
    }

    /// Whether a pattern matches one of these paths.
    pub(super) fn meet(&self, asked: &AskedPaths) -> bool {
        asked.0.iter().any(|path| self.match_file(Path::new(path)))
    }
}

/// Refuses a pattern that has another meaning in `.gitignore`, or that can match nothing.
fn check(glob: &str) -> Result<(), &'static str> {
    match glob {
        glob if glob.trim().is_empty() => Err("it is empty"),
        glob if glob.starts_with('!') => Err("a rule takes nothing back: a later rule decides"),
        glob if glob.starts_with('#') => Err("it is a comment; write \\# for the character"),
        glob if glob.starts_with('~') => Err("it is relative to the project, not to the home directory"),
        glob if glob.contains('\n') => Err("it has several lines"),
        glob if glob.split('/').any(|part| part == ".." || part == ".") => {
            Err("it has a part `.` or `..`, which no path has")
        }
        _ => Ok(()),
    }
}
