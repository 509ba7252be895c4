//! Tests of the rules as a table: which changes each rule covers, and which no rule covers.

#[cfg(unix)]
mod disk;

use super::*;
use crate::rooted;

const AGENT: &str = "Codex";

fn rule(paths: &[&str], ruling: Ruling) -> Rule {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    Rule { paths, agents: Vec::new(), kinds: Vec::new(), ruling, place: "c.toml:1".into() }
}

/// Returns no rules for any repository within the project.
#[cfg(unix)]
fn no_rules_of(_: &Path) -> Option<Vec<Rule>> {
    Some(Vec::new())
}

fn rules_of(own: &[Rule], asks: &[Rule]) -> Rules {
    let workspace = Workspace { asks: asks.to_vec(), ..Workspace::default() };
    Rules::new(own, &workspace, &[rooted("/home/me/settings.toml")]).unwrap()
}

fn judge(rules: &Rules, path: &str) -> Judgement {
    let roots = ["/p", "/p/nested", "/home/me"].map(rooted);
    rules.judge(&roots, AGENT, ChangeKind::Edit, &[Place::File(rooted(path).into())])
}

/// Returns rules that accept docs, ask about migrations except for their notes, and defer vendored files.
fn example_rules() -> Rules {
    let own = [
        rule(&["docs/**", "*.md"], Ruling::Accept),
        rule(&["migrations/"], Ruling::Ask),
        rule(&["/migrations/notes.md"], Ruling::Accept),
        rule(&["vendor/**"], Ruling::Defer),
    ];
    rules_of(&own, &[])
}

#[test]
fn the_last_rule_that_matches_decides() {
    let rules = example_rules();
    for (path, ruling) in [
        ("/p/docs/a.txt", Ruling::Accept),
        ("/p/docs/deep/er/a.txt", Ruling::Accept),
        ("/p/deep/a.md", Ruling::Accept),
        ("/p/migrations/a.md", Ruling::Ask),
        ("/p/deep/migrations/a.md", Ruling::Ask),
        ("/p/migrations/notes.md", Ruling::Accept),
        ("/p/deep/migrations/notes.md", Ruling::Ask),
        ("/p/vendor/a", Ruling::Defer),
        ("/p/src/main.rs", Ruling::Ask),
        // Patterns are relative to the innermost project, and hold in no other place.
        ("/p/nested/docs/a.txt", Ruling::Accept),
        ("/p/src/docs/a.txt", Ruling::Ask),
        ("/elsewhere/docs/a.txt", Ruling::Ask),
        ("/p", Ruling::Ask),
    ] {
        assert_eq!(judge(&rules, path).ruling, ruling, "{path}");
    }
    let why = judge(&rules, "/p/docs/a.txt").why.to_string();
    assert_eq!(why, "rule docs/**, *.md (c.toml:1)");
    assert_eq!(judge(&rules, "/p/src/main.rs").why, Why::NoRule);
}

#[test]
fn no_spelling_of_a_path_evades_a_rule_that_asks() {
    let rules = example_rules();
    for (path, ruling) in [
        ("/p/MIGRATIONS/a.md", Ruling::Ask),
        ("/p/Migrations/Notes.md", Ruling::Ask),
        ("/p/DOCS/a.txt", Ruling::Ask),
        ("/p/docs /a.txt", Ruling::Ask),
        ("/p/docs\n/a.txt", Ruling::Ask),
        ("/p/docsx/a.txt", Ruling::Ask),
        // On Windows, these are separators.
        ("/p/docs\\a.txt", if cfg!(windows) { Ruling::Accept } else { Ruling::Ask }),
        ("/p/migrations\\a.md", Ruling::Ask),
        ("/p/docs", Ruling::Ask),
        // A name with any characters in it is still below `docs`.
        ("/p/docs/\u{202e}[a]*?{}!# .txt\n", Ruling::Accept),
        ("/p/docs/-rf", Ruling::Accept),
    ] {
        assert_eq!(judge(&rules, path).ruling, ruling, "{path:?}");
    }
}

