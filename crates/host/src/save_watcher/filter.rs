//! Selects the folders worth watching, and the files that a person may have saved. The companion decides
//! which files agents may know. This filter prevents other files from taking the place of the file that the
//! person saved.

use std::path::{Path, PathBuf};

use alongside_platform::paths::Canonical as _;
use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Distinguishes files that a person saved from temporary and generated files.
#[derive(Debug, Clone)]
pub(crate) struct SaveFilter {
    /// The exclusions of each root.
    excluded: Vec<(PathBuf, Gitignore)>,
    with_git_ignored: bool,
}

impl SaveFilter {
    /// Creates a filter. `excludes` are globs as in `.gitignore`. An invalid glob excludes nothing here; the
    /// companion refuses to start with it.
    pub(crate) fn new(roots: &[PathBuf], excludes: &[String], with_git_ignored: bool) -> Self {
        let built_in = alongside_companion::DEFAULT_EXCLUDES.iter().copied();
        let globs: Vec<_> = built_in.chain(excludes.iter().map(String::as_str)).collect();
        // The system may report the canonical path of a file: on macOS, `/tmp` is `/private/tmp`.
        let real = roots.iter().filter_map(|root| root.canonical().ok().filter(|real| real != root));
        let spellings: Vec<PathBuf> = real.chain(roots.iter().cloned()).collect();
        let matcher = |root: &PathBuf| {
            let mut builder = GitignoreBuilder::new(root);
            for glob in &globs {
                let _ = builder.add_line(None, glob);
            }
            (root.clone(), builder.build().unwrap_or_else(|_| Gitignore::empty()))
        };
        Self { excluded: spellings.iter().map(matcher).collect(), with_git_ignored }
    }

    fn is_excluded(&self, path: &Path, is_folder: bool) -> bool {
        self.excluded.iter().any(|(root, globs)| match path.strip_prefix(root) {
            // The person has named the root, so no glob excludes it.
            Ok(below) if below.as_os_str().is_empty() => false,
            Ok(below) => globs.matched_path_or_any_parents(below, is_folder).is_ignore(),
            Err(_) => false,
        })
    }

    /// Whether a saved file counts.
    pub(super) fn wants(&self, path: &Path) -> bool {
        !is_temporary(path) && !self.is_excluded(path, false) && !self.is_git_ignored(path)
    }

    /// Whether a new folder is worth watching.
    pub(super) fn wants_folder(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name != ".git")
            && !self.is_excluded(path, true)
            && !self.is_git_ignored(path)
    }

    /// Whether a folder is one of the roots.
    pub(super) fn is_root(&self, folder: &Path) -> bool {
        self.excluded.iter().any(|(root, _)| root == folder)
    }

    /// Whether every folder between a root and this file is worth watching.
    pub(super) fn wants_folders_of(&self, path: &Path) -> bool {
        self.folders_to(path)
            .is_some_and(|folders| folders.into_iter().all(|folder| self.wants_folder(folder)))
    }

    /// Returns the folders between a root and this file, from the root on. Checking a folder reads its
    /// parent, and the content of an ignored folder is large and changes often. `None` outside all roots.
    fn folders_to<'a>(&self, path: &'a Path) -> Option<Vec<&'a Path>> {
        let roots = self.excluded.iter().map(|(root, _)| root).filter(|root| path.starts_with(root));
        // A root may contain another root.
        let root = roots.max_by_key(|root| root.as_os_str().len())?;
        let mut folders: Vec<_> =
            path.ancestors().skip(1).take_while(|folder| *folder != root.as_path()).collect();
        folders.reverse();
        Some(folders)
    }

    /// Lists the folder and every folder below it that is worth watching.
    pub(super) fn folders_below(&self, folder: &Path) -> Vec<PathBuf> {
        let filter = self.clone();
        let mut walk = self.walk(folder);
        walk.filter_entry(move |entry| {
            entry.file_type().is_some_and(|kind| kind.is_dir())
                && entry.file_name() != ".git"
                && !filter.is_excluded(entry.path(), true)
        });
        walk.build().flatten().map(ignore::DirEntry::into_path).collect()
    }

    /// Whether git ignores an entry of a folder that git does not ignore.
    fn is_git_ignored(&self, path: &Path) -> bool {
        let Some(folder) = path.parent().filter(|_| !self.with_git_ignored) else {
            return false;
        };
        let mut entries = self.walk(folder).max_depth(Some(1)).build().flatten();
        !entries.any(|entry| entry.path() == path)
    }

    fn walk(&self, folder: &Path) -> WalkBuilder {
        let git = !self.with_git_ignored;
        let mut walk = WalkBuilder::new(folder);
        walk.standard_filters(false).parents(git).git_ignore(git).git_exclude(git).git_global(git);
        walk
    }
}

