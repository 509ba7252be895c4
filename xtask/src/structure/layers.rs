//! Checks the code map of ARCHITECTURE.md: dependencies between our crates point down only, only one of them
//! asks which system it runs on, and each can be packed alone.

use std::process::Command;

use crate::rust_sources::files_below;
use alongside_testing::chores::checkout;

/// Every crate with those of ours on which it may depend, each without `alongside-`.
const MAY_KNOW: &[(&str, &str)] = &[
    ("alongside-platform", ""),
    ("alongside-editors", ""),
    ("alongside-contract", "platform"),
    ("alongside-desk", "contract platform"),
    ("alongside-hook", "desk contract platform"),
    ("alongside-agent", "contract platform"),
    ("alongside-conformance", "agent contract platform"),
    ("alongside-companion", "desk contract platform"),
    ("alongside-presentation", "desk contract platform"),
    ("alongside-lsp", "presentation desk contract platform"),
    ("alongside-terminal", "desk contract platform"),
    ("alongside-common", "companion desk contract platform"),
    ("alongside-turns", "common companion contract desk platform"),
    ("alongside-adapters", "agent common companion contract desk editors platform"),
    ("alongside-host", "agent common companion contract desk lsp platform presentation turns"),
    (
        "alongside",
        "adapters agent common companion conformance contract desk editors hook host lsp platform \
         presentation terminal turns",
    ),
];

/// Returns all crates that one of ours is built of, but for its tests.
fn tree(package: &str) -> Vec<String> {
    let args = "tree --offline --edges normal --prefix none --format {p} --package".split(' ');
    let output = Command::new(env!("CARGO")).args(args).arg(package).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn dependencies_between_our_crates_point_down() {
    for (package, known) in MAY_KNOW {
        let known: Vec<_> = known.split(' ').map(|name| format!("alongside-{name}")).collect();
        let ours = tree(package).into_iter().filter(|name| name.starts_with("alongside") && name != package);
        let unknown: Vec<_> = ours.filter(|name| !known.contains(name)).collect();
        assert!(unknown.is_empty(), "{package} must not know {unknown:?}");
    }
}

#[test]
fn terminal_links_no_review_logic_and_companion_no_highlighter() {
    let desk = tree("alongside-terminal");
    assert!(desk.iter().any(|name| name == "ratatui-core"), "the tree was not read: {desk:?}");
    for comparing in ["similar", "axum"] {
        assert!(!desk.iter().any(|name| name == comparing), "the terminal desk links {comparing}");
    }
    let companion = tree("alongside-companion");
    assert!(companion.iter().any(|name| name == "similar"), "the tree was not read: {companion:?}");
    for drawing in ["syntect", "two-face", "ratatui-core", "crossterm"] {
        assert!(!companion.iter().any(|name| name == drawing), "the companion links {drawing}");
    }
}

/// Returns the lines of the program itself that ask for the platform: what follows the first test of a file
/// is for tests.
fn asks_for_the_platform(text: &str) -> Vec<&str> {
    /// Words that are ordinary outside a condition.
    const WORDS: [&str; 4] = ["windows", "unix", "target_os", "target_family"];
    const CALLS: [&str; 4] = ["std::os::", "rustix::", "procfs::", "\"/proc/"];
    let is_test = |line: &str| line.trim_start().starts_with("#[cfg(") && line.contains("test");
    let is_cfg = |line: &str| line.contains("cfg(") || line.contains("cfg!(") || line.contains("cfg_attr(");
    text.lines()
        .take_while(|line| !is_test(line))
        .filter(|line| !line.trim_start().starts_with("//"))
        .filter(|line| {
            CALLS.iter().any(|call| line.contains(call))
                || (is_cfg(line) && WORDS.iter().any(|word| line.contains(word)))
        })
        .collect()
}

#[test]
fn only_one_crate_asks_which_system_it_runs_on() {
    let crates = checkout().join("crates");
    let (mut looked_at, mut asking) = (0, Vec::new());
    for path in std::fs::read_dir(crates).expect("the crates are there").flatten().map(|entry| entry.path()) {
        let platform = path.ends_with("platform");
        for file in files_below(&path.join("src")) {
            let is_test =
                file.ends_with("tests.rs") || file.components().any(|part| part.as_os_str() == "tests");
            if platform || is_test {
                continue;
            }
            looked_at += 1;
            let text = std::fs::read_to_string(&file).expect("a source that can be read");
            for line in asks_for_the_platform(&text) {
                asking.push(format!("{}: {}", file.display(), line.trim()));
            }
        }
    }
    assert!(looked_at > 100, "only {looked_at} files were looked at");
    assert!(asking.is_empty(), "ask crates/platform instead:\n{}", asking.join("\n"));
}

#[test]
fn a_question_for_the_platform_is_seen_and_a_test_of_one_is_not() {
    for line in [
        "    #[cfg(unix)]",
        "let names = if cfg!(windows) { 1 } else { 2 };",
        "#[cfg(all(feature = \"x\", target_os = \"linux\"))]",
        "#[cfg_attr(not(unix), expect(dead_code))]",
        "use std::os::unix::fs::MetadataExt;",
        "rustix::process::setsid();",
    ] {
        assert_eq!(asks_for_the_platform(line), [line]);
    }
    let text =
        "// cfg(unix)\nlet windows = open();\n#[cfg(all(test, unix))]\nmod tests { use std::os::unix; }";
    assert!(asks_for_the_platform(text).is_empty());
}

/// Returns the lines of a file that read a file from above its own package in, but for those of its tests.
fn embeds_from_above(text: &str, folders_down: usize) -> Vec<&str> {
    let is_test = |line: &str| line.trim_start().starts_with("#[cfg(") && line.contains("test");
    let lines = text.lines().take_while(|line| !is_test(line));
    lines.filter(|line| line.contains("include") && line.matches("../").count() > folders_down).collect()
}

/// A package of cargo holds no file from above its directory, and would not compile.
#[test]
fn no_package_embeds_a_file_from_above_it() {
    let crates = std::fs::read_dir(checkout().join("crates")).expect("the crates are there").flatten();
    let packages = crates.map(|entry| entry.path()).chain([checkout().join("editors")]);
    let (mut looked_at, mut embedding) = (0, Vec::new());
    for package in packages {
        for file in files_below(&package.join("src")) {
            looked_at += 1;
            let folders_down = file.strip_prefix(&package).expect("it lies there").components().count() - 1;
            let text = std::fs::read_to_string(&file).expect("a source that can be read");
            for line in embeds_from_above(&text, folders_down) {
                embedding.push(format!("{}: {}", file.display(), line.trim()));
            }
        }
    }
    assert!(looked_at > 100, "only {looked_at} files were looked at");
    assert!(embedding.is_empty(), "editors/ is a package, too:\n{}", embedding.join("\n"));
}

#[test]
fn an_embedded_file_from_above_the_package_is_seen() {
    let line = "const LISP: &str = include_str!(\"../../editors/alongside.el\");";
    assert_eq!(embeds_from_above(line, 1), [line]);
    assert!(embeds_from_above(line, 2).is_empty());
    assert!(embeds_from_above(&format!("#[cfg(test)]\n{line}"), 1).is_empty());
}
