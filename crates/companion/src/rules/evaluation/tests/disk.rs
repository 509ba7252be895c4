//! Tests of rules with links and git's settings on disk. Unless a test has its own rules, one rule accepts
//! everything that a rule may accept.

use alongside_platform::paths::Canonical as _;
use std::fs;
use std::os::unix::fs::symlink;

use super::super::*;

struct Disk {
    directory: tempfile::TempDir,
    roots: Vec<PathBuf>,
}

impl Disk {
    /// Creates a home directory with a repository `q`, which is the project.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut disk = Self { directory, roots: Vec::new() };
        disk.roots = vec![disk.path("home/q")];
        disk.write("home/q/.git/HEAD", "ref: refs/heads/main\n");
        for below in ["objects", "refs", "hooks"] {
            fs::create_dir(disk.path("home/q/.git").join(below)).unwrap();
        }
        disk
    }

    fn path(&self, below: &str) -> PathBuf {
        self.directory.path().canonical().unwrap().join(below)
    }

    fn write(&self, below: &str, text: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, below: &str, target: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// Returns the judgement on an edit of a file of the home directory.
    fn judge(&self, below: &str) -> Judgement {
        self.judge_with(&[super::rule(&["*"], Ruling::Accept)], below)
    }

    fn judge_with(&self, rules: &[Rule], below: &str) -> Judgement {
        let workspace = Workspace { roots: self.roots.clone(), ..Workspace::default() };
        let file = (&*self.path("home").join(below), &AppDirs::below(&self.path("")));
        let settings = [self.path("home/.config/alongside/config.toml")];
        explain(rules, &workspace, (&settings, super::no_rules_of), file, &[("Codex", ChangeKind::Edit)])
            .unwrap()
            .remove(0)
    }

    fn expect_ask(&self, paths: &[&str]) {
        for path in paths {
            let Judgement { ruling, why } = self.judge(path);
            assert_eq!(ruling, Ruling::Ask, "{path}");
            assert!(matches!(why, Why::NoRuleApplies(_)), "{path}: {why}");
        }
    }

    fn expect_accept(&self, paths: &[&str]) {
        for path in paths {
            let Judgement { ruling, why } = self.judge(path);
            assert_eq!(ruling, Ruling::Accept, "{path}: {why}");
        }
    }
}

#[test]
fn a_protected_name_counts_on_the_way_through_links() {
    let mut disk = Disk::new();
    fs::remove_dir(disk.path("home/q/.git/hooks")).unwrap();
    for directory in ["githooks", "config/claude", "prompts", "tools"] {
        fs::create_dir_all(disk.path("home/q").join(directory)).unwrap();
    }
    disk.link("home/q/.git/hooks", "../githooks");
    disk.link("home/q/.claude", "config/claude");
    disk.link("home/q/sub/.gemini/commands", "../../prompts");
    disk.link("home/q/web/.husky", "../tools");
    disk.link("home/q/plain", "tools");
    disk.expect_ask(&["q/.git/hooks/pre-commit", "q/.claude/settings.json", "q/sub/.gemini/commands/a.toml"]);
    disk.expect_ask(&["q/web/.husky/pre-commit"]);
    disk.expect_accept(&["q/plain/a", "q/src/a"]);
    // The person's own directory, with the project behind its link.
    fs::create_dir_all(disk.path("home/dot/claude")).unwrap();
    disk.link("home/.claude", "dot/claude");
    disk.roots.push(disk.path("home/dot"));
    disk.expect_ask(&[".claude/settings.json", "dot/claude/settings.json"]);
    disk.expect_accept(&["dot/vimrc"]);
}

#[test]
fn the_target_of_a_protected_link_is_protected() {
    let mut disk = Disk::new();
    disk.link("home/q/CLAUDE.md", "docs/agent-guide.md");
    disk.link("home/q/sub/AGENTS.md", "../docs/middle.md");
    disk.link("home/q/docs/middle.md", "end.md");
    disk.link("home/q/.git/hooks/pre-commit", "../../scripts/pre-commit.sh");
    disk.link("home/q/.husky/pre-push", "../scripts/pre-push.sh");
    disk.link("home/q/.alongside.toml", "config/alongside.toml");
    disk.link("home/q/.claude/skills/a/SKILL.md", "../../../docs/skill.md");
    disk.link("home/q/.claude/commands", "../prompts");
    disk.link("home/.config/alongside/config.toml", "../../q/config/own.toml");
    disk.expect_ask(&["q/docs/agent-guide.md", "q/scripts/pre-commit.sh", "q/scripts/pre-push.sh"]);
    disk.expect_ask(&["q/config/alongside.toml", "q/config/own.toml", "q/docs/skill.md", "q/prompts/a/b.md"]);
    // The links of agents are searched in the directories above a file, so `sub/AGENTS.md` protects none
    // here.
    disk.expect_accept(&["q/docs/end.md", "q/docs/other.md", "q/scripts/other.sh"]);
    disk.link("home/q/GEMINI.md", "docs/middle.md");
    disk.expect_ask(&["q/docs/middle.md", "q/docs/end.md"]);
    // Files of the person's own are protected wherever the project is.
    disk.link("home/.codex/AGENTS.md", "../../elsewhere/codex.md");
    disk.link("home/.gitconfig", "../elsewhere/gitconfig");
    disk.write("elsewhere/x", "");
    disk.roots.push(disk.path("elsewhere"));
    disk.expect_ask(&["../elsewhere/codex.md", "../elsewhere/gitconfig"]);
    disk.expect_accept(&["../elsewhere/other.md"]);
}

