//! Tests of `languages.toml`: files as people write them, with alongside added and removed.

use toml_edit::{DocumentMut, Item};

use super::languages_removal::{remove, without_our_tables};
use super::languages_toml::{SERVERS, has_ours, merge as merge_document, tables};
use super::server_lookup::Language;

fn parsed(text: &str) -> DocumentMut {
    text.parse().unwrap()
}

fn known() -> Vec<Language> {
    let language = |name: &str, servers: Option<&[&str]>| Language {
        name: name.into(),
        servers: servers.map(|servers| servers.iter().map(|server| (*server).to_owned()).collect()),
    };
    vec![
        language("ini", Some(&[])),
        language("nonsense", None),
        language("python", Some(&["ruff", "pylsp"])),
        language("rust", Some(&["rust-analyzer"])),
    ]
}

fn merge(text: &str) -> String {
    merge_document(text, &parsed(text), &known(), "alongside").unwrap()
}

/// Returns the servers of the language `name` in the file `text`.
fn servers(text: &str, name: &str) -> Vec<String> {
    let document = parsed(text);
    let tables = tables(&document).into_iter();
    let mut named = tables.filter(|table| table.get("name").and_then(Item::as_str) == Some(name));
    let list = named.next().unwrap().get(SERVERS).unwrap().as_array().unwrap().clone();
    assert!(named.next().is_none(), "{name} is there once");
    list.iter().map(|server| server.as_str().unwrap_or("(table)").to_owned()).collect()
}

#[test]
fn without_a_file_each_language_gets_its_servers_and_ours() {
    let text = merge("");
    assert_eq!(servers(&text, "rust"), ["rust-analyzer", "alongside"]);
    assert_eq!(servers(&text, "python"), ["ruff", "pylsp", "alongside"]);
    assert_eq!(servers(&text, "ini"), ["alongside"]);
    assert_eq!(servers(&text, "text"), ["alongside"]);
    assert!(!text.contains("nonsense"), "a language that this Helix does not know would be an error");
    assert!(text.starts_with("# From `alongside install helix`"), "{text}");
    assert!(
        text.contains("[language-server.alongside]\ncommand = \"alongside\"\nargs = [\"lsp\"]\n"),
        "{text}"
    );
    assert_eq!(merge(&text), text, "a second merge changes nothing");
}

/// A file as people write it: with comments, unusual formatting, a server of their own, and a server with
/// conditions.
const THEIRS: &str = r#"# my languages
use-grammars = { only = ["rust"] } # few

[language-server.rust-analyzer.config]
check.command = "clippy"

[[language]]
name = "rust"       # the best one
auto-format   = true

[[language]]
name = "python"
language-servers = [
  "pylsp", # slow
  { name = "ruff", except-features = ["hover"] }
]

[[language]]
name = "mine"
scope = "source.mine"
file-types = ["mine"]
# nothing for it
"#;

#[test]
fn existing_entries_keep_comments_order_and_form() {
    let text = merge(THEIRS);
    assert_eq!(servers(&text, "rust"), ["rust-analyzer", "alongside"]);
    assert_eq!(servers(&text, "python"), ["pylsp", "(table)", "alongside"]);
    assert_eq!(servers(&text, "mine"), ["alongside"]);
    assert_eq!(merge(&text), text);
    // All lines stay in their order, except for the commas that a longer list needs.
    let mut rest = text.lines();
    for line in THEIRS.lines() {
        assert!(rest.any(|other| other.trim_end_matches(',') == line), "{line:?} is gone or moved:\n{text}");
    }
}

#[test]
fn inline_lists_stay_inline() {
    let text = "language-server.x = { command = \"x\" }\n\
                language = [{ name = \"rust\", language-servers = [\"x\"] }]\n";
    let merged = merge(text);
    assert!(merged.contains("language-servers = [\"x\", \"alongside\"]"), "{merged}");
    assert_eq!(servers(&merged, "python"), ["ruff", "pylsp", "alongside"]);
    assert!(has_ours(&parsed(&merged)));
    assert_eq!(merge(&merged), merged);
    let inline = merge("language-server = { x = { command = \"x\" } }\n");
    assert!(inline.contains("x = { command = \"x\" }, alongside = {"), "{inline}");
}

#[test]
fn removal_from_a_changed_file_keeps_the_persons_entries() {
    let after = merge(THEIRS);
    let changed =
        after.replace("\"rust-analyzer\", \"alongside\"", "\"rust-analyzer\", \"typos\", \"alongside\"");
    let changed = format!(
        "{changed}\n[[language]]\nname = \"go\" # new\nlanguage-servers = [\"gopls\", \"alongside\"]\n"
    );
    let mut now = parsed(&without_our_tables(&after, &changed));
    remove(&parsed(THEIRS), &parsed(&after), &mut now);
    let rest = now.to_string();
    assert!(!rest.contains("alongside"), "{rest}");
    assert_eq!(servers(&rest, "rust"), ["rust-analyzer", "typos"]);
    assert_eq!(servers(&rest, "python"), ["pylsp", "(table)"]);
    assert_eq!(servers(&rest, "go"), ["gopls"]);
    for line in
        ["# my languages", "name = \"rust\"       # the best one", "  \"pylsp\", # slow", "# nothing for it"]
    {
        assert!(rest.contains(line), "{line:?} is gone:\n{rest}");
    }
    assert!(!rest.contains("ini") && !rest.contains("text.plain"), "{rest}");
    let mine =
        tables(&now).into_iter().find(|table| table.get("name").and_then(Item::as_str) == Some("mine"));
    assert!(mine.unwrap().get(SERVERS).is_none(), "{rest}");
}
