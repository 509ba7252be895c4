//! `languages.toml`: our server, and our name among those of each language. What is there already is edited
//! in place, what is new is written behind it, so that every other byte stays.

use std::fmt::Write as _;
use std::path::Path;

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, TableLike, Value};

use super::languages::{Language, TEXT};
use super::{SERVER, lists};

const SERVERS: &str = "language-servers";

/// What stands above what is new.
const WHY: &str = "# From `alongside install helix`; `alongside uninstall helix` takes it out again.";

/// Whether our server is in the file.
pub(super) fn has_ours(document: &DocumentMut) -> bool {
    document.get("language-server").and_then(|servers| servers.get(SERVER)).is_some()
}

/// The names of the languages in the file.
pub(super) fn languages_in(document: &DocumentMut) -> impl Iterator<Item = String> {
    let tables = tables(document).into_iter();
    tables.filter_map(|table| Some(table.get("name")?.as_str()?.to_owned()))
}

/// The names of the languages that start our server.
pub(super) fn languages_with_ours(document: &DocumentMut) -> Vec<String> {
    let starts_ours = |table: &&dyn TableLike| {
        let servers = table.get(SERVERS).and_then(Item::as_array);
        servers.is_some_and(|servers| servers.iter().any(is_ours))
    };
    let name = |table: &dyn TableLike| Some(table.get("name")?.as_str()?.to_owned());
    tables(document).into_iter().filter(starts_ours).filter_map(name).collect()
}

/// The programs of the file's servers, each with the server's name.
pub(super) fn programs(document: &DocumentMut) -> Vec<(String, String)> {
    let servers = document.get("language-server").and_then(Item::as_table_like);
    let servers = servers.into_iter().flat_map(TableLike::iter);
    let program = |server: &Item| Some(server.get("command")?.as_str()?.to_owned());
    servers.filter_map(|(name, server)| Some((program(server)?, name.to_owned()))).collect()
}

/// The text with alongside in it. `call` is how Helix starts this program.
///
/// # Errors
/// When the file's form does not let us.
pub(super) fn merged(
    text: &str,
    document: &DocumentMut,
    known: &[Language],
    call: &str,
) -> anyhow::Result<String> {
    let mut edited = document.clone();
    let servers_of = |name: &str| {
        let language = known.iter().find(|language| language.name == name);
        language.and_then(|language| language.servers.clone()).unwrap_or_default()
    };
    let mut changed = renewed(&mut edited, call);
    for table in tables_mut(&mut edited) {
        changed |= add_to(table, servers_of);
    }
    let there: Vec<String> = languages_in(document).collect();
    let mut new: Vec<(String, InlineTable)> = Vec::new();
    for Language { name, servers } in known.iter().filter(|language| !there.contains(&language.name)) {
        if let Some(servers) = servers {
            new.push((name.clone(), entry(name, servers)));
        }
    }
    if !there.iter().any(|name| name == TEXT) {
        let mut text = InlineTable::new();
        text.insert("name", TEXT.into());
        text.insert("scope", "text.plain".into());
        text.insert("file-types", Value::Array(Array::from_iter(["txt"])));
        text.extend(entry(TEXT, &[]).iter().filter(|(key, _)| *key == SERVERS));
        new.push((TEXT.into(), text));
    }

    let mut server = InlineTable::new();
    server.insert("command", call.into());
    server.insert("args", Value::Array(Array::from_iter(["lsp"])));
    let mut behind = String::new();
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
        _ => write!(behind, "\n{WHY}\n[language-server.{SERVER}]\n{}", lines(&server))?,
    }
    match edited.get_mut("language") {
        Some(Item::Value(Value::Array(languages))) if !new.is_empty() => {
            new.into_iter().for_each(|(_, language)| lists::push(languages, Value::InlineTable(language)));
            changed = true;
        }
        Some(Item::ArrayOfTables(_)) | None => {
            for (_, language) in &new {
                write!(behind, "\n[[language]]\n{}", lines(language))?;
            }
        }
        Some(Item::Value(Value::Array(_))) => {}
        Some(_) => anyhow::bail!("`language` in it is not a list"),
    }
    let mut merged = if changed { edited.to_string() } else { text.to_owned() };
    if !behind.is_empty() {
        if !merged.is_empty() && !merged.ends_with('\n') {
            merged.push('\n');
        }
        merged.push_str(if merged.is_empty() { behind.trim_start() } else { &behind });
    }
    let check: DocumentMut = merged.parse()?;
    anyhow::ensure!(has_ours(&check), "its form does not let a server be added");
    Ok(merged)
}

/// Calls our server anew if the program it was to be is gone; whether that was so.
fn renewed(document: &mut DocumentMut, call: &str) -> bool {
    let is_gone = |command: &str| Path::new(command).is_absolute() && !Path::new(command).exists();
    let servers = document.get_mut("language-server").and_then(Item::as_table_like_mut);
    let server = servers.and_then(|servers| servers.get_mut(SERVER)?.as_table_like_mut());
    let command = server.and_then(|server| server.get_mut("command")?.as_value_mut());
    let Some(command) = command.filter(|command| command.as_str().is_some_and(is_gone)) else {
        return false;
    };
    let decor = std::mem::take(command.decor_mut());
    *command = call.into();
    *command.decor_mut() = decor;
    true
}

/// Adds our name to the servers of a language that has a table; whether it was not there.
fn add_to(table: &mut dyn TableLike, servers_of: impl Fn(&str) -> Vec<String>) -> bool {
    let Some(name) = table.get("name").and_then(Item::as_str).map(str::to_owned) else {
        return false;
    };
    match table.get_mut(SERVERS).and_then(Item::as_array_mut) {
        Some(servers) if servers.iter().any(is_ours) => false,
        Some(servers) => {
            lists::push(servers, SERVER.into());
            true
        }
        None => {
            let servers = Array::from_iter(servers_of(&name).into_iter().chain([SERVER.to_owned()]));
            table.insert(SERVERS, Item::Value(Value::Array(servers)));
            true
        }
    }
}

