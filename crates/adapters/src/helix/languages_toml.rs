//! `languages.toml`: adds our server to the file and to each language. Existing tables are edited in place,
//! and new tables are appended, so that every other byte stays.

use std::fmt::Write as _;
use std::path::Path;

use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value};

use super::server_lookup::{Language, SERVER, TEXT};
use super::toml_lists;

/// The key of the list of servers in a language.
pub(super) const SERVERS: &str = "language-servers";

/// The comment above our tables, by which an uninstallation finds them.
pub(super) const COMMENT: &str =
    "# From `alongside install helix`; `alongside uninstall helix` takes it out again.";

/// Whether our server is in the file.
pub(super) fn has_ours(document: &DocumentMut) -> bool {
    document.get("language-server").and_then(|servers| servers.get(SERVER)).is_some()
}

/// Returns the names of the languages in the file.
pub(super) fn languages_in(document: &DocumentMut) -> impl Iterator<Item = String> {
    let tables = tables(document).into_iter();
    tables.filter_map(|table| Some(table.get("name")?.as_str()?.to_owned()))
}

/// Returns the names of the languages that start our server.
pub(super) fn languages_with_ours(document: &DocumentMut) -> Vec<String> {
    let starts_ours = |table: &&dyn TableLike| {
        let servers = table.get(SERVERS).and_then(Item::as_array);
        servers.is_some_and(|servers| servers.iter().any(is_ours))
    };
    let name = |table: &dyn TableLike| Some(table.get("name")?.as_str()?.to_owned());
    tables(document).into_iter().filter(starts_ours).filter_map(name).collect()
}

/// Returns the programs of the file's servers, each with the server's name.
pub(super) fn programs(document: &DocumentMut) -> Vec<(String, String)> {
    let servers = document.get("language-server").and_then(Item::as_table_like);
    let servers = servers.into_iter().flat_map(TableLike::iter);
    let program = |server: &Item| Some(server.get("command")?.as_str()?.to_owned());
    servers.filter_map(|(name, server)| Some((program(server)?, name.to_owned()))).collect()
}

/// Returns the text with our server, added to the languages in the file and to those in `known`. `command`
/// starts this program.
///
/// # Errors
/// When `language` is not a list, or a server cannot be added to the file in its form.
pub(super) fn merge(
    text: &str,
    document: &DocumentMut,
    known: &[Language],
    command: &str,
) -> anyhow::Result<String> {
    let mut edited = document.clone();
    let servers_of = |name: &str| {
        let language = known.iter().find(|language| language.name == name);
        language.and_then(|language| language.servers.clone()).unwrap_or_default()
    };
    let mut changed = update_command(&mut edited, command);
    for table in tables_mut(&mut edited) {
        changed |= add_server(table, servers_of);
    }
    let existing: Vec<String> = languages_in(document).collect();
    let mut new: Vec<(String, InlineTable)> = Vec::new();
    for Language { name, servers } in known.iter().filter(|language| !existing.contains(&language.name)) {
        if let Some(servers) = servers {
            new.push((name.clone(), entry(name, servers)));
        }
    }
    if !existing.iter().any(|name| name == TEXT) {
        let mut text = InlineTable::new();
        text.insert("name", TEXT.into());
        text.insert("scope", "text.plain".into());
        text.insert("file-types", Value::Array(Array::from_iter(["txt"])));
        text.extend(entry(TEXT, &[]).iter().filter(|(key, _)| *key == SERVERS));
        new.push((TEXT.into(), text));
    }

    let mut server = InlineTable::new();
    server.insert("command", command.into());
    server.insert("args", Value::Array(Array::from_iter(["lsp"])));
    let mut appended = String::new();
    match edited.get_mut("language-server") {
        Some(servers) if servers.get(SERVER).is_some() => {}
        Some(Item::Value(Value::InlineTable(servers))) => {
            let last = servers.iter_mut().last().map(|(_, last)| std::mem::take(last.decor_mut()));
            let (prefix, suffix) =
                last.as_ref().map_or((None, None), |decor| (decor.prefix(), decor.suffix()));
            if let Some((_, last)) = servers.iter_mut().last() {
                last.decor_mut().set_prefix(prefix.cloned().unwrap_or_else(|| " ".into()));
            }
            let mut server = Value::InlineTable(server);
            server.decor_mut().set_prefix(" ");
            server.decor_mut().set_suffix(suffix.cloned().unwrap_or_else(|| " ".into()));
            servers.insert(SERVER, server);
            changed = true;
        }
        _ => write!(appended, "\n{COMMENT}\n[language-server.{SERVER}]\n{}", lines(&server))?,
    }
    match edited.get_mut("language") {
        Some(Item::Value(Value::Array(languages))) if !new.is_empty() => {
            for (_, language) in new {
                toml_lists::push(languages, Value::InlineTable(language));
            }
            changed = true;
        }
        Some(Item::ArrayOfTables(_)) | None => {
            for (_, language) in &new {
                write!(appended, "\n[[language]]\n{}", lines(language))?;
            }
        }
        Some(Item::Value(Value::Array(_))) => {}
        Some(_) => anyhow::bail!("`language` in it is not a list"),
    }
    let mut merged = if changed { edited.to_string() } else { text.to_owned() };
    if !appended.is_empty() {
        if !merged.is_empty() && !merged.ends_with('\n') {
            merged.push('\n');
        }
        merged.push_str(if merged.is_empty() { appended.trim_start() } else { &appended });
    }
    let parsed: DocumentMut = merged.parse()?;
    anyhow::ensure!(has_ours(&parsed), "its form does not let a server be added");
    Ok(merged)
}

