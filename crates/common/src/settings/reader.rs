//! Parses TOML into a list of entries that know their line. The reader checks keys, but not their values.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::similar_name::nearest;

/// A `key = value` of a section.
pub(super) struct Entry<'i> {
    pub(super) section: &'static str,
    pub(super) key: &'static str,
    value: Spanned<DeValue<'i>>,
    at: Range<usize>,
}

/// A string of a list.
pub(super) struct Item {
    pub(super) text: String,
    at: usize,
}

impl Item {
    /// Returns the mistake in this string, as a clause.
    pub(super) fn mistake(&self, what: String) -> Mistake {
        Mistake { what, at: self.at }
    }
}

/// A table in a list.
pub(super) struct Table<'i> {
    pub(super) fields: Vec<Entry<'i>>,
    at: usize,
}

impl<'i> Table<'i> {
    /// Returns the field with this name.
    pub(super) fn get(&self, key: &str) -> Option<&Entry<'i>> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// Returns the mistake in this table, as a clause.
    pub(super) fn mistake(&self, what: String) -> Mistake {
        Mistake { what, at: self.at }
    }

    /// Returns the line of the table in the text from which it was read, counted from 1.
    pub(super) fn line(&self, text: &str) -> usize {
        line(text, self.at)
    }
}

/// A mistake, and its place in the text.
#[derive(Debug)]
pub(super) struct Mistake {
    what: String,
    at: usize,
}

impl Mistake {
    /// Returns the error with file and line.
    pub(super) fn in_file(self, file: &Path, text: &str) -> anyhow::Error {
        anyhow::anyhow!("{}:{}: {}", file.display(), line(text, self.at), self.what)
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Parses all entries of `text`, in the order of their sections and keys.
///
/// # Errors
/// When the text is not TOML, or has a key that is not in `keys`.
pub(super) fn entries<'i>(
    text: &'i str,
    keys: &'static [(&'static str, &'static str)],
    sections: &'static [&'static str],
) -> Result<Vec<Entry<'i>>, Mistake> {
    let document = DeTable::parse(text).map_err(|error| Mistake {
        what: error.message().to_owned(),
        at: error.span().map_or(0, |span| span.start),
    })?;
    let mut entries = Vec::new();
    for (name, value) in document.into_inner() {
        let at = name.span();
        let Some(section) = sections.iter().copied().find(|section| *section == name.get_ref().as_ref())
        else {
            return Err(Mistake { what: unknown_section(name.get_ref(), keys, sections), at: at.start });
        };
        let DeValue::Table(table) = value.into_inner() else {
            return Err(Mistake { what: format!("{section} is a section: write [{section}]"), at: at.start });
        };
        for (name, value) in table {
            let at = name.span();
            let known = || keys.iter().filter(|(of, _)| *of == section).map(|(_, key)| *key);
            let key = known_key(name.get_ref(), &known().collect::<Vec<_>>(), section, at.start)?;
            entries.push(Entry { section, key, value, at });
        }
    }
    Ok(entries)
}

/// Returns the key with this name among the keys of a section.
fn known_key(name: &str, keys: &[&'static str], section: &str, at: usize) -> Result<&'static str, Mistake> {
    keys.iter().copied().find(|key| *key == name).ok_or_else(|| {
        let meant = nearest(name, keys.iter().copied())
            .map_or_else(|| there_are(keys), |key| format!("did you mean {key:?}?"));
        Mistake { what: format!("there is no key {name:?} in [{section}]; {meant}"), at }
    })
}

fn unknown_section(name: &str, keys: &[(&'static str, &'static str)], sections: &[&'static str]) -> String {
    if let Some((section, key)) = keys.iter().find(|(_, key)| *key == name) {
        return format!("the key {key:?} belongs in the section [{section}]");
    }
    let meant = nearest(name, sections.iter().copied()).map_or_else(
        || format!("; there are {}", list(sections, |name| format!("[{name}]"))),
        |near| format!("; did you mean [{near}]?"),
    );
    format!("there is no section [{name}]{meant}")
}

fn there_are(keys: &[&str]) -> String {
    match keys.len() {
        0 => "there is none yet".into(),
        1 => format!("there is only \"{}\"", keys[0]),
        _ => format!("there are {}", list(keys, |key| format!("{key:?}"))),
    }
}

fn list(names: &[&str], quote: impl Fn(&str) -> String) -> String {
    let quoted: Vec<_> = names.iter().map(|name| quote(name)).collect();
    match quoted.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => quoted.concat(),
    }
}

impl<'i> Entry<'i> {
    /// Returns the mistake in this entry, as a clause.
    pub(super) fn mistake(&self, what: String) -> Mistake {
        Mistake { what, at: self.at.start }
    }

    fn mistyped(&self, wanted: &str, found: &DeValue<'_>, place: &str, at: usize) -> Mistake {
        let found = match found {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        Mistake { what: format!("[{}] {} must be {wanted}, not {found}{place}", self.section, self.key), at }
    }

    pub(super) fn flag(&self) -> Result<bool, Mistake> {
        match self.value.get_ref() {
            DeValue::Boolean(flag) => Ok(*flag),
            other => Err(self.mistyped("true or false", other, "", self.at.start)),
        }
    }

    pub(super) fn text(&self) -> Result<String, Mistake> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            other => Err(self.mistyped("a string", other, "", self.at.start)),
        }
    }

    /// Returns a string with its place.
    pub(super) fn one_text(&self) -> Result<Item, Mistake> {
        Ok(Item { text: self.text()?, at: self.value.span().start })
    }

    /// Returns the strings of a string, or of a list of strings.
    pub(super) fn text_or_texts(&self) -> Result<Vec<Item>, Mistake> {
        match self.value.get_ref() {
            DeValue::String(_) => Ok(vec![self.one_text()?]),
            _ => self.texts(),
        }
    }

    /// Returns a list of tables with these keys. Messages name the fields as keys of this section.
    pub(super) fn tables(
        &self,
        section: &'static str,
        keys: &'static [&'static str],
    ) -> Result<Vec<Table<'i>>, Mistake> {
        const WANTED: &str = "a list of tables";
        let DeValue::Array(items) = self.value.get_ref() else {
            return Err(self.mistyped(WANTED, self.value.get_ref(), "", self.at.start));
        };
        let table = |item: &Spanned<DeValue<'i>>| {
            let at = item.span().start;
            let DeValue::Table(table) = item.get_ref() else {
                return Err(self.mistyped(WANTED, item.get_ref(), " in it", at));
            };
            let fields = table.iter().map(|(name, value)| {
                let (at, name) = (name.span(), name.get_ref().as_ref());
                let key = known_key(name, keys, section, at.start)?;
                Ok(Entry { section, key, value: value.clone(), at })
            });
            Ok(Table { fields: fields.collect::<Result<_, _>>()?, at })
        };
        items.iter().map(table).collect()
    }

    pub(super) fn texts(&self) -> Result<Vec<Item>, Mistake> {
        const WANTED: &str = "a list of strings";
        let DeValue::Array(items) = self.value.get_ref() else {
            return Err(self.mistyped(WANTED, self.value.get_ref(), "", self.at.start));
        };
        let text = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
            DeValue::String(text) => Ok(Item { text: text.to_string(), at: item.span().start }),
            other => Err(self.mistyped(WANTED, other, " in it", item.span().start)),
        };
        items.iter().map(text).collect()
    }
}
