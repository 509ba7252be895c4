//! The project to which a directory belongs, and the host to which a project belongs. Paths are compared
//! with symbolic links resolved.

use std::path::{Path, PathBuf};

use alongside_common::settings::Settings;
use alongside_lsp::{repository, trusted_repository};
use alongside_platform::directories;
use alongside_platform::paths::real;

/// Whether one of `roots` is `dir`, or contains it.
pub(super) fn holds(roots: &[PathBuf], dir: &Path) -> bool {
    let dir = real(dir);
    roots.iter().any(|root| dir.starts_with(real(root)))
}

/// Whether one of `roots` is `dir`, or contains it in the same project: a repository within another one is a
/// project of its own.
pub(super) fn holds_in_project(roots: &[PathBuf], dir: &Path) -> bool {
    let dir = real(dir);
    let top = repository(&dir);
    let is_inside = |root: &PathBuf| top.is_none_or(|top| root.starts_with(top));
    roots.iter().map(|root| real(root)).any(|root| dir.starts_with(&root) && is_inside(&root))
}

/// Whether a project belongs to the host with these roots: the project contains a root, or a root contains
/// it. Agents that match directories by prefix need one companion for both. `home` and the directories above
/// it contain every project, and share no host with another project.
pub(super) fn belongs_to_host(roots: &[PathBuf], project: &Path, home: Option<&Path>) -> bool {
    let project = real(project);
    let home = home.map(real);
    let holds_home = |dir: &Path| home.as_ref().is_some_and(|home| home.starts_with(dir));
    let is_nested = |root: &Path| {
        (project.starts_with(root) || root.starts_with(&project))
            && !holds_home(root)
            && !holds_home(&project)
    };
    roots.iter().map(|root| real(root)).any(|root| root == project || is_nested(&root))
}

/// Returns the project of a directory: the top of its repository, or a directory below that with settings of
/// its own. No project begins at the home directory or above it, which contain all other projects, nor at a
/// repository of another user that contains this user's directory.
pub fn project_of(dir: &Path) -> PathBuf {
    project_with_home(dir, directories::home().as_deref())
}

fn project_with_home(dir: &Path, home: Option<&Path>) -> PathBuf {
    let home = home.map(real);
    let holds_home = |dir: &Path| home.as_ref().is_some_and(|home| home.starts_with(real(dir)));
    let top = trusted_repository(dir).filter(|top| !holds_home(top)).unwrap_or(dir);
    let on_the_way = dir.ancestors().take_while(|above| above.starts_with(top));
    on_the_way.into_iter().find(|above| Settings::has_file(above)).unwrap_or(top).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a repository `outer` with a directory `sub`, and in that a repository `inner` with a directory
    /// `deep`.
    fn nested_repositories() -> (tempfile::TempDir, [PathBuf; 4]) {
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
    fn a_project_reaches_to_the_top_of_its_repository_and_never_to_home() {
        let (home, [outer, sub, inner, deep]) = nested_repositories();
        let project = |dir: &Path| project_with_home(dir, Some(home.path()));
        assert_eq!((project(&sub), project(&deep)), (outer.clone(), inner.clone()));
        assert_eq!(project(home.path()), home.path(), "without a repository, the directory itself");
        std::fs::create_dir(home.path().join(".git")).unwrap();
        let plain = home.path().join("plain");
        std::fs::create_dir(&plain).unwrap();
        assert_eq!(project(&plain), plain);
        std::fs::write(sub.join(".alongside.toml"), "").unwrap();
        assert_eq!((project(&sub), project(&inner)), (sub, inner));
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_of_another_user_does_not_widen_a_project() {
        let home = tempfile::tempdir().unwrap();
        let (shared, ours) = (home.path().join("shared"), home.path().join("shared/ours"));
        let git = shared.join(".git");
        std::fs::create_dir_all(&ours).unwrap();
        std::fs::create_dir(&git).unwrap();
        assert_eq!(project_with_home(&ours, None), shared);
        let chown = |path: &Path, user| std::os::unix::fs::chown(path, Some(user), None);
        // Only root can change the owner of a file.
        if chown(&git, 65_534).is_err() {
            return alongside_testing::skip("needs root");
        }
        assert_eq!(project_with_home(&ours, None), ours);
        chown(&ours, 65_534).unwrap();
        assert_eq!(
            project_with_home(&ours, None),
            shared,
            "root trusts the repository of the directory's owner, as in a container"
        );
        chown(&ours, 0).unwrap();
        chown(&git, 0).unwrap();
        chown(&shared, 65_534).unwrap();
        assert_eq!(
            project_with_home(&ours, None),
            ours,
            "the owner of `shared` may have placed the repository there"
        );
    }

    #[test]
    fn a_project_ends_where_another_repository_begins() {
        let (home, [outer, sub, inner, deep]) = nested_repositories();
        let only_root = |root: &Path| vec![root.to_owned()];
        assert!(holds(&only_root(&outer), &deep) && !holds(&only_root(&sub), &outer));
        assert!(holds_in_project(&only_root(&outer), &sub) && holds_in_project(&only_root(&inner), &deep));
        assert!(
            !holds_in_project(&only_root(&outer), &deep) && !holds_in_project(&only_root(&outer), &inner)
        );
        assert!(!holds_in_project(&only_root(home.path()), &outer), "a host of the home directory");
    }

    #[test]
    fn nested_projects_share_a_host_and_home_shares_none() {
        let (home, [outer, sub, inner, deep]) = nested_repositories();
        let share = |root: &Path, dir: &Path| belongs_to_host(&[root.to_owned()], dir, Some(home.path()));
        for (one, other) in
            [(&outer, &sub), (&outer, &inner), (&sub, &inner), (&inner, &deep), (&outer, &outer)]
        {
            assert!(share(one, other) && share(other, one), "{one:?} {other:?}");
        }
        let beside = home.path().join("outer-2");
        std::fs::create_dir(&beside).unwrap();
        assert!(!share(&outer, &beside) && !share(&beside, &outer));
        for above in [home.path(), Path::new("/")] {
            assert!(share(above, above));
            assert!(!share(above, &outer) && !share(&outer, above), "{above:?}");
        }
        assert!(!share(Path::new("/"), home.path()) && !share(home.path(), Path::new("/")));
    }

    #[test]
    fn without_a_repository_a_root_holds_all_directories_below() {
        let home = tempfile::tempdir().unwrap();
        let below = home.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        assert!(holds_in_project(&[home.path().join("a")], &below));
    }
}