/// The text without the tables that we have written behind everything else, as far as they are as we wrote
/// them. `after` is the text as we wrote it.
pub(super) fn without_ours(after: &str, now: &str) -> String {
    let Some((_, ours)) = after.split_once(WHY) else {
        return now.to_owned();
    };
    let mut tables = ours.split("\n\n");
    let first = tables.next().unwrap_or_default();
    let tables = std::iter::once(format!("{WHY}{first}")).chain(tables.map(str::to_owned));
    tables.fold(now.to_owned(), |text, table| {
        let table = table.trim_end();
        let stands_alone = |at: &usize| {
            let rest = &text[at + table.len()..];
            rest.trim().is_empty() || rest.starts_with("\n\n") || rest.starts_with("\n[")
        };
        match text.match_indices(table).map(|(at, _)| at).find(stands_alone) {
            None => text,
            Some(at) => {
                // With the empty line above it, and with the end of its last line.
                let before = text[..at].strip_suffix('\n').unwrap_or(&text[..at]);
                let rest = &text[at + table.len()..];
                format!("{before}{}", rest.strip_prefix('\n').unwrap_or(rest))
            }
        }
    })
}

/// Takes our server and our name out of `now`, and the tables that came with them. `before` and `after` are
/// the file before and after we wrote it.
pub(super) fn take_out(before: &DocumentMut, after: &DocumentMut, now: &mut DocumentMut) {
    let entry_in = |document: &DocumentMut, name: &str| {
        let tables = tables(document).into_iter();
        let mut named = tables.filter(|table| table.get("name").and_then(Item::as_str) == Some(name));
        named.next().map(plain)
    };
    // A table that is as we wrote it goes; the person may have added to others.
    let is_ours_alone = |table: &dyn TableLike| {
        let name = table.get("name").and_then(Item::as_str).unwrap_or_default();
        entry_in(before, name).is_none() && entry_in(after, name) == Some(plain(table))
    };
    match now.get_mut("language") {
        Some(Item::ArrayOfTables(languages)) => {
            let gone: Vec<usize> = (0..languages.len())
                .rev()
                .filter(|at| languages.get(*at).is_some_and(|table| is_ours_alone(table)))
                .collect();
            gone.into_iter().for_each(|at| drop(languages.remove(at)));
        }
        Some(Item::Value(Value::Array(languages))) => {
            lists::remove(languages, |value| {
                value.as_inline_table().is_some_and(|table| is_ours_alone(table))
            });
        }
        _ => {}
    }
    for table in tables_mut(now) {
        let name = table.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
        let Some(servers) = table.get_mut(SERVERS).and_then(Item::as_array_mut) else { continue };
        lists::remove(servers, is_ours);
        let servers = Item::Value(Value::Array(servers.clone()));
        // The list was Helix's own until we wrote it down, and is again, unless somebody has changed it.
        let had_none =
            entry_in(before, &name).is_none_or(|entry| entry.iter().all(|(key, _)| key != SERVERS));
        let written = entry_in(after, &name).into_iter().flatten().find(|(key, _)| key == SERVERS);
        let is_helix_own = written.is_some_and(|(_, written)| written == listed(&servers));
        if had_none && is_helix_own {
            table.remove(SERVERS);
        }
    }
    if now.get("language").and_then(Item::as_array_of_tables).is_some_and(ArrayOfTables::is_empty) {
        now.remove("language");
    }
    let had_servers = before.get("language-server").is_some();
    if let Some(servers) = now.get_mut("language-server").and_then(Item::as_table_like_mut) {
        servers.remove(SERVER);
        if servers.is_empty() && !had_servers {
            now.remove("language-server");
        }
    }
}

/// A table's keys and values without their form, and without our name among the servers.
fn plain(table: &dyn TableLike) -> Vec<(String, Vec<String>)> {
    let mut plain: Vec<_> = table.iter().map(|(key, item)| (key.to_owned(), listed(item))).collect();
    plain.sort();
    plain
}

/// The values of a list, or the one value, without our name.
fn listed(item: &Item) -> Vec<String> {
    let bare = |value: &Value| value.clone().decorated("", "").to_string();
    match item {
        Item::Value(Value::Array(values)) => {
            values.iter().filter(|value| !is_ours(value)).map(bare).collect()
        }
        Item::Value(value) => vec![bare(value)],
        other => vec![other.to_string()],
    }
}

fn is_ours(server: &Value) -> bool {
    let name = server.as_str().or_else(|| server.as_inline_table()?.get("name")?.as_str());
    name == Some(SERVER)
}

fn entry(name: &str, servers: &[String]) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert("name", name.into());
    let servers = servers.iter().map(String::as_str).chain([SERVER]);
    table.insert(SERVERS, Value::Array(Array::from_iter(servers)));
    table
}

fn lines(table: &InlineTable) -> String {
    table.iter().map(|(key, value)| format!("{key} = {}\n", value.to_string().trim())).collect()
}

/// The tables of languages, in either form.
fn tables(document: &DocumentMut) -> Vec<&dyn TableLike> {
    match document.get("language") {
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Some(Item::Value(Value::Array(values))) => {
            let tables = values.iter().filter_map(Value::as_inline_table);
            tables.map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

fn tables_mut(document: &mut DocumentMut) -> Vec<&mut dyn TableLike> {
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

#[cfg(test)]
mod tests;
