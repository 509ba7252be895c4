//! Kate: a server in the settings of its LSP client. Kate starts one server for each document, so our server
//! serves the languages for which Kate has none, and the languages that the person names.

use std::future::ready;
use std::path::{Path, PathBuf};

use alongside_common::failure::Hint as _;
use alongside_common::similar_name;
use alongside_desk::harmless;
use anyhow::Context as _;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};

use super::change;
use super::editor::{Editor, TerminalVariable};
use super::installation::{Installation, InstalledFile};
use super::plan::{AdapterState, Plan, Remainder};
use super::user_environment::UserEnvironment;

pub(super) const EDITOR: Editor = Editor {
    id: "kate",
    name: "Kate",
    commands: &["kate"],
    process_prefix: None,
    terminal: TerminalVariable::Own("KATE_PID"),
    // The first release whose LSP client reads `useWorkspace`.
    oldest: "22.08",
    restart: "Restart Kate with a file of your project",
    state: |_, user, installed| state(user, installed),
    plan: |request| Box::pin(ready(plan(request.user, request.languages))),
    remove: remove_adapter,
    package_of: None,
    missing_program: |_| None,
    own_directory: None,
    directories_made_by_queries: None,
    extensions: None,
};

/// The name of our server. It sorts last, so that every language with another server keeps that server.
const SERVER: &str = "~alongside";

/// The language that our server serves by default. Markdown is not code, and few people have its
/// usual server.
const LANGUAGE: &str = "markdown";

/// The languages for which Kate 26.08 has a server. Later releases may have more.
#[rustfmt::skip]
const SERVED_BY_KATE: [&str; 61] = [
    "ada", "bash", "bibtex", "blueprint", "c", "clojure", "cmake", "css", "cpp", "c-sharp", "d", "dart",
    "debputy", "docker", "elm", "fish", "fortran", "fsharp", "glsl", "go", "godot", "haskell", "html", "java",
    "javascript", "javascriptreact", "json", "jsonc", "julia", "kotlin", "latex", "less", "lua", "markdown",
    "nix", "nim", "ocaml", "openscad", "perl", "php", "purescript", "python", "qml", "r", "racket", "rpmspec",
    "rst", "ruby", "rust", "scala", "scss", "terraform", "typescript", "typescriptreact", "typst", "vala",
    "vhdl", "vue", "xml", "yaml", "zig",
];

fn settings_file(user: &UserEnvironment) -> PathBuf {
    user.directory("XDG_CONFIG_HOME", ".config").join("kate/lspclient/settings.json")
}

fn state(user: &UserEnvironment, installed: Option<&Installation>) -> anyhow::Result<AdapterState> {
    let path = settings_file(user);
    let text = change::read(&path)?.unwrap_or_default();
    let root = parse(&path, &text)?.root;
    let servers = root.object_value().and_then(|root| property(&root, "servers")?.object_value());
    if servers.is_none_or(|servers| property(&servers, SERVER).is_none()) {
        return Ok(AdapterState::NotInstalled);
    }
    Ok(AdapterState::of_part(path, installed))
}

/// Returns the changes that make Kate start alongside for languages without a server, for Markdown, and for
/// `more`.
///
/// # Errors
/// When Kate's settings are not valid.
fn plan(user: &UserEnvironment, more: &[String]) -> anyhow::Result<Plan> {
    let path = settings_file(user);
    let before = change::read(&path)?;
    let Settings { bom, root } = parse(&path, before.as_deref().unwrap_or_default())?;
    let more: Vec<String> = more.iter().map(|name| name.to_lowercase()).collect();
    let mut plan = Plan::default();
    for name in more.iter().filter(|name| !is_served(&root, name)) {
        let shown = harmless::name(name);
        if let Some(meant) = meant(name) {
            return Err(anyhow::anyhow!("Kate has no language {shown:?}"))
                .hint(format!("did you mean `--language {meant}`?"));
        }
        plan.notes.push(format!(
            "Kate 26.08 has no server for {shown:?}: alongside serves it anyway, if Kate has such a language."
        ));
    }
    if has_other_server(&root, LANGUAGE) && !more.iter().any(|name| name == LANGUAGE) {
        plan.notes.push("Markdown keeps the server that your settings name for it.".into());
    }
    // The command is a path: a Kate that a desktop starts has a short PATH.
    add(&root, &user.program, &more)
        .with_context(|| format!("cannot change {}", path.display()))
        .hint("add the server by hand, as the page editors/kate of alongside shows")?;
    plan.change_person_file(path, before, ended(format!("{bom}{root}")));
    if more.is_empty() {
        let note =
            "Kate has one server for a document: `--language NAME` gives a language's place to alongside.";
        plan.notes.push(note.into());
    }
    Ok(plan)
}

