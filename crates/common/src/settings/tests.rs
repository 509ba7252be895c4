//! Tests the content of settings files, and the messages about mistakes in them.

use alongside_companion::Ruling;
use alongside_desk::ChangeKind;
use alongside_platform::paths::Canonical as _;

use super::rules::MAX_PATTERNS;
use super::*;

fn read(text: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    settings.read(Path::new("/c.toml"), text, KEYS).map(|()| settings).map_err(|error| format!("{error:#}"))
}

#[test]
fn every_key_is_read() {
    let tmp = std::path::absolute("/var/tmp").unwrap();
    let settings = read(&format!(
        "[context]\nenabled = false\nexclude = ['*.key', 'private/']\ninclude-git-ignored = true\n\
         [desk]\nnotify = 'osc9'\ntheme = 'light'\n[discovery]\naliases = false\ntmp = ['{}']\n\
         [server]\nlisten = '172.17.0.1'\nallow-tokenless-agents = true\n\
         [reviews]\nenabled = false\n[drafts]\n",
        tmp.display()
    ));
    let expected = Settings {
        context: false,
        exclude: vec!["*.key".into(), "private/".into()],
        project_exclude: Vec::new(),
        include_git_ignored: true,
        reviews: false,
        rules: Vec::new(),
        project_rules: Vec::new(),
        file: None,
        notify: Notify::Osc9,
        theme: Some(Shade::Light),
        aliases: false,
        tmp: vec![tmp],
        listen: Some(([172, 17, 0, 1], 0).into()),
        allow_tokenless: true,
    };
    assert_eq!(settings, Ok(expected));
}

#[test]
fn every_listed_key_is_read() {
    for (section, key) in KEYS {
        for value in ["true", "[]", "'127.0.0.1'", "'dark'"] {
            if let Err(error) = read(&format!("[{section}]\n{key} = {value}")) {
                assert!(!error.contains("is not read"), "{error}");
            }
        }
        assert!(SECTIONS.contains(section));
    }
}

#[test]
fn a_wrong_key_names_line_and_nearest_key() {
    assert_eq!(
        read("# mine\n[context]\nexlude = []").unwrap_err(),
        r#"/c.toml:3: there is no key "exlude" in [context]; did you mean "exclude"?"#
    );
    assert_eq!(
        read("[contxt]\nexclude = []").unwrap_err(),
        r#"/c.toml:1: there is no section [contxt]; did you mean [context]?"#
    );
    assert_eq!(
        read("exclude = []").unwrap_err(),
        r#"/c.toml:1: the key "exclude" belongs in the section [context]"#
    );
    assert_eq!(
        read("[server]\nzzz = 1").unwrap_err(),
        r#"/c.toml:2: there is no key "zzz" in [server]; there are "allow-tokenless-agents" and "listen""#
    );
}

#[test]
fn a_wrong_value_names_line_and_type() {
    assert_eq!(
        read("[context]\n\nenabled = 'yes'").unwrap_err(),
        r#"/c.toml:3: [context] enabled must be true or false, not a string"#
    );
    assert_eq!(
        read("[context]\nexclude = '*.pem'").unwrap_err(),
        r#"/c.toml:2: [context] exclude must be a list of strings, not a string"#
    );
    assert_eq!(
        read("[context]\nexclude = [\n  'a',\n  1,\n]").unwrap_err(),
        r#"/c.toml:4: [context] exclude must be a list of strings, not a number in it"#
    );
    let glob = read("[context]\nexclude = ['a{b']").unwrap_err();
    assert!(glob.starts_with("/c.toml:2: \"a{b\" is no glob: unclosed alternate group"), "{glob}");
    assert_eq!(
        read("[server]\nlisten = 'everywhere'").unwrap_err(),
        r#"/c.toml:2: "everywhere" is no address; write it as "172.17.0.1" or "172.17.0.1:4000""#
    );
    for every in ["0.0.0.0", "0.0.0.0:4000", "::", "[::]:4000", "::ffff:0.0.0.0"] {
        let error = read(&format!("[server]\n\nlisten = '{every}'")).unwrap_err();
        assert!(error.starts_with(&format!("/c.toml:3: {every:?} means every address")), "{error}");
    }
    let every = read("[server]\nlisten = '0.0.0.0'").unwrap_err();
    let example = "adds a single one, such as that of the container bridge, \"172.17.0.1\"";
    assert!(every.ends_with(example), "{every}");
    assert_eq!(
        read("[discovery]\ntmp = ['here']").unwrap_err(),
        r#"/c.toml:2: "here" must be an absolute path"#
    );
}

