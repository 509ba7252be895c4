//! JSON as an agent reads it. The last of two values with the same key counts, as for `JSON.parse`, and some
//! agents accept a byte-order mark at the start of a file.

use std::fmt;

use alongside_contract::hook::{HookFile, Json};
use alongside_contract::settings::{Release, SettingsFiles};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

/// The byte-order mark, which editors on Windows write.
const BOM: char = '\u{feff}';

/// The options of agents, which remove comments and leave the rest to `JSON.parse`.
const PARSE_OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The way in which an agent reads a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader {
    reads_bom: bool,
    reads_duplicates: bool,
}

impl Reader {
    /// Accepts what any agent does. A removal uses it, since it must work in every file.
    pub(super) const ANY: Self = Self { reads_bom: true, reads_duplicates: true };

    /// Returns the reader of a release, or of the newest.
    pub(super) fn of(table: &SettingsFiles, release: Option<Release>) -> Self {
        let since = table.reads_mark_since;
        let reads_bom = since.is_some_and(|since| release.is_none_or(|release| release >= since));
        Self { reads_bom, reads_duplicates: true }
    }

    /// Returns the reader of the newest release of an agent with hooks in this file.
    pub(super) fn of_hooks(file: &HookFile) -> Self {
        match file {
            HookFile::Settings(table) => Self::of(table, None),
            HookFile::Own(file) => match file.json {
                Json::JavaScript => Self { reads_bom: false, reads_duplicates: true },
                Json::Strict => Self { reads_bom: false, reads_duplicates: false },
            },
        }
    }

    /// Reads an object. The error contains the line of the mistake.
    pub(super) fn object(self, text: &str) -> Result<Value, String> {
        let (_, text) = self.without_bom(text)?;
        let content = match jsonc_parser::parse_to_serde_value::<Option<Value>>(text, &PARSE_OPTIONS) {
            Ok(Some(content @ Value::Object(_))) => content,
            Ok(None) => return Err("it is empty".into()),
            Ok(Some(_)) => return Err("it is not a JSON object".into()),
            Err(error) => return Err(error.to_string()),
        };
        if !self.reads_duplicates {
            self.document(text)?;
        }
        Ok(content)
    }

    /// Reads a text whose values can be changed.
    pub(super) fn document(self, text: &str) -> Result<Document, String> {
        let (has_bom, text) = self.without_bom(text)?;
        let root = CstRootNode::parse(text, &PARSE_OPTIONS).map_err(|error| error.to_string())?;
        let duplicate = root.value().filter(|_| !self.reads_duplicates).and_then(|value| duplicate(&value));
        match duplicate {
            Some(key) => Err(format!("it has {key:?} twice in one object: keep one of them")),
            None => Ok(Document { has_bom, root }),
        }
    }

    fn without_bom(self, text: &str) -> Result<(bool, &str), String> {
        match text.strip_prefix(BOM) {
            None => Ok((false, text)),
            Some(text) if self.reads_bom => Ok((true, text)),
            Some(_) => Err("it begins with a byte-order mark, which the agent does not read: save it \
                            without one"
                .into()),
        }
    }
}

/// Whether a text is empty, or only a byte-order mark.
pub(super) fn is_blank(text: &str) -> bool {
    text.strip_prefix(BOM).unwrap_or(text).trim().is_empty()
}

/// A text whose values can be changed. Everything else stays as it is, also a byte-order mark.
#[derive(Debug)]
pub(super) struct Document {
    has_bom: bool,
    pub(super) root: CstRootNode,
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bom = if self.has_bom { BOM.to_string() } else { String::new() };
        write!(f, "{bom}{}", self.root)
    }
}

/// Returns a key that an object in the value has twice, if there is one.
fn duplicate(value: &CstNode) -> Option<String> {
    if let Some(array) = value.as_array() {
        return array.elements().iter().find_map(duplicate);
    }
    let properties = value.as_object()?.properties();
    let names: Vec<String> = properties.iter().filter_map(CstObjectProp::decoded_name).collect();
    let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
    let inside = || properties.iter().filter_map(CstObjectProp::value).find_map(|value| duplicate(&value));
    twice.map(|(_, name)| name.clone()).or_else(inside)
}

/// Returns every property of this name. The last one is effective.
pub(super) fn all(object: &CstObject, key: &str) -> Vec<CstObjectProp> {
    let properties = object.properties().into_iter();
    properties.filter(|property| property.decoded_name().as_deref() == Some(key)).collect()
}

/// Returns the effective property of this name.
pub(super) fn property(object: &CstObject, key: &str) -> Option<CstObjectProp> {
    all(object, key).pop()
}

/// Returns the effective object of this name.
pub(super) fn object(object: &CstObject, key: &str) -> Option<CstObject> {
    property(object, key)?.object_value()
}

/// Returns the effective list of this name.
pub(super) fn array(object: &CstObject, key: &str) -> Option<CstArray> {
    property(object, key)?.array_value()
}

/// Sets the effective value of this name.
pub(super) fn set(object: &CstObject, key: &str, value: CstInputValue) {
    match property(object, key) {
        Some(property) => property.set_value(value),
        None => drop(object.append(key, value)),
    }
}
