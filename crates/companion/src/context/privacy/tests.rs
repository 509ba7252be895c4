//! Tests of the privacy rules.

use alongside_platform::paths::Canonical as _;
use std::fs;

use super::*;

struct Project {
    directory: tempfile::TempDir,
    root: PathBuf,
}

impl Project {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonical().unwrap().join("project");
        for (path, content) in [
            (".git/info/exclude", "mine.txt\n"),
            (".gitignore", "*.log\nbuild/\n"),
            ("sub/.gitignore", "!keep.log\n"),
            ("a.rs", ""),
            (".env", ""),
            ("x.log", ""),
            ("mine.txt", ""),
            ("sub/keep.log", ""),
            ("build/out.rs", ""),
            ("private/plan.md", ""),
            ("sub/notes/n.md", ""),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Self { directory, root }
    }

    fn dirs(&self) -> AppDirs {
        AppDirs::below(self.directory.path())
    }

    fn privacy(&self, roots: &[&Path], excludes: &[&str]) -> Privacy {
        let roots = roots.iter().map(|root| (*root).to_owned()).collect();
        let excludes = excludes.iter().map(|glob| (*glob).to_owned()).collect();
        let workspace = Workspace { roots, excludes, ..Workspace::default() };
        Privacy::new(&workspace, false, &self.dirs()).unwrap()
    }
}

#[test]
fn secrets_ignored_files_and_exclusions_are_hidden() {
    let project = Project::new();
    let privacy = project.privacy(&[&project.root], &["private/"]);
    for (path, allowed) in [
        ("a.rs", true),
        (".env", false),
        (".ENV.local", false),
        (".env.example", true),
        ("Key.PEM", false),
        ("id_ecdsa.pub", false),
        (".git-credentials", false),
        ("live.tfstate.backup", false),
        (".aws/credentials", false),
        ("home/.ssh/config", false),
        ("aws/credentials.rs", true),
        ("x.log", false),
        ("mine.txt", false),
        ("sub/keep.log", true),
        ("build/out.rs", false),
        ("private/plan.md", false),
    ] {
        assert_eq!(privacy.allows(&project.root.join(path)), allowed, "{path}");
    }
    let workspace = Workspace { roots: vec![project.root.clone()], ..Workspace::default() };
    let open = Privacy::new(&workspace, true, &project.dirs()).unwrap();
    assert!(open.allows(&project.root.join("x.log")));
    assert!(!open.allows(&project.root.join(".env")));
}

#[test]
fn a_changed_gitignore_counts_at_once_and_links_are_followed() {
    let project = Project::new();
    let root = &project.root;
    let privacy = project.privacy(&[root], &[]);
    assert!(privacy.allows(&root.join("a.rs")));
    fs::write(root.join(".gitignore"), "*.rs\n").unwrap();
    let later = SystemTime::now() + std::time::Duration::from_secs(5);
    fs::File::open(root.join(".gitignore")).unwrap().set_modified(later).unwrap();
    assert!(!privacy.allows(&root.join("a.rs")));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join(".env"), root.join("harmless.txt")).unwrap();
        assert!(!privacy.allows(&root.join("harmless.txt")));
    }
}

#[cfg(unix)]
#[test]
fn exclusions_hold_for_both_spellings_of_a_root() {
    let project = Project::new();
    let link = project.directory.path().canonical().unwrap().join("link");
    std::os::unix::fs::symlink(&project.root, &link).unwrap();
    for root in [&link, &project.root] {
        let privacy = project.privacy(&[root], &["/private/", "/sub/notes/"]);
        for spelling in [&link, &project.root] {
            assert!(privacy.allows(&spelling.join("a.rs")));
            assert!(!privacy.allows(&spelling.join("private/plan.md")), "{root:?} {spelling:?}");
            assert!(!privacy.allows(&spelling.join("sub/notes/n.md")), "{root:?} {spelling:?}");
        }
    }
}