/// Whether an editor, or this program, creates such a file beside the file that a person saves.
fn is_temporary(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return true;
    };
    let vim_probe = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_digit());
    let swap =
        name.starts_with('.') && [".swp", ".swo", ".swx", ".swn"].iter().any(|end| name.ends_with(end));
    let marked =
        name.ends_with('~') || name.starts_with(".#") || name.starts_with('#') && name.ends_with('#');
    let other = [".tmp", ".bak", ".part", ".crdownload", ".kate-swp"].iter().any(|end| name.ends_with(end));
    let ours =
        path.components().any(|part| part.as_os_str().to_string_lossy().starts_with("alongside-edit-"));
    // Finder and Explorer write these files beside other files; `._` begins the name of a resource fork on a
    // foreign disk.
    let of_desktop =
        [".DS_Store", "Thumbs.db", "desktop.ini", ".localized"].contains(&name) || name.starts_with("._");
    vim_probe || swap || marked || other || ours || of_desktop || name.starts_with(".goutputstream-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_files_of_editors_do_not_count() {
        for name in [".DS_Store", "._a.rs", "Thumbs.db", "desktop.ini"] {
            assert!(is_temporary(&Path::new("/p").join(name)), "{name}");
        }
        let left = ["4913", "a.rs~", ".a.rs.swp", ".#a.rs", "#a.rs#", "a.rs.tmp", ".goutputstream-X1"];
        for name in left {
            assert!(is_temporary(&Path::new("/p").join(name)), "{name}");
        }
        for name in ["a.rs", "493", "#notes", ".gitignore", ".swp", "Makefile"] {
            assert!(!is_temporary(&Path::new("/p").join(name)) || name == ".swp", "{name}");
        }
    }

    #[test]
    fn ignored_folders_are_not_watched() {
        let project = tempfile::tempdir().unwrap();
        let root = project.path().canonical().unwrap();
        for folder in
            [".git/refs", "src/deep", "target/debug", "node_modules/x", ".github", "secret", "src/secret"]
        {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "target/\nnode_modules\n*.log\n").unwrap();
        for file in ["a.log", "a.rs", "src/b.rs", ".env"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        let filter = SaveFilter::new(std::slice::from_ref(&root), &["/secret/".into()], false);
        let mut folders = filter.folders_below(&root);
        folders.sort();
        assert_eq!(
            folders,
            ["", ".github", "src", "src/deep", "src/secret"]
                .map(|folder| root.join(folder).components().collect::<PathBuf>())
        );
        assert!(filter.wants(&root.join("a.rs")) && filter.wants(&root.join("src/b.rs")));
        assert!(!filter.wants(&root.join("a.log")) && !filter.wants(&root.join(".env")));
        assert!(!filter.wants_folder(&root.join("target")) && !filter.wants_folder(&root.join(".git")));
        assert!(SaveFilter::new(&[], &[], true).wants(&root.join("a.log")));
        for (file, is_wanted) in
            [("src/deep/c.rs", true), ("target/debug/c.o", false), (".git/refs/c", false)]
        {
            assert_eq!(filter.wants_folders_of(&root.join(file)), is_wanted, "{file}");
        }
        assert!(!filter.wants_folders_of(&root.with_file_name("elsewhere").join("a.rs")));
    }

    #[test]
    fn folders_are_checked_from_the_innermost_root_on() {
        let root = tempfile::tempdir().unwrap().path().join("p");
        let filter = SaveFilter::new(&[root.clone(), root.join("a")], &[], false);
        let file = root.join("a").join("target").join("debug").join("c.o");
        let debug = root.join("a").join("target").join("debug");
        assert_eq!(filter.folders_to(&file), Some(vec![debug.parent().unwrap(), &debug]));
        assert_eq!(filter.folders_to(&root.join("c.o")), Some(vec![]));
        assert_eq!(filter.folders_to(&root.with_file_name("elsewhere").join("c.o")), None);
    }

    /// macOS reports a file in `/tmp` with its path in `/private/tmp`.
    #[cfg(unix)]
    #[test]
    fn exclusions_also_apply_to_the_canonical_path_of_a_root() {
        let project = tempfile::tempdir().unwrap();
        let real = project.path().canonical().unwrap().join("real");
        std::fs::create_dir_all(real.join("secret")).unwrap();
        std::fs::write(real.join("secret/a.rs"), "").unwrap();
        let link = project.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let filter = SaveFilter::new(std::slice::from_ref(&link), &["/secret/".into()], false);
        for root in [&link, &real] {
            assert!(filter.is_root(root) && !filter.wants(&root.join("secret/a.rs")), "{}", root.display());
        }
    }
}