#[test]
fn an_unknown_notification_names_the_known_ones() {
    let error = read("[desk]\nnotify = 'loud'").unwrap_err();
    let said = "/c.toml:2: \"loud\" is no notification; there are \"off\", \"bell\", \"osc9\" and \"osc777\"";
    assert_eq!(error, said);
    assert_eq!(read("[desk]\nnotify = 'off'").unwrap().notify, Notify::Off);
}

#[test]
fn invalid_toml_names_the_line() {
    let error = read("[context]\nenabled = = 1").unwrap_err();
    assert!(error.starts_with("/c.toml:2: "), "{error}");
}

#[test]
fn a_project_may_only_add_exclusions() {
    let mut settings = Settings { exclude: vec!["mine".into()], ..Settings::default() };
    let project = Path::new("/p/.alongside.toml");
    settings.read(project, "[context]\nexclude = ['theirs']", PROJECT_KEYS).unwrap();
    assert_eq!(settings.excludes(), ["mine", "theirs"]);
    let error = settings.read(project, "[server]\nallow-tokenless-agents = true", PROJECT_KEYS).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "/p/.alongside.toml:2: [server] allow-tokenless-agents cannot be set here: a project may only add \
         [context] exclude and [reviews] rules that ask"
    );
    assert!(!settings.allow_tokenless);
}

#[test]
fn a_project_cannot_show_what_is_hidden() {
    let mut settings = Settings::default();
    let project = Path::new("/p/.alongside.toml");
    let text = "[context]\nexclude = [\n  'theirs',\n  '!.env',\n]";
    let error = settings.read(project, text, PROJECT_KEYS).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "/p/.alongside.toml:4: \"!.env\" takes an exclusion back, and a project may only add some; to do so, \
         put it into your own config.toml"
    );
    assert_eq!(settings.excludes(), Vec::<String>::new());
    // The person's own file may show hidden files.
    assert_eq!(read(text).unwrap().exclude, ["theirs", "!.env"]);
}

#[cfg(unix)]
#[test]
fn a_project_file_must_be_an_ordinary_file() {
    let project = tempfile::tempdir().unwrap();
    let own = project.path().join("config.toml");
    std::fs::write(&own, "").unwrap();
    std::os::unix::fs::symlink("/dev/zero", project.path().join(PROJECT_FILE)).unwrap();
    let error = Settings::load(Some(&own), &[project.path().to_owned()]).unwrap_err();
    let said = format!("{error:#}");
    assert!(said.contains(PROJECT_FILE) && said.ends_with("not a regular file"), "{said}");
}

/// Loads the settings of a person who excludes "mine", in these projects.
#[cfg(unix)]
fn loaded(roots: &[&Path]) -> Result<Settings, String> {
    let directory = tempfile::tempdir().unwrap();
    let own = directory.path().join("config.toml");
    std::fs::write(&own, "[context]\nexclude = ['mine']").unwrap();
    let roots: Vec<PathBuf> = roots.iter().map(|root| root.to_path_buf()).collect();
    Settings::load(Some(&own), &roots).map_err(|error| format!("{error:#}"))
}

