//! Tests repositories whose settings would run programs, or lead out of the project, if they were obeyed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use alongside_companion::turns::source::TurnSource as _;
use alongside_testing::hostile::{NAMES, WITNESS_FILE};

use super::fixture::{Project, everything, git_in, rows};

/// Creates a project in which every setting would make the mark. The person's git must not be run on it.
fn trapped() -> Option<Project> {
    let project = Project::new()?;
    let mark = project.beside(WITNESS_FILE);
    let program = project.beside("evil");
    let touch = format!("#!/bin/sh\ntouch '{}'\ncat 2>/dev/null\n", mark.display());
    project.write("git", &touch);
    project.chmod("git", 0o755);
    fs::copy(project.path("git"), &program).unwrap();
    let attributes = "*.evil filter=evil diff=evil merge=evil ident\n* working-tree-encoding=UTF-16\n";
    project.write(".gitattributes", "*.evil filter=evil diff=evil\n");
    project.write("x.evil", "raw\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "x"]);
    let run = program.to_str().unwrap();
    for hook in
        ["post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman", "reference-transaction"]
    {
        project.write(&format!(".git/hooks/{hook}"), &touch);
        project.chmod(&format!(".git/hooks/{hook}"), 0o755);
    }
    project.write(".git/info/attributes", attributes);
    let settings = [
        ("core.fsmonitor", run),
        ("core.hooksPath", ".git/hooks"),
        ("core.pager", run),
        ("core.editor", run),
        ("core.sshCommand", run),
        ("core.gitProxy", run),
        ("core.attributesFile", ".gitattributes"),
        ("core.worktree", "/etc"),
        ("core.alternateRefsCommand", run),
        ("filter.evil.clean", run),
        ("filter.evil.smudge", run),
        ("filter.evil.process", run),
        ("filter.evil.required", "true"),
        ("diff.evil.textconv", run),
        ("diff.evil.command", run),
        ("diff.external", run),
        ("interactive.diffFilter", run),
        ("alias.diff-files", &format!("!{run}")),
        ("alias.write-tree", &format!("!{run}")),
        ("alias.rev-parse", &format!("!{run}")),
        ("gpg.program", run),
        ("log.showSignature", "true"),
        ("credential.helper", run),
        ("remote.origin.uploadpack", run),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &format!("ext::{run}")),
        ("protocol.ext.allow", "always"),
        ("extensions.partialClone", "origin"),
        ("uploadpack.packObjectsHook", run),
    ];
    let mut text = fs::read_to_string(project.path(".git/config")).unwrap();
    for (name, value) in settings {
        let (section, key) = name.rsplit_once('.').unwrap();
        let header = match section.split_once('.') {
            Some((section, below)) => format!("[{section} \"{below}\"]"),
            None => format!("[{section}]"),
        };
        text.push_str(&format!("{header}\n\t{key} = \"{value}\"\n"));
    }
    let included = project.beside("included");
    fs::write(&included, format!("[core]\n\tfsmonitor = \"{run}\"\n")).unwrap();
    text.push_str(&format!("[include]\n\tpath = \"{}\"\n", included.display()));
    fs::write(project.path(".git/config"), text).unwrap();
    let _ = fs::remove_file(&mark);
    Some(project)
}

#[test]
fn no_program_of_a_repository_is_run_and_no_file_of_it_changes() {
    let Some(project) = trapped() else { return };
    let repository = everything(&project.path(".git"));
    project.prompt();
    project.write("x.evil", "changed\n");
    project.write("new.evil", "1\n");
    fs::rename(project.path("a"), project.path("c.evil")).unwrap();
    project.end();
    let look = project.look();
    assert_eq!(rows(&look), ["R c.evil", "A new.evil", "M x.evil"]);
    assert_eq!(project.texts(&look, "x.evil").before.as_deref(), Some(b"raw\n".as_slice()));
    project.since("HEAD");
    project.store.look(&project.top, Some("@{upstream}")).unwrap_err();
    for undone in project.undo(&look, &["c.evil", "new.evil", "x.evil"]) {
        assert_eq!(undone.refused, None);
    }
    project.store.finish(&look);
    crate::unreviewed_trees(&project.dirs);
    assert!(!project.beside(WITNESS_FILE).exists(), "something was run");
    assert_eq!(everything(&project.path(".git")), repository, "the repository is as it was");
    // The trap works: the person's own git runs the program.
    let tree = format!("core.worktree={}", project.top.display());
    let diff =
        std::process::Command::new("git").args(["-c", &tree, "diff"]).current_dir(&project.top).output();
    drop(diff.unwrap());
    assert!(project.beside(WITNESS_FILE).exists());
}

