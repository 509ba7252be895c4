//! Directories of projects, compared without links.

use std::path::{Path, PathBuf};

use alongside_lsp::repository;

/// Whether one of these roots is a directory, or lies above it.
pub(super) fn holds(roots: &[PathBuf], dir: &Path) -> bool {
    let dir = real(dir);
    roots.iter().any(|root| dir.starts_with(real(root)))
}

/// Whether one of these roots is a directory, or lies above it in the same project: a repository within
/// another one is a project of its own.
pub(super) fn holds_in_project(roots: &[PathBuf], dir: &Path) -> bool {
    let dir = real(dir);
    let top = repository(&dir);
    let is_inside = |root: &PathBuf| top.is_none_or(|top| root.starts_with(top));
    roots.iter().map(|root| real(root)).any(|root| dir.starts_with(&root) && is_inside(&root))
}

/// Whether one of these roots lies below a directory in the same repository.
pub(super) fn is_above_in_repository(dir: &Path, roots: &[PathBuf]) -> bool {
    let dir = real(dir);
    let top = repository(&dir);
    let is_below = |root: &PathBuf| root.starts_with(&dir) && repository(root) == top;
    top.is_some() && roots.iter().map(|root| real(root)).any(|root| is_below(&root))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository `outer` with a directory `sub`, and in that a repository `inner` with a directory `deep`.
    fn repositories() -> (tempfile::TempDir, [PathBuf; 4]) {
        let home = tempfile::tempdir().unwrap();
        let outer = home.path().join("outer");
        let (sub, inner) = (outer.join("sub"), outer.join("sub/inner"));
        let deep = inner.join("deep");
        for directory in [&deep, &outer.join(".git"), &inner.join(".git")] {
            std::fs::create_dir_all(directory).unwrap();
        }
        (home, [outer, sub, inner, deep])
    }

    #[test]
    fn a_project_ends_where_another_repository_begins() {
        let (home, [outer, sub, inner, deep]) = repositories();
        let one = |root: &Path| vec![root.to_owned()];
        assert!(holds(&one(&outer), &deep) && !holds(&one(&sub), &outer));
        assert!(holds_in_project(&one(&outer), &sub) && holds_in_project(&one(&inner), &deep));
        assert!(!holds_in_project(&one(&outer), &deep) && !holds_in_project(&one(&outer), &inner));
        assert!(!holds_in_project(&one(home.path()), &outer), "a host of the home directory");
        assert!(is_above_in_repository(&outer, &one(&sub)) && is_above_in_repository(&inner, &one(&deep)));
        assert!(!is_above_in_repository(&outer, &one(&deep)) && !is_above_in_repository(&sub, &one(&outer)));
        assert!(!is_above_in_repository(home.path(), &one(&outer)), "no repository");
    }

    #[test]
    fn without_a_repository_every_directory_above_is_the_project() {
        let home = tempfile::tempdir().unwrap();
        let below = home.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        assert!(holds_in_project(&[home.path().join("a")], &below));
        assert!(!is_above_in_repository(&home.path().join("a"), &[below]));
    }
}