#[cfg(unix)]
#[test]
fn no_toml_spelling_lets_a_project_widen_anything() {
    let project = tempfile::tempdir().unwrap();
    for text in [
        "context.enabled = true",
        "context = { include-git-ignored = true }",
        "\"context\".'include-git-ignored' = true",
        "[server]\r\nallow-tokenless-agents = true\r\n",
        "\u{feff}[server]\nlisten = '172.17.0.1'",
        "[discovery]\ntmp = ['/p']",
        "[context]\nexclude = ['a']\nexclude = []",
        "[context]\nexclude = ['a']\n[context]\nenabled = true",
        "[[context]]\nexclude = ['a']",
        "[Context]\nenabled = true",
        "[context]\nexclude = [\"\\u0021.env\"]",
        "[context]\nexclude = [['!.env']]",
        "[context]\nexclude = '!.env'",
        "[context]\nexclude = ['a'] \u{2028}[server]\nlisten = '172.17.0.1'",
    ] {
        std::fs::write(project.path().join(PROJECT_FILE), text).unwrap();
        let refused = loaded(&[project.path()]).expect_err(text);
        assert!(refused.contains(PROJECT_FILE), "{text}: {refused}");
    }
    // A line end within a pattern belongs to the pattern.
    std::fs::write(project.path().join(PROJECT_FILE), "[context]\nexclude = [\"x\\n!.env\"]").unwrap();
    let settings = loaded(&[project.path()]).unwrap();
    let expected = Settings {
        exclude: vec!["mine".into()],
        project_exclude: vec!["x\n!.env".into()],
        file: settings.file.clone(),
        ..Settings::default()
    };
    assert_eq!(settings, expected);
}

#[cfg(unix)]
#[test]
fn no_kind_of_file_lets_a_project_widen_anything() {
    let project = tempfile::tempdir().unwrap();
    let inner = project.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let file = inner.join(PROJECT_FILE);
    std::fs::write(project.path().join("elsewhere.toml"), "[server]\nallow-tokenless-agents = true").unwrap();
    let refused = || loaded(&[project.path(), &inner]).unwrap_err();

    std::os::unix::fs::symlink("../elsewhere.toml", &file).unwrap();
    assert!(refused().contains("a project may only add"), "{}", refused());
    std::fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert!(refused().ends_with("not a regular file"), "{}", refused());
    std::fs::remove_file(&file).unwrap();
    std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
    assert!(refused().contains("larger than"), "{}", refused());
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(refused().ends_with("not a regular file"), "{}", refused());
    std::fs::remove_dir(&file).unwrap();

    // A file with another name is not a settings file.
    std::fs::write(inner.join("alongside.toml"), "[server]\nallow-tokenless-agents = true").unwrap();
    std::fs::write(project.path().join(PROJECT_FILE), "[context]\nexclude = ['outer']").unwrap();
    std::fs::write(&file, "[context]\nexclude = ['inner']").unwrap();
    assert_eq!(loaded(&[project.path(), &inner]).unwrap().excludes(), ["mine", "outer", "inner"]);
}

#[test]
fn rules_are_read_in_their_order_with_their_lines() {
    let text = "[[reviews.rules]]\npath = 'docs/**'\nthen = 'accept'\n\n[[reviews.rules]]\n\
                path = ['a', '*.sql']\nagent = 'codex'\nkind = ['delete', 'move']\nthen = 'ask'\n";
    let rules = read(text).unwrap().rules;
    let [docs, sql] = rules.as_slice() else { panic!("{rules:?}") };
    assert_eq!((docs.paths.as_slice(), docs.ruling), (&["docs/**".to_owned()][..], Ruling::Accept));
    assert!(docs.agents.is_empty() && docs.kinds.is_empty());
    assert_eq!((sql.agents.as_slice(), sql.ruling), (&["Codex".to_owned()][..], Ruling::Ask));
    assert_eq!(sql.kinds, [ChangeKind::Delete, ChangeKind::Move]);
    assert_eq!((docs.place.as_str(), sql.place.as_str()), ("/c.toml:1", "/c.toml:5"));
    let inline = read("[reviews]\nrules = [\n  { path = 'a', then = 'defer' },\n]").unwrap().rules;
    assert_eq!((inline[0].ruling, inline[0].place.as_str()), (Ruling::Defer, "/c.toml:3"));
}