#[test]
fn no_program_of_a_nested_repository_is_run() {
    let Some(project) = trapped() else { return };
    let outer = Project::new().unwrap();
    fs::rename(&project.top, outer.path("nested")).unwrap();
    let linked = outer.path("linked");
    fs::create_dir(&linked).unwrap();
    fs::write(linked.join(".git"), format!("gitdir: {}\n", outer.path("nested/.git").display())).unwrap();
    outer.prompt();
    outer.write("nested/x.evil", "changed\n");
    outer.prompt();
    let look = outer.look();
    assert!(rows(&look).contains(&"M- nested".to_owned()), "{:?}", rows(&look));
    outer.since("HEAD");
    assert!(!project.beside(WITNESS_FILE).exists(), "something was run");
}

#[test]
fn git_of_the_tree_or_of_a_relative_path_is_not_run() {
    const CHILD: &str = "ALONGSIDE_TURNS_CHILD";
    if let Some(top) = std::env::var_os(CHILD) {
        let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
        let git = crate::git::Git::new("/".into(), top.as_ref(), until).unwrap();
        assert!(git.line(["--version"], None).unwrap().starts_with("git version"));
        return;
    }
    let Some(project) = trapped() else { return };
    // The variables are set in another process, because all tests share the variables of this one.
    let name = "tests::hostile::git_of_the_tree_or_of_a_relative_path_is_not_run";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name]).env(CHILD, &project.top).current_dir(&project.top);
    let path = format!("{}:.::{}", project.top.display(), std::env::var("PATH").unwrap());
    let output = child.env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!project.beside(WITNESS_FILE).exists(), "something was run");
}

#[test]
fn files_with_hostile_names_are_listed_and_read() {
    let Some(project) = Project::new() else { return };
    project.prompt();
    let mut names: Vec<Vec<u8>> = NAMES.iter().map(|(_, name)| name.replace('/', "_").into_bytes()).collect();
    let further: [&[u8]; 14] = [
        b"line\nbreak",
        b"tab\t",
        b"\xff\xfe",
        b"\x1b[31mred",
        b"-rf",
        b"--output=x",
        b":(glob)*",
        b"*",
        b"git~1",
        b"a\\b",
        b"\"quoted\"",
        b" ",
        b"e\xcc\x81",
        b".git ",
    ];
    names.extend(further.map(<[u8]>::to_vec));
    names.sort();
    names.dedup();
    for name in &names {
        fs::write(project.top.join(OsStr::from_bytes(name)), "x\n").unwrap();
    }
    let look = project.look();
    let found: Vec<&[u8]> = look.files.iter().map(|file| file.path.as_os_str().as_bytes()).collect();
    assert_eq!(found, names);
    for file in look.files.iter().filter(|file| file.told.without_text.is_none()) {
        let texts = project.store.texts(&look, file).unwrap();
        assert_eq!(texts.now.as_deref(), Some(b"x\n".as_slice()), "{file:?}");
    }
    project.store.finish(&look);
    for name in &names {
        fs::write(project.top.join(OsStr::from_bytes(name)), "y\n").unwrap();
    }
    let look = project.look();
    for file in look.files.iter().filter(|file| file.told.without_text.is_none()) {
        assert_eq!(project.store.texts(&look, file).unwrap().before.as_deref(), Some(b"x\n".as_slice()));
    }
}

#[test]
fn links_and_pipes_are_not_followed() {
    let Some(project) = Project::new() else { return };
    let secret = project.beside("secret");
    fs::create_dir(&secret).unwrap();
    fs::write(secret.join("c"), "the secret\n").unwrap();
    project.prompt();
    fs::remove_dir_all(project.path("b")).unwrap();
    symlink(&secret, project.path("b")).unwrap();
    symlink(secret.join("c"), project.path("d")).unwrap();
    fs::remove_file(project.path("run")).unwrap();
    for pipe in ["pipe", "deep", "run"] {
        project.pipe(pipe);
    }
    let look = project.look();
    assert_eq!(rows(&look), ["A- b", "D b/c", "A- d", "T- run"]);
    assert_eq!(project.texts(&look, "b/c").before.as_deref(), Some(b"c\n".as_slice()));
    project.end();
    let blobs = super::fixture::git_in(
        &project.tree_store().repository(),
        &["cat-file", "--batch-all-objects", "--batch"],
    );
    assert!(!blobs.contains("the secret"));
}

#[test]
fn a_git_file_that_leads_elsewhere_is_only_read() {
    let Some(project) = Project::new() else { return };
    let other = project.beside("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join(".git"), format!("gitdir: {}\n", project.path(".git").display())).unwrap();
    fs::write(other.join("a"), "1\n").unwrap();
    let repository = everything(&project.top);
    let other = project.at(&other);
    other.prompt();
    other.look();
    assert_eq!(everything(&project.top), repository);
    for broken in ["gitdir: /nowhere\n", "gitdir: .\n", "gitdir:\n", "nonsense", ""] {
        other.write(".git", broken);
        let event = other.event(alongside_contract::turns::Moment::Prompt, "s");
        assert_eq!(event, Ok(crate::Recorded::Nothing), "{broken}");
    }
    git_in(&project.top, &["status"]);
}