#[test]
fn agents_and_kinds_narrow_a_rule() {
    let own = [
        Rule { agents: vec!["Codex".into()], ..rule(&["a"], Ruling::Accept) },
        Rule { kinds: vec![ChangeKind::Create, ChangeKind::Edit], ..rule(&["b"], Ruling::Accept) },
    ];
    let rules = rules_of(&own, &[]);
    let ruling = |agent: &str, kind, path: &str| {
        rules.judge(&["/p".into()], agent, kind, &[Place::File(Path::new("/p").join(path).into())]).ruling
    };
    assert_eq!(ruling("Codex", ChangeKind::Delete, "a"), Ruling::Accept);
    assert_eq!(ruling("codex", ChangeKind::Delete, "a"), Ruling::Ask);
    assert_eq!(ruling("Claude Code", ChangeKind::Delete, "a"), Ruling::Ask);
    for (kind, expected) in
        ChangeKind::ALL.into_iter().zip([Ruling::Accept, Ruling::Accept, Ruling::Ask, Ruling::Ask])
    {
        assert_eq!(ruling("Claude Code", kind, "b"), expected, "{kind:?}");
    }
}

#[test]
fn a_project_only_asks_and_nothing_overrides_it() {
    let own = [rule(&["*"], Ruling::Ask), rule(&["*"], Ruling::Accept)];
    // A rule of a project asks, even where it says `accept`.
    let asking = rules_of(&own, &[rule(&["secret/**"], Ruling::Ask), rule(&["other/**"], Ruling::Accept)]);
    assert_eq!(judge(&asking, "/p/a").ruling, Ruling::Accept);
    for path in ["/p/secret/a", "/p/SECRET/a", "/p/other/a"] {
        let Judgement { ruling, why } = judge(&asking, path);
        assert!(ruling == Ruling::Ask && matches!(why, Why::ProjectRule(_)), "{path}: {why}");
    }
    let unknown = Workspace { untold: vec![rooted("/p/nested")], ..Workspace::default() };
    let rules = Rules::new(&own, &unknown, &[]).unwrap();
    assert_eq!(judge(&rules, "/p/nested/a").ruling, Ruling::Ask, "the rules of that project are unknown");
    assert_eq!(judge(&rules, "/p/a").ruling, Ruling::Accept);
}

#[test]
fn no_rule_covers_files_that_steer_git_agents_or_alongside() {
    for ruling in [Ruling::Accept, Ruling::Defer] {
        let rules = rules_of(&[rule(&["*"], ruling)], &[]);
        for path in [
            "/p/.git/config",
            "/p/.GIT/hooks/pre-commit",
            "/p/sub/.git",
            "/p/.git/worktrees/w/config",
            "/p/.git/modules/m/hooks/a",
            "/p/.git./config",
            "/p/.git::$INDEX_ALLOCATION/config",
            "/p/.g\u{200c}it/config",
            "/p/.alongside.toml",
            "/p/sub/.Alongside.TOML",
            "/home/me/.config/alongside/config.toml",
            "/home/me/settings.toml",
            "/home/me/Settings.TOML",
            "/p/.claude/settings.json",
            "/p/.claude/commands/a.md",
            "/p/sub/.claude/settings.local.json",
            "/home/me/.claude.json",
            "/p/.mcp.json",
            "/p/CLAUDE.md",
            "/p/docs/claude.md",
            "/p/AGENTS.md",
            "/p/.codex/hooks.json",
            "/p/.agents/skills/a/SKILL.md",
            "/p/GEMINI.md",
            "/p/.gemini/settings.json",
            "/p/.qwen/settings.json",
            "/p/opencode.json",
            "/p/.bobrules",
            "/p/.bobrules-code/a.md",
            "/p/.bobignore",
            "/p/sub/.env",
            "/p/.clau\u{206a}de/settings.json",
            "/p/.g\u{202a}it/config",
            "/p/.claude\u{ad}/settings.json",
            "/p/AGENT\u{17f}.md",
            "/p/.ｇit/config",
            "/p/.gitattributes",
            "/p/sub/.GitModules",
            "/p/.pre-commit-config.yaml",
            "/p/lefthook.yml",
            "/p/.lefthook-local.toml",
        ] {
            let Judgement { ruling, why } = judge(&rules, path);
            assert!(ruling == Ruling::Ask && matches!(why, Why::NoRuleApplies(_)), "{path}: {why}");
        }
        for path in [
            "/p/.gitignore",
            "/p/git/config",
            "/p/claude.rs",
            "/p/src/agents.md.txt",
            "/p/config.toml",
            "/p/.env.example",
        ] {
            assert_eq!(judge(&rules, path).ruling, ruling, "{path}");
        }
    }
}

