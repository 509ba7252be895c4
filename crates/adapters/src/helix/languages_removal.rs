//! Removes alongside from a `languages.toml` that was changed after the installation.

use toml_edit::{ArrayOfTables, DocumentMut, Item, TableLike, Value};

use super::languages_toml::{COMMENT, SERVERS, is_ours, tables, tables_mut};
use super::server_lookup::SERVER;
use super::toml_lists;

/// Returns the text `now` without the tables that we appended. A table that was changed stays. `after` is the
/// text that the installation wrote.
pub(super) fn without_our_tables(after: &str, now: &str) -> String {
    let Some((_, appended)) = after.split_once(COMMENT) else {
        return now.to_owned();
    };
    let mut parts = appended.split("\n\n");
    let first = parts.next().unwrap_or_default();
    let our_tables = std::iter::once(format!("{COMMENT}{first}")).chain(parts.map(str::to_owned));
    our_tables.fold(now.to_owned(), |text, table| {
        let table = table.trim_end();
        let is_whole_table = |at: &usize| {
            let rest = &text[at + table.len()..];
            rest.trim().is_empty() || rest.starts_with("\n\n") || rest.starts_with("\n[")
        };
        match text.match_indices(table).map(|(at, _)| at).find(is_whole_table) {
            None => text,
            Some(at) => {
                // The empty line above the table is removed, too.
                let before = text[..at].strip_suffix('\n').unwrap_or(&text[..at]);
                let rest = &text[at + table.len()..];
                format!("{before}{}", rest.strip_prefix('\n').unwrap_or(rest))
            }
        }
    })
}

/// Removes our server, its name in lists and the tables that we added from `now`. `before` and `after` are
/// the file before and after the installation.
pub(super) fn remove(before: &DocumentMut, after: &DocumentMut, now: &mut DocumentMut) {
    let language_in = |document: &DocumentMut, name: &str| {
        let all = tables(document).into_iter();
        let mut named = all.filter(|table| table.get("name").and_then(Item::as_str) == Some(name));
        named.next().map(normalised)
    };
    // Tables of ours that the person has changed stay.
    let is_added_and_unchanged = |table: &dyn TableLike| {
        let name = table.get("name").and_then(Item::as_str).unwrap_or_default();
        language_in(before, name).is_none() && language_in(after, name) == Some(normalised(table))
    };
    match now.get_mut("language") {
        Some(Item::ArrayOfTables(languages)) => {
            let removed: Vec<usize> = (0..languages.len())
                .rev()
                .filter(|at| languages.get(*at).is_some_and(|table| is_added_and_unchanged(table)))
                .collect();
            for index in removed {
                languages.remove(index);
            }
        }
        Some(Item::Value(Value::Array(languages))) => {
            toml_lists::remove(languages, |value| {
                value.as_inline_table().is_some_and(|table| is_added_and_unchanged(table))
            });
        }
        _ => {}
    }
    for table in tables_mut(now) {
        let name = table.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
        let Some(servers) = table.get_mut(SERVERS).and_then(Item::as_array_mut) else { continue };
        toml_lists::remove(servers, is_ours);
        let servers = Item::Value(Value::Array(servers.clone()));
        // We copied Helix's own list into the file. The list is removed unless it was changed.
        let had_none =
            language_in(before, &name).is_none_or(|entry| entry.iter().all(|(key, _)| key != SERVERS));
        let written = language_in(after, &name).into_iter().flatten().find(|(key, _)| key == SERVERS);
        let is_unchanged = written.is_some_and(|(_, written)| written == values_without_ours(&servers));
        if had_none && is_unchanged {
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

/// Returns the keys and values of a table, sorted, without formatting and without our server.
fn normalised(table: &dyn TableLike) -> Vec<(String, Vec<String>)> {
    let mut entries: Vec<_> =
        table.iter().map(|(key, item)| (key.to_owned(), values_without_ours(item))).collect();
    entries.sort();
    entries
}

/// Returns the values of a list without our server, or a single value.
fn values_without_ours(item: &Item) -> Vec<String> {
    let bare = |value: &Value| value.clone().decorated("", "").to_string();
    match item {
        Item::Value(Value::Array(values)) => {
            values.iter().filter(|value| !is_ours(value)).map(bare).collect()
        }
        Item::Value(value) => vec![bare(value)],
        other => vec![other.to_string()],
    }
}