#[test]
fn a_project_may_only_ask() {
    let project = Path::new("/p/.alongside.toml");
    let mut settings = Settings::default();
    settings.read(project, "[reviews]\nrules = [{ path = 'a', then = 'ask' }]", PROJECT_KEYS).unwrap();
    assert_eq!((settings.project_rules.len(), settings.rules.len()), (1, 0));
    for word in ["accept", "defer"] {
        let text = format!(
            "[reviews]\nrules = [\n  {{ path = 'a', then = 'ask' }},\n  {{ path = 'b', then = '{word}' }},\n]"
        );
        let error = settings.read(project, &text, PROJECT_KEYS).unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            format!(
                "/p/.alongside.toml:4: a project may only ask, and this rule says {word:?}; put it into your \
                 own config.toml"
            )
        );
    }
    let error = settings.read(project, "[reviews]\nenabled = false", PROJECT_KEYS).unwrap_err();
    assert!(error.to_string().contains("cannot be set here"), "{error}");
}

#[test]
fn a_project_within_a_repository_has_the_rules_of_both() {
    let home = tempfile::tempdir().unwrap();
    let (outer, inner) = (home.path().join("q"), home.path().join("q/deep/deploy"));
    for directory in [&outer.join(".git"), &inner] {
        std::fs::create_dir_all(directory).unwrap();
    }
    let asks = |path: &str| format!("[[reviews.rules]]\npath = '{path}'\nthen = 'ask'\n");
    std::fs::write(outer.join(PROJECT_FILE), asks("secret/**")).unwrap();
    std::fs::write(inner.join(PROJECT_FILE), asks("*.key")).unwrap();
    let mut settings = Settings::default();
    let paths = |settings: &Settings| -> Vec<String> {
        settings.project_rules.iter().flat_map(|rule| rule.paths.clone()).collect()
    };
    assert!(settings.read_projects(std::slice::from_ref(&inner)).is_empty());
    assert_eq!(paths(&settings), ["*.key", "secret/**"]);
    assert!(settings.read_projects(&[outer.canonical().unwrap(), inner.clone()]).is_empty());
    assert_eq!(paths(&settings), ["secret/**", "*.key"], "each file once");
    std::fs::write(outer.join(PROJECT_FILE), "nonsense").unwrap();
    let unread = settings.read_projects(&[inner.clone(), home.path().to_owned()]);
    assert_eq!(unread.iter().map(|(root, _)| root).collect::<Vec<_>>(), [&inner]);
}

#[test]
fn a_file_with_too_many_patterns_is_refused() {
    let text = |rules: usize| {
        let rule = "{ path = ['a', 'b'], then = 'ask' },\n";
        format!("[reviews]\nrules = [\n{}]\n", rule.repeat(rules))
    };
    assert_eq!(read(&text(MAX_PATTERNS / 2)).unwrap().rules.len(), MAX_PATTERNS / 2);
    let error = read(&text(MAX_PATTERNS / 2 + 1)).unwrap_err();
    let line = MAX_PATTERNS / 2 + 3;
    assert_eq!(
        error.to_string(),
        format!("/c.toml:{line}: the rules of this file have more than {MAX_PATTERNS} patterns")
    );
}

#[test]
fn the_settings_file_is_known_by_its_absolute_path() {
    let here = std::env::current_dir().unwrap();
    let file = tempfile::NamedTempFile::new_in(&here).unwrap();
    let name = Path::new(file.path().file_name().unwrap());
    assert_eq!(Settings::load(Some(name), &[]).unwrap().file.unwrap(), here.join(name));
}