/// Whether a language has a server, by Kate's defaults or in the person's settings.
fn is_served(root: &CstRootNode, name: &str) -> bool {
    SERVED_BY_KATE.contains(&name) || has_other_server(root, name)
}

/// Whether the settings give a language to another server.
fn has_other_server(root: &CstRootNode, name: &str) -> bool {
    let servers = root.object_value().and_then(|root| property(&root, "servers")?.object_value());
    let server = servers.and_then(|servers| property(&servers, name)?.object_value());
    server.is_some_and(|server| uses(&server).as_deref() != Some(SERVER))
}

/// Returns the value of `use` of a language: the name of another server.
fn uses(language: &CstObject) -> Option<String> {
    property(language, "use")?.value()?.as_string_lit()?.decoded_value().ok()
}

/// Returns the language that a person probably meant.
fn meant(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("python"),
        "c++" => Some("cpp"),
        "c#" => Some("c-sharp"),
        _ => similar_name::nearest(name, SERVED_BY_KATE),
    }
}

/// Kate's settings as a syntax tree, in which values can be changed.
struct Settings {
    /// The byte-order mark, or nothing. Kate accepts both.
    bom: &'static str,
    root: CstRootNode,
}

fn parse(path: &Path, text: &str) -> anyhow::Result<Settings> {
    const BOM: &str = "\u{feff}";
    let (bom, text) = text.strip_prefix(BOM).map_or(("", text), |text| (BOM, text));
    let text = if text.trim().is_empty() { "{}" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default())
        .with_context(|| format!("cannot read {}", path.display()))
        .hint("correct it in Kate: Settings → Configure Kate → LSP Client → User Server Settings")?;
    Ok(Settings { bom, root })
}

/// Returns the last property of the name `key`. Where a name occurs more than once, Kate reads the last.
fn property(object: &CstObject, key: &str) -> Option<CstObjectProp> {
    object.properties().into_iter().rfind(|property| property.decoded_name().as_deref() == Some(key))
}

/// Adds our server, and gives it Markdown, if that has no server yet, and the languages in `more`.
fn add(root: &CstRootNode, command: &str, more: &[String]) -> anyhow::Result<()> {
    let object = root.object_value_or_create().context("it is not a JSON object")?;
    if property(&object, "servers").is_none() {
        object.append("servers", CstInputValue::Object(Vec::new()));
    }
    let servers = property(&object, "servers").and_then(|servers| servers.object_value());
    let servers = servers.context("\"servers\" in it should be an object, and is not")?;
    let text = |text: &str| CstInputValue::String(text.into());
    let server = CstInputValue::Object(vec![
        ("command".into(), CstInputValue::Array(vec![text(command), text("lsp")])),
        ("rootIndicationFileNames".into(), CstInputValue::Array(vec![text(".git")])),
        ("useWorkspace".into(), CstInputValue::Bool(true)),
        ("highlightingModeRegex".into(), text(".*")),
    ]);
    set(&servers, SERVER, server);
    let use_ours = || CstInputValue::Object(vec![("use".into(), text(SERVER))]);
    if property(&servers, LANGUAGE).is_none() {
        set(&servers, LANGUAGE, use_ours());
    }
    for language in more {
        set(&servers, language, use_ours());
    }
    Ok(())
}

