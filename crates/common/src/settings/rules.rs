//! The rules in settings, which decide which changes need no decision of a person.

use std::path::Path;

use alongside_companion::{Rule, Ruling, check_pattern};
use alongside_contract::agents::AGENTS;
use alongside_desk::ChangeKind;

use super::reader::{Entry, Item, Mistake, Table};
use crate::similar_name::nearest;

/// The name of the section for people.
const SECTION: &str = "reviews.rules";
/// The keys of a rule.
const KEYS: &[&str] = &["agent", "kind", "path", "then"];

/// The largest number of patterns in the rules of one file. Each takes time, and a project's file may come
/// from any person.
pub(super) const MAX_PATTERNS: usize = 500;

/// Parses the rules of a person. `source`: the path and the text of the file.
pub(super) fn read(entry: &Entry<'_>, source: (&Path, &str)) -> Result<Vec<Rule>, Mistake> {
    let mut left = MAX_PATTERNS;
    entry.tables(SECTION, KEYS)?.iter().map(|table| rule(table, source, &mut left)).collect()
}

/// Parses the rules of a project, which may come from any person.
pub(super) fn read_of_project(entry: &Entry<'_>, source: (&Path, &str)) -> Result<Vec<Rule>, Mistake> {
    let mut left = MAX_PATTERNS;
    let asking = |table: &Table<'_>| {
        let rule = rule(table, source, &mut left)?;
        match rule.ruling {
            Ruling::Ask => Ok(rule),
            Ruling::Accept | Ruling::Defer => Err(table.mistake(format!(
                "a project may only ask, and this rule says {:?}; put it into your own config.toml",
                rule.ruling.word()
            ))),
        }
    };
    entry.tables(SECTION, KEYS)?.iter().map(asking).collect()
}

/// Parses one rule. `left`: the number of patterns that the file may still have.
fn rule(table: &Table<'_>, (file, text): (&Path, &str), left: &mut usize) -> Result<Rule, Mistake> {
    let missing = |key: &str, example: &str| {
        table.mistake(format!("a rule needs the key {key:?}, such as {key} = {example:?}"))
    };
    let then = table.get("then").ok_or_else(|| missing("then", "ask"))?;
    let ruling = one_of(&then.one_text()?, &Ruling::ALL, Ruling::word, "a rule's word")?;
    let mut paths = Vec::new();
    for glob in table.get("path").ok_or_else(|| missing("path", "docs/**"))?.text_or_texts()? {
        let too_many =
            || glob.mistake(format!("the rules of this file have more than {MAX_PATTERNS} patterns"));
        *left = left.checked_sub(1).ok_or_else(too_many)?;
        if names_no_project(&glob.text) {
            return Err(glob.mistake(format!(
                "{:?} is an absolute path, and would match nothing: a pattern is relative to the project",
                glob.text
            )));
        }
        check_pattern(&glob.text)
            .map_err(|bad| glob.mistake(format!("{:?} is no pattern: {}", glob.text, bad.why)))?;
        paths.push(glob.text);
    }
    if paths.is_empty() {
        return Err(missing("path", "docs/**"));
    }
    let mut agents = Vec::new();
    for agent in list(table, "agent")? {
        let row = one_of(&agent, &AGENTS.iter().collect::<Vec<_>>(), |row| row.id, "an agent")?;
        agents.push(row.display_name.to_owned());
    }
    let mut kinds = Vec::new();
    for kind in list(table, "kind")? {
        kinds.push(one_of(&kind, &ChangeKind::ALL, ChangeKind::word, "a kind of change")?);
    }
    let place = format!("{}:{}", file.display(), table.line(text));
    Ok(Rule { paths, agents, kinds, ruling, place })
}

/// Whether a pattern is an absolute path on this machine, instead of a path in a project. A slash at its
/// beginning means the top of the project, so the function checks whether its first two parts exist. Reads
/// the disk.
fn names_no_project(glob: &str) -> bool {
    let has_drive = matches!(glob.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    let mut parts = glob.strip_prefix('/').unwrap_or_default().split('/');
    let is_plain = |part: &&str| !part.is_empty() && !part.contains(['*', '?', '[', '{', '\\']);
    let two = (parts.next().filter(is_plain), parts.next().filter(is_plain));
    let is_there = |(one, two): (&str, &str)| Path::new("/").join(one).join(two).is_dir();
    has_drive || two.0.zip(two.1).is_some_and(is_there)
}

/// Returns the strings of a field; none if it is absent. An empty list is refused: it would match nothing.
fn list(table: &Table<'_>, key: &str) -> Result<Vec<Item>, Mistake> {
    let Some(field) = table.get(key) else { return Ok(Vec::new()) };
    let items = field.text_or_texts()?;
    match items.is_empty() {
        true => Err(field.mistake(format!("{key} is empty: leave it away for all"))),
        false => Ok(items),
    }
}

/// Returns the value with this word.
fn one_of<T: Copy>(
    item: &Item,
    values: &[T],
    word: impl Fn(T) -> &'static str,
    what: &str,
) -> Result<T, Mistake> {
    let words: Vec<_> = values.iter().map(|value| word(*value)).collect();
    values.iter().copied().find(|value| word(*value) == item.text).ok_or_else(|| {
        let meant = nearest(&item.text, words.iter().copied());
        let meant = meant.map(|near| format!("; did you mean {near:?}?"));
        let meant = meant.unwrap_or_else(|| format!("; there are {}", words.join(", ")));
        item.mistake(format!("{:?} is not {what}{meant}", item.text))
    })
}