/// Replaces the command of our server by `new` if the program of the command is gone. Returns whether the
/// document has changed.
fn update_command(document: &mut DocumentMut, new: &str) -> bool {
    let is_gone = |command: &str| Path::new(command).is_absolute() && !Path::new(command).exists();
    let servers = document.get_mut("language-server").and_then(Item::as_table_like_mut);
    let server = servers.and_then(|servers| servers.get_mut(SERVER)?.as_table_like_mut());
    let command = server.and_then(|server| server.get_mut("command")?.as_value_mut());
    let Some(command) = command.filter(|command| command.as_str().is_some_and(is_gone)) else {
        return false;
    };
    let decor = std::mem::take(command.decor_mut());
    *command = new.into();
    *command.decor_mut() = decor;
    true
}

/// Adds our server to the list of a language. Returns whether the document has changed.
fn add_server(table: &mut dyn TableLike, servers_of: impl Fn(&str) -> Vec<String>) -> bool {
    let Some(name) = table.get("name").and_then(Item::as_str).map(str::to_owned) else {
        return false;
    };
    match table.get_mut(SERVERS).and_then(Item::as_array_mut) {
        Some(servers) if servers.iter().any(is_ours) => false,
        Some(servers) => {
            toml_lists::push(servers, SERVER.into());
            true
        }
        None => {
            let servers = Array::from_iter(servers_of(&name).into_iter().chain([SERVER.to_owned()]));
            table.insert(SERVERS, Item::Value(Value::Array(servers)));
            true
        }
    }
}

/// Whether an entry of a list of servers names our server.
pub(super) fn is_ours(server: &Value) -> bool {
    let name = server.as_str().or_else(|| server.as_inline_table()?.get("name")?.as_str());
    name == Some(SERVER)
}

/// Returns the table of a language with these servers and ours.
fn entry(name: &str, servers: &[String]) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert("name", name.into());
    let servers = servers.iter().map(String::as_str).chain([SERVER]);
    table.insert(SERVERS, Value::Array(Array::from_iter(servers)));
    table
}

/// Returns the entries of a table, one on each line.
fn lines(table: &InlineTable) -> String {
    table.iter().map(|(key, value)| format!("{key} = {}\n", value.to_string().trim())).collect()
}

/// Returns the tables of languages, whether the file has them as `[[language]]` or as an inline list.
pub(super) fn tables(document: &DocumentMut) -> Vec<&dyn TableLike> {
    match document.get("language") {
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Some(Item::Value(Value::Array(values))) => {
            let tables = values.iter().filter_map(Value::as_inline_table);
            tables.map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// As [`tables`], to be changed.
pub(super) fn tables_mut(document: &mut DocumentMut) -> Vec<&mut dyn TableLike> {
    match document.get_mut("language") {
        Some(Item::ArrayOfTables(tables)) => {
            tables.iter_mut().map(|table| table as &mut dyn TableLike).collect()
        }
        Some(Item::Value(Value::Array(values))) => {
            let tables = values.iter_mut().filter_map(Value::as_inline_table_mut);
            tables.map(|table| table as &mut dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}