#[test]
fn a_rule_that_asks_matches_every_form_of_its_characters() {
    let rules = rules_of(&[rule(&["*.md"], Ruling::Accept), rule(&["/größe/", "x[A-Z]"], Ruling::Ask)], &[]);
    for path in
        ["größe/a.md", "GRÖßE/a.md", "gro\u{308}ße/a.md", "GRÖSSE/a.md", "grö\u{200b}ße/a.md", "größe./a.md"]
    {
        assert!(matches!(judge(&rules, &format!("/p/{path}")).why, Why::Rule(_)), "{path:?}");
        assert_eq!(judge(&rules, &format!("/p/{path}")).ruling, Ruling::Ask, "{path:?}");
    }
    assert_eq!(judge(&rules, "/p/xb").ruling, Ruling::Ask);
    assert_eq!(judge(&rules, "/p/a/größe/a.md").ruling, Ruling::Accept);
    // Characters that may stand for a separator.
    for separator in ['\u{ff0f}', '\u{ff3c}', '\\'] {
        assert_eq!(judge(&rules, &format!("/p/{separator}größe/a.md")).ruling, Ruling::Ask, "{separator}");
    }
}

/// The matcher panics at a path with a root. On Windows, a path that begins with such a part has one.
#[test]
fn a_part_like_a_drive_is_judged_without_a_panic() {
    let rules = rules_of(&[rule(&["*.md"], Ruling::Accept), rule(&["/c"], Ruling::Ask)], &[]);
    for path in ["/p/c:/a.md", "/p/C:/a.md", "/p/c:\\a.md", "/p/c:a.md/x", "/p/\u{ff43}:/a.md"] {
        assert_eq!(judge(&rules, path).ruling, Ruling::Ask, "{path}");
    }
}

#[test]
fn a_nested_project_overrides_no_rule_that_asks() {
    let own = [rule(&["*"], Ruling::Accept), rule(&["/deploy/", "nested/", "x*/**"], Ruling::Ask)];
    let rules = rules_of(&own, &[rule(&["secret/**"], Ruling::Ask)]);
    let ruling = |roots: &[&str], path: &str| {
        let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
        rules.judge(&roots, AGENT, ChangeKind::Edit, &[Place::File(path.into())]).ruling
    };
    let roots = ["/q", "/q/deploy", "/q/secret", "/q/nested", "/q/a"];
    for path in ["/q/deploy/a", "/q/secret/a", "/q/nested/b", "/q/a/deploy/b"] {
        assert_eq!(ruling(&roots, path), Ruling::Ask, "{path}");
    }
    assert_eq!(ruling(&roots, "/q/a/b"), Ruling::Accept);
    // The project's own name counts, even where the project around it has no companion.
    assert_eq!(ruling(&["/q/nested"], "/q/nested/b"), Ruling::Ask);
    assert_eq!(ruling(&["/q/a"], "/q/a/b"), Ruling::Accept);
}

#[test]
fn a_name_without_a_slash_accepts_no_directory() {
    for ruling in [Ruling::Accept, Ruling::Defer] {
        let rules = rules_of(&[rule(&["*.md", "docs", "/notes", "src/"], ruling)], &[]);
        for path in ["a.md", "deep/a.md", "docs", "notes", "notes/a", "src/a", "deep/src/a"] {
            assert_eq!(judge(&rules, &format!("/p/{path}")).ruling, ruling, "{path}");
        }
        for path in ["x.md/test_evil.py", "docs/a", "deep/x.md/a/b", "src"] {
            assert_eq!(judge(&rules, &format!("/p/{path}")).ruling, Ruling::Ask, "{path}");
        }
    }
    let rules = rules_of(&[rule(&["*"], Ruling::Accept), rule(&["*.md"], Ruling::Ask)], &[]);
    assert_eq!(judge(&rules, "/p/x.md/test_evil.py").ruling, Ruling::Ask, "a rule that asks covers more");
}

#[test]
fn a_change_that_was_prepared_before_the_rules_is_asked_about() {
    for ruling in [Ruling::Accept, Ruling::Defer] {
        let rules = rules_of(&[rule(&["*"], ruling)], &[]);
        let mut unsearched = Route::from("/p/a");
        unsearched.is_searched = false;
        let place = |route| [Place::File(route)];
        let ruling_of = |route| rules.judge(&["/p".into()], AGENT, ChangeKind::Edit, &place(route)).ruling;
        assert_eq!((ruling_of("/p/a".into()), ruling_of(unsearched)), (ruling, Ruling::Ask));
    }
}