/// `Gitignore` panics at a path that it does not find below its root.
#[test]
fn exclusions_hold_for_odd_spellings_of_a_path() {
    let project = Project::new();
    let privacy = project.privacy(&[&project.root], &["private/"]);
    let separator = std::path::MAIN_SEPARATOR;
    let doubled = format!("{}{separator}.{separator}", project.root.display());
    for (path, allowed) in [("a.rs", true), (".env", false), ("private/plan.md", false)] {
        assert_eq!(privacy.allows(Path::new(&format!("{doubled}{path}"))), allowed, "{path}");
    }
    #[cfg(unix)]
    {
        let slashed = format!("/{}", project.root.display());
        assert!(privacy.allows(Path::new(&format!("{slashed}/a.rs"))));
        assert!(!privacy.allows(Path::new(&format!("{slashed}/.env"))));
        let odd = |bytes| PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes));
        assert!(
            privacy.allows(&odd(b"/elsewhere/\xff/a.rs")) && !privacy.allows(&odd(b"/elsewhere/\xff.pem"))
        );
    }
    #[cfg(windows)]
    {
        let odd = |path: &str| {
            let units: Vec<u16> = path.encode_utf16().chain([0xd800]).collect();
            PathBuf::from(<std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(&units))
        };
        assert!(privacy.allows(&odd(r"C:\elsewhere\a")) && !privacy.allows(&odd(r"C:\elsewhere\id_rsa")));
    }
}

#[test]
fn the_exclusions_of_every_root_around_a_file_count() {
    let project = Project::new();
    let sub = project.root.join("sub");
    for roots in [[&*project.root, &*sub], [&*sub, &*project.root]] {
        for exclude in ["/notes/", "/sub/notes/"] {
            let privacy = project.privacy(&roots, &[exclude]);
            assert!(!privacy.allows(&sub.join("notes/n.md")), "{roots:?} {exclude}");
            assert!(privacy.allows(&sub.join("keep.log")));
        }
    }
}

#[test]
fn files_of_an_untold_root_are_hidden() {
    let project = Project::new();
    let workspace = Workspace {
        roots: vec![project.root.clone()],
        untold: vec![project.root.join("sub")],
        ..Workspace::default()
    };
    let privacy = Privacy::new(&workspace, true, &project.dirs()).unwrap();
    assert!(privacy.allows(&project.root.join("a.rs")));
    assert!(!privacy.allows(&project.root.join("sub/keep.log")));
}

#[test]
fn files_that_this_program_makes_for_reviews_are_hidden() {
    let project = Project::new();
    let privacy = project.privacy(&[project.directory.path()], &[]);
    for (path, allowed) in [
        ("state/drafts/1-1/a.rs", false),
        ("tmp/alongside-edit-x1Y2/a.rs", false),
        ("tmp/a.rs", true),
        ("project/alongside-edits.rs", true),
    ] {
        let path = project.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        assert_eq!(privacy.allows(&path), allowed, "{}", path.display());
    }
}

#[test]
fn the_users_global_gitignore_is_found_as_git_finds_it() {
    let project = Project::new();
    let dirs = project.dirs();
    let hidden = |name: &str| !project.privacy(&[&project.root], &[]).allows(&project.root.join(name));
    assert!(!hidden("a.rs") && !hidden("sub/notes/n.md"));
    fs::create_dir_all(dirs.config.join("git")).unwrap();
    fs::write(dirs.config.join("git/ignore"), "*.md\n/a.rs\n").unwrap();
    assert!(hidden("a.rs") && hidden("sub/notes/n.md") && !hidden("sub/keep.log"));
    // A file that the settings name replaces git's default.
    fs::write(dirs.home.join(".gitconfig"), "[user]\n\tname = A\n[Core]\n\texcludesFile = ~/mine\n").unwrap();
    fs::write(dirs.home.join("mine"), "keep.log\n").unwrap();
    // A repository's own rules outrank the user's.
    assert!(!hidden("a.rs") && !hidden("sub/keep.log"));
    fs::remove_file(project.root.join("sub/.gitignore")).unwrap();
    fs::write(project.root.join(".gitignore"), "").unwrap();
    assert!(hidden("sub/keep.log"));
}

#[cfg(unix)]
#[test]
fn an_unreadable_ignore_file_hides_everything_without_a_wait() {
    let project = Project::new();
    fs::remove_file(project.root.join(".gitignore")).unwrap();
    crate::make_pipe(&project.root.join(".gitignore"));
    let privacy = project.privacy(&[&project.root], &[]);
    assert!(!privacy.allows(&project.root.join("a.rs")));
}

#[test]
fn a_bad_glob_is_named() {
    let workspace = Workspace { excludes: vec!["a{b".into()], ..Workspace::default() };
    let dirs = AppDirs::below(Path::new("/nowhere"));
    let bad = Privacy::new(&workspace, false, &dirs).unwrap_err();
    assert_eq!(bad.glob, "a{b");
}
