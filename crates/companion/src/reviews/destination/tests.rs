//! Tests of the destinations of paths, through links and `..`.

use alongside_platform::paths::Canonical as _;
use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::reviews::target::OpenTarget;

/// Destinations that the methods judge with the given roots.
struct TestDestinations(Destinations);

impl TestDestinations {
    fn outside(&self, roots: &[PathBuf]) -> Option<String> {
        self.0.outside(&Ground::new(roots, None))
    }

    fn in_git(&self, roots: &[PathBuf]) -> Option<String> {
        self.0.in_git(&Ground::new(roots, None))
    }
}

/// Returns the destinations of a path. They do not depend on whether the system gives the real path.
fn destinations_of(path: impl AsRef<Path>) -> TestDestinations {
    let path = path.as_ref();
    let real_path = OpenTarget::open(path.to_str().unwrap()).ok().and_then(|target| target.real_path());
    let destinations = Destinations::of(path, real_path.as_deref());
    assert_eq!(format!("{destinations:?}"), format!("{:?}", Destinations::of(path, None)));
    TestDestinations(destinations)
}

/// Creates a directory for a test. Returns it with its path with links resolved.
fn test_home() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonical().unwrap();
    (directory, path)
}

/// The working directory of the agent is the project, and that of the host is another one.
#[cfg(target_os = "linux")]
#[test]
fn a_link_that_leads_each_process_elsewhere_leads_outside() {
    let (_home, home) = test_home();
    let project = home.join("project");
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("src/a"), "x").unwrap();
    symlink("/proc/self/cwd", project.join("here")).unwrap();
    symlink(format!("/proc/{}/root{}", std::process::id(), project.display()), project.join("root")).unwrap();
    symlink("src", project.join("plain")).unwrap();
    let roots = [project.clone()];
    for path in ["here/src/a", "here/new", "root/src/a", "root/new"] {
        assert!(destinations_of(project.join(path)).outside(&roots).is_some(), "{path}");
    }
    for path in ["plain/a", "src/a", "plain/new"] {
        assert_eq!(destinations_of(project.join(path)).outside(&roots), None, "{path}");
    }
}

#[test]
fn a_path_out_of_the_project_is_seen_through_links() {
    let (_directory, home) = test_home();
    let (project, keys) = (home.join("project"), home.join(".ssh"));
    fs::create_dir_all(project.join("src")).unwrap();
    fs::create_dir(&keys).unwrap();
    fs::write(keys.join("config"), "x").unwrap();
    symlink(&keys, project.join("docs")).unwrap();
    symlink("../.ssh/config", project.join("notes.txt")).unwrap();
    symlink(keys.join("authorized_keys"), project.join("new.txt")).unwrap();
    symlink("new.txt", project.join("twice.txt")).unwrap();
    let roots = [project.clone()];
    for (path, real) in [
        ("docs/config", ".ssh/config"),
        ("docs/deep/below/new", ".ssh/deep/below/new"),
        ("notes.txt", ".ssh/config"),
        ("new.txt", ".ssh/authorized_keys"),
        ("twice.txt", ".ssh/authorized_keys"),
        ("../.ssh/config", ".ssh/config"),
        ("src/../../.ssh/config", ".ssh/config"),
        ("missing/../../.ssh/config", ".ssh/config"),
        ("docs/../stolen", "stolen"),
        ("../project-of-another/a", "project-of-another/a"),
    ] {
        let found = destinations_of(project.join(path)).outside(&roots);
        assert_eq!(found.as_deref(), home.join(real).to_str(), "{path}");
    }
    symlink("src", project.join("inner")).unwrap();
    for path in ["a.txt", "inner/a.txt", "src/../a.txt", "missing/dir/../a", "docs/../project/a"] {
        assert_eq!(destinations_of(project.join(path)).outside(&roots), None, "{path}");
    }
    assert_eq!(destinations_of(keys).outside(&[]), None, "without roots there is no outside");
    symlink("b", project.join("a")).unwrap();
    symlink("a", project.join("b")).unwrap();
    real_path::resolve(&project.join("a/c"));
}

#[test]
fn both_readings_of_an_ambiguous_path_are_checked() {
    let (_directory, home) = test_home();
    let project = home.join("project");
    fs::create_dir_all(project.join("a/b/.git")).unwrap();
    fs::create_dir(project.join("c")).unwrap();
    symlink("a/b", project.join("deep")).unwrap();
    let roots = [project.join("c"), project.join("a")];
    let at = |path: &str| destinations_of(project.join(path));
    // The system goes to a/x, and Node to x.
    assert_eq!(at("deep/../x").outside(&roots).as_deref(), project.join("x").to_str());
    assert_eq!(at("c/../deep/../x").outside(&roots).as_deref(), project.join("x").to_str());
    let both = format!("{} or {}", project.join("x").display(), home.join("x").display());
    assert_eq!(at("deep/../../x").outside(&roots), Some(both));
    assert_eq!(at("a/b/../x").outside(&roots), None, "without a link both readings give one path");
    symlink("c", project.join("a/link")).unwrap();
    assert!(at("a/link/../b/.git/config").in_git(&roots).is_some());
}

#[test]
fn a_root_inside_a_git_directory_is_not_itself_protected() {
    let (_directory, home) = test_home();
    let bare = home.join("all.git");
    for below in ["refs", "objects", "main"] {
        fs::create_dir_all(bare.join(below)).unwrap();
    }
    fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let roots = [bare.join("main")];
    assert_eq!(destinations_of(bare.join("main/a.txt")).in_git(&roots), None);
    assert!(destinations_of(bare.join("hooks/update")).in_git(&roots).is_some());
    assert!(destinations_of(bare.join("main/.husky/pre-push")).in_git(&roots).is_some());
}

#[test]
fn files_that_git_obeys_are_seen_through_links() {
    let (_directory, home) = test_home();
    let project = home.join("project");
    fs::create_dir_all(project.join(".git/hooks")).unwrap();
    symlink(".git", project.join("docs")).unwrap();
    symlink(".git/config", project.join("notes.txt")).unwrap();
    let roots = [project.clone()];
    for (path, real) in [
        (".git/hooks/pre-commit", "project/.git/hooks/pre-commit"),
        (".GIT/config", "project/.GIT/config"),
        ("docs/hooks/new", "project/.git/hooks/new"),
        ("notes.txt", "project/.git/config"),
        ("src/../.git/config", "project/.git/config"),
        // A file that names the directory of a repository for git.
        ("module/.git", "project/module/.git"),
        ("../other/.git/config", "other/.git/config"),
    ] {
        let found = destinations_of(project.join(path)).in_git(&roots);
        assert_eq!(found.as_deref(), home.join(real).to_str(), "{path}");
    }
    for path in ["a.txt", ".gitignore", ".github/workflows/a.yml", "a.git/config", ".git/../a.txt"] {
        assert_eq!(destinations_of(project.join(path)).in_git(&roots), None, "{path}");
    }
    let tree = [project.join(".git/trees/one")];
    assert_eq!(destinations_of(tree[0].join("a.txt")).in_git(&tree), None, "it is the project");
    assert!(destinations_of(tree[0].join(".git")).in_git(&tree).is_some());
}

#[test]
fn a_project_that_is_opened_through_a_link_is_inside_itself() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("real")).unwrap();
    symlink("real", home.path().join("link")).unwrap();
    let roots = [real_path::resolve(&home.path().join("link"))];
    for name in ["link/a", "real/a"] {
        assert_eq!(destinations_of(home.path().join(name)).outside(&roots), None);
    }
}