#[test]
fn every_place_of_a_change_has_to_be_covered() {
    let rules = example_rules();
    let ruling = |places: &[Place]| rules.judge(&["/p".into()], AGENT, ChangeKind::Move, places).ruling;
    let file = |path: &str| Place::File(path.into());
    assert_eq!(ruling(&[file("/p/docs/a"), file("/p/docs/b")]), Ruling::Accept);
    assert_eq!(ruling(&[file("/p/docs/a"), file("/p/src/b")]), Ruling::Ask);
    assert_eq!(ruling(&[file("/p/src/b"), file("/p/docs/a")]), Ruling::Ask);
    assert_eq!(ruling(&[file("/p/vendor/a"), file("/p/vendor/b")]), Ruling::Defer);
    assert_eq!(ruling(&[file("/p/docs/a"), file("/p/vendor/b")]), Ruling::Ask, "the rulings differ");
    assert_eq!(ruling(&[file("/p/docs/a"), Place::Uncovered("it is outside")]), Ruling::Ask);
    assert_eq!(ruling(&[]), Ruling::Ask);
}

#[test]
fn a_pattern_that_would_match_nothing_is_refused() {
    for glob in ["", " ", "!docs", "# docs", "~/docs", "../docs", "docs/../src", "./docs", "a{b", "a\nb"] {
        assert!(check_pattern(glob).is_err(), "{glob:?}");
        assert!(Rules::new(&[rule(&[glob], Ruling::Accept)], &Workspace::default(), &[]).is_err());
    }
    for glob in ["docs/**", "*.md", "/docs", "docs/", "\\#a", "[ab]?", "a..b"] {
        assert_eq!(check_pattern(glob), Ok(()), "{glob:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_pattern_is_matched_with_the_file_behind_links() {
    use alongside_platform::paths::Canonical as _;

    use std::fs;
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().canonical().unwrap();
    for below in ["docs", "src", ".git/hooks"] {
        fs::create_dir_all(project.join(below)).unwrap();
    }
    for file in ["docs/a", "src/b"] {
        fs::write(project.join(file), "x").unwrap();
    }
    symlink("../src/b", project.join("docs/to-src")).unwrap();
    symlink("../src", project.join("docs/in-src")).unwrap();
    symlink("../docs/a", project.join("src/to-docs")).unwrap();
    symlink("../docs", project.join("src/in-docs")).unwrap();
    symlink("../.git/hooks", project.join("docs/hooks")).unwrap();
    symlink("/etc/passwd", project.join("docs/out")).unwrap();
    symlink("a", project.join("docs/to-a")).unwrap();
    let workspace = Workspace { roots: vec![project.clone()], ..Workspace::default() };
    let own = [rule(&["docs/**"], Ruling::Accept)];
    let dirs = AppDirs::below(&project.join("none"));
    let ruling = |below: &str| {
        let file = (&*project.join(below), &dirs);
        explain(&own, &workspace, (&[], no_rules_of), file, &[(AGENT, ChangeKind::Edit)]).unwrap()[0].ruling
    };
    for below in ["docs/a", "docs/new", "docs/deep/new", "docs/to-a", "src/in-docs/a", "src/in-docs/new"] {
        assert_eq!(ruling(below), Ruling::Accept, "{below}");
    }
    for below in [
        "src/b",
        "docs/to-src",
        "docs/in-src/b",
        "docs/in-src/new",
        "docs/hooks/pre-commit",
        "docs/out",
        "docs/../src/b",
        "docs/../../x",
        // An agent that replaces the link itself changes a file of `src`.
        "src/to-docs",
    ] {
        assert_eq!(ruling(below), Ruling::Ask, "{below}");
    }
}

#[test]
fn a_pattern_with_an_unclosed_bracket_is_an_error() {
    for glob in ["secret/[a", "[", "docs/[!a/**"] {
        assert!(check_pattern(glob).is_err(), "{glob}");
    }
    assert!(check_pattern("docs/[ab]").is_ok());
}

#[test]
fn a_repository_within_the_project_asks_whatever_the_persons_rules_say() {
    let rules = rules_of(&[rule(&["**"], Ruling::Accept)], &[]);
    let ruling = |asks: Option<Vec<Rule>>, path: &str| {
        let mut route = Route::from(path);
        (route.asks, route.projects) = (asks, vec!["/p/docs/sub".into()]);
        rules.judge(&["/p".into()], AGENT, ChangeKind::Edit, &[Place::File(route)]).ruling
    };
    // There, a rule that accepts counts as a rule that asks.
    let nested = || Some(vec![rule(&["/a.md"], Ruling::Accept)]);
    assert_eq!(ruling(nested(), "/p/docs/sub/a.md"), Ruling::Ask);
    assert_eq!(ruling(nested(), "/p/docs/sub/deep/a.md"), Ruling::Accept);
    assert_eq!(ruling(Some(Vec::new()), "/p/docs/sub/a.md"), Ruling::Accept);
    assert_eq!(ruling(None, "/p/docs/sub/b"), Ruling::Ask, "its rules are unknown");
}