fn set(object: &CstObject, key: &str, value: CstInputValue) {
    match property(object, key) {
        Some(property) => property.set_value(value),
        None => drop(object.append(key, value)),
    }
}

fn ended(text: String) -> String {
    if text.ends_with('\n') { text } else { text + "\n" }
}

/// Returns the settings `now` without our server, and without the languages that use it.
///
/// # Errors
/// When the settings are not valid.
fn remove_adapter(file: &InstalledFile, now: &str) -> anyhow::Result<Remainder> {
    let Settings { bom, root } = parse(&file.path, now)?;
    let Some(object) = root.object_value() else { return Ok(Remainder::Text(now.to_owned())) };
    // All properties of the name `servers`: Kate itself ignores all but the last.
    for list in object.properties() {
        let is_list = list.decoded_name().as_deref() == Some("servers");
        let Some(servers) = list.object_value().filter(|_| is_list) else { continue };
        for server in servers.properties() {
            let uses = server.object_value().and_then(|language| uses(&language));
            if server.decoded_name().as_deref() == Some(SERVER) || uses.as_deref() == Some(SERVER) {
                server.remove();
            }
        }
        if servers.properties().is_empty() {
            list.remove();
        }
    }
    let is_empty = object.properties().is_empty();
    let rest = || Remainder::Text(format!("{bom}{root}"));
    Ok(if is_empty && file.before.is_none() { Remainder::Nothing } else { rest() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str, more: &[&str]) -> String {
        let Settings { bom, root } = parse(Path::new("settings.json"), text).unwrap();
        let more: Vec<String> = more.iter().map(|name| (*name).to_owned()).collect();
        add(&root, "alongside", &more).unwrap();
        ended(format!("{bom}{root}"))
    }

    fn removed(before: Option<&str>, after: &str, now: &str) -> Remainder {
        let (path, before, after) = ("settings.json".into(), before.map(str::to_owned), after.to_owned());
        remove_adapter(&InstalledFile { path, before, after, in_project: false }, now).unwrap()
    }

    #[test]
    fn new_settings_have_our_server_for_markdown() {
        let text = added("", &[]);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["servers"][SERVER]["command"], serde_json::json!(["alongside", "lsp"]));
        assert_eq!(value["servers"]["markdown"]["use"], SERVER);
        assert_eq!(added(&text, &[]), text);
        assert_eq!(removed(None, &text, &text), Remainder::Nothing);
    }

    #[test]
    fn servers_of_the_person_stay() {
        let mine = "{\n    \"servers\": {\n        \"markdown\": { \"use\": \"mine\" }\n    }\n}\n";
        let text = added(mine, &["python"]);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["servers"]["markdown"]["use"], "mine");
        assert_eq!(value["servers"]["python"]["use"], SERVER);
        let later = text.replace("\"mine\"", "\"other\"");
        let rest = Remainder::Text(mine.replace("\"mine\"", "\"other\""));
        assert_eq!(removed(Some(mine), &text, &later), rest);
        assert!(parse(Path::new("settings.json"), "{").is_err());
    }

    #[test]
    fn kate_reads_the_last_of_two_keys_and_a_byte_order_mark() {
        let persons =
            "\u{feff}{\"servers\": {\"markdown\": {\"use\": \"~alongside\"}}, \"servers\": {\"x\": {}}}\n";
        let text = added(persons, &[]);
        let json = text.strip_prefix('\u{feff}').unwrap();
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(value["servers"][SERVER]["command"], serde_json::json!(["alongside", "lsp"]));
        assert_eq!(value["servers"]["markdown"]["use"], SERVER);
        assert_eq!(added(&text, &[]), text);
        let later = text.replace("\"x\"", "\"y\"");
        let Remainder::Text(rest) = removed(Some(persons), &text, &later) else { panic!("{later}") };
        assert!(rest.starts_with('\u{feff}') && rest.contains("\"y\"") && !rest.contains(SERVER), "{rest}");
    }
}