#[test]
fn a_directory_of_agents_with_too_many_files_asks() {
    let disk = Disk::new();
    for number in 0..5000 {
        disk.write(&format!("home/.claude/todos/{number}"), "");
    }
    disk.expect_accept(&["q/a"]);
    fs::rename(disk.path("home/.claude"), disk.path("home/q/.claude")).unwrap();
    disk.expect_ask(&["q/a"]);
}

#[test]
fn a_patch_cannot_create_a_repository_without_a_question() {
    let disk = Disk::new();
    // No part of the repository exists when its first file is judged.
    disk.expect_ask(&["q/docs/inner/HEAD", "q/docs/inner/head"]);
    disk.expect_accept(&["q/docs/inner/config", "q/docs/inner/objects/keep", "q/docs/inner/refs/keep"]);
    disk.write("home/q/docs/inner/HEAD", "ref: refs/heads/main\n");
    disk.expect_ask(&["q/docs/inner/objects/keep", "q/docs/inner/Refs/keep", "q/docs/inner/commondir"]);
    disk.expect_accept(&["q/docs/inner/config", "q/src/objects/player.rs", "q/docs/HEAD.md"]);
}

#[test]
fn a_rule_that_asks_counts_for_the_repository_around_a_project() {
    let mut disk = Disk::new();
    let rule = |path, ruling| super::rule(&[path], ruling);
    let rules = [rule("*", Ruling::Accept), rule("/web/migrations/", Ruling::Ask), rule("old/", Ruling::Ask)];
    disk.roots = vec![disk.path("home/q/web/migrations"), disk.path("home/q/src")];
    disk.write("home/q/src/new/a", "");
    disk.link("home/q/src/old", "new");
    let ruling = |below: &str| disk.judge_with(&rules, below).ruling;
    assert_eq!(ruling("q/web/migrations/a.sql"), Ruling::Ask);
    assert_eq!(ruling("q/src/new/a"), Ruling::Accept);
    assert_eq!(ruling("q/src/old/a"), Ruling::Ask, "the link is on the way");
}

#[test]
fn every_form_of_a_hooks_directory_is_seen() {
    let disk = Disk::new();
    let hooks = "q/tools/hooks/pre-commit";
    disk.expect_accept(&[hooks]);
    for config in [
        "[core]\nhooksPath = tools/hooks\n".as_bytes(),
        b"[core]\nhooksPath = ~/q/tools/hooks\n",
        b"[core]\nhooksPath = ~home/q/tools/hooks\n",
        b"[core]\nhooksPath = .\n",
        b"[user]\nname = M\xfcller\n[core]\nhooksPath = tools/hooks\n",
        b"\xef\xbb\xbf[core]\nhooksPath = tools/hooks\n",
        b"[core]\nhooksPath = \\\n  tools/hooks\n",
        b"[core]\nhooksPath = tools/hooks\n[includeIf \"onbranch:x\"]\npath = other\n",
    ] {
        disk.write("home/q/.git/config", config);
        disk.write("home/q/.git/other", "[core]\nhooksPath = elsewhere\n");
        disk.expect_ask(&[hooks]);
    }
    // In a nested repository, the settings of the repository around it count as well.
    disk.write("home/q/.git/config", "[core]\nhooksPath = shared/hooks\n");
    disk.write("home/q/shared/.git/HEAD", "");
    disk.expect_ask(&["q/shared/hooks/pre-push"]);
    disk.expect_accept(&[hooks, "q/shared/a"]);
    // The person's own settings.
    for config in ["home/.gitconfig", "home/.config/git/config"] {
        disk.write(config, "[core]\nhooksPath = tools/hooks\n");
        disk.expect_ask(&[hooks]);
        fs::remove_file(disk.path(config)).unwrap();
    }
    disk.expect_accept(&[hooks]);
}

#[test]
fn every_file_that_gits_settings_name_is_protected() {
    let disk = Disk::new();
    let paths = ["q/tools/fsm.sh", "q/tools/clean", "q/tools/diff.py", "q/run.sh", "q/ssh.cfg", "q/a b.sh"];
    disk.expect_accept(&paths);
    disk.write(
        "home/q/.git/config",
        "[core]\nfsmonitor = ./tools/fsm.sh\nsshCommand = ssh -F=ssh.cfg\neditor = a b.sh\n\
         [filter \"x\"]\nclean = 'tools/clean' --fast %f\n\
         [diff]\nexternal = \"python3 tools/../tools/diff.py\"\n\
         [alias]\nx = !cd . && sh run.sh\n[remote \"origin\"]\nurl = https://example.com/a.git\n",
    );
    disk.expect_ask(&paths);
    disk.expect_accept(&["q/tools/other.sh", "q/other", "q/src/main.rs"]);
    let many: String = (0..5000).map(|number| format!("[alias]\na{number} = w{number}\n")).collect();
    disk.write("home/q/.git/config", many);
    disk.expect_ask(&["q/a"]);
}
