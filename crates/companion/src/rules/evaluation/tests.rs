//! The rules as a table: which changes each one covers, and which it never does.

use super::*;

const EVERY: &str = "Codex";

fn rule(paths: &[&str], ruling: Ruling) -> Rule {
    Rule {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        agents: Vec::new(),
        kinds: Vec::new(),
        ruling,
        place: "c.toml:1".into(),
    }
}

fn rules(own: &[Rule], asks: &[Rule]) -> Rules {
    let workspace = Workspace { asks: asks.to_vec(), ..Workspace::default() };
    Rules::new(own, &workspace, &["/home/me/settings.toml".into()]).unwrap()
}

fn judged(rules: &Rules, path: &str) -> Judgement {
    let roots = [PathBuf::from("/p"), PathBuf::from("/p/nested"), PathBuf::from("/home/me")];
    rules.judge(&roots, EVERY, ChangeKind::Edit, &[Place::File(path.into())])
}

/// Docs are accepted, migrations are asked about but for their notes, and vendored files are the agent's.
fn usual() -> Rules {
    let own = [
        rule(&["docs/**", "*.md"], Ruling::Accept),
        rule(&["migrations/"], Ruling::Ask),
        rule(&["/migrations/notes.md"], Ruling::Accept),
        rule(&["vendor/**"], Ruling::Defer),
    ];
    rules(&own, &[])
}

#[test]
fn the_last_rule_that_matches_decides() {
    let rules = usual();
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
        assert_eq!(judged(&rules, path).ruling, ruling, "{path}");
    }
    let why = judged(&rules, "/p/docs/a.txt").why.to_string();
    assert_eq!(why, "rule docs/**, *.md (c.toml:1)");
    assert_eq!(judged(&rules, "/p/src/main.rs").why, Why::NoRule);
}

#[test]
fn nothing_slips_past_a_question_by_its_spelling() {
    let rules = usual();
    for (path, ruling) in [
        ("/p/MIGRATIONS/a.md", Ruling::Ask),
        ("/p/Migrations/Notes.md", Ruling::Ask),
        ("/p/DOCS/a.txt", Ruling::Ask),
        ("/p/docs /a.txt", Ruling::Ask),
        ("/p/docs\n/a.txt", Ruling::Ask),
        ("/p/docsx/a.txt", Ruling::Ask),
        ("/p/docs\\a.txt", Ruling::Ask),
        ("/p/docs", Ruling::Ask),
        // A name with anything in it is still below `docs`.
        ("/p/docs/\u{202e}[a]*?{}!# .txt\n", Ruling::Accept),
        ("/p/docs/-rf", Ruling::Accept),
    ] {
        assert_eq!(judged(&rules, path).ruling, ruling, "{path:?}");
    }
}

#[test]
fn agents_and_kinds_narrow_a_rule() {
    let own = [
        Rule { agents: vec!["Codex".into()], ..rule(&["a"], Ruling::Accept) },
        Rule { kinds: vec![ChangeKind::Create, ChangeKind::Edit], ..rule(&["b"], Ruling::Accept) },
    ];
    let rules = rules(&own, &[]);
    let ruling = |agent: &str, kind, path: &str| {
        rules.judge(&["/p".into()], agent, kind, &[Place::File(Path::new("/p").join(path))]).ruling
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
    // Whatever a rule of a project says, it asks.
    let asking = rules(&own, &[rule(&["secret/**"], Ruling::Ask), rule(&["other/**"], Ruling::Accept)]);
    assert_eq!(judged(&asking, "/p/a").ruling, Ruling::Accept);
    for path in ["/p/secret/a", "/p/SECRET/a", "/p/other/a"] {
        let Judgement { ruling, why } = judged(&asking, path);
        assert!(ruling == Ruling::Ask && matches!(why, Why::ProjectRule(_)), "{path}: {why}");
    }
    let unknown = Workspace { untold: vec!["/p/nested".into()], ..Workspace::default() };
    let rules = Rules::new(&own, &unknown, &[]).unwrap();
    assert_eq!(judged(&rules, "/p/nested/a").ruling, Ruling::Ask, "nobody knows what it asks");
    assert_eq!(judged(&rules, "/p/a").ruling, Ruling::Accept);
}

#[test]
fn no_rule_covers_what_tells_git_agents_or_alongside_what_to_do() {
    for ruling in [Ruling::Accept, Ruling::Defer] {
        let rules = rules(&[rule(&["*"], ruling)], &[]);
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
        ] {
            let Judgement { ruling, why } = judged(&rules, path);
            assert!(ruling == Ruling::Ask && matches!(why, Why::NoRuleApplies(_)), "{path}: {why}");
        }
        for path in
            ["/p/.gitignore", "/p/git/config", "/p/claude.rs", "/p/src/agents.md.txt", "/p/config.toml"]
        {
            assert_eq!(judged(&rules, path).ruling, ruling, "{path}");
        }
    }
}

#[test]
fn every_place_of_a_change_has_to_be_covered() {
    let rules = usual();
    let ruling = |places: &[Place]| rules.judge(&["/p".into()], EVERY, ChangeKind::Move, places).ruling;
    let file = |path: &str| Place::File(path.into());
    assert_eq!(ruling(&[file("/p/docs/a"), file("/p/docs/b")]), Ruling::Accept);
    assert_eq!(ruling(&[file("/p/docs/a"), file("/p/src/b")]), Ruling::Ask);
    assert_eq!(ruling(&[file("/p/src/b"), file("/p/docs/a")]), Ruling::Ask);
    assert_eq!(ruling(&[file("/p/vendor/a"), file("/p/vendor/b")]), Ruling::Defer);
    assert_eq!(ruling(&[file("/p/docs/a"), file("/p/vendor/b")]), Ruling::Ask, "they differ");
    for place in [Place::Outside, Place::Gits, Place::Ambiguous] {
        assert_eq!(ruling(&[file("/p/docs/a"), place]), Ruling::Ask);
    }
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
fn a_pattern_meets_the_file_behind_links() {
    use std::fs;
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().canonicalize().unwrap();
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
    let ruling = |below: &str| {
        let of = (EVERY, ChangeKind::Edit, project.join(below));
        explain(&own, &workspace, &[], (of.0, of.1, &of.2)).unwrap().ruling
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
