//! Adds values to formatted TOML lists and removes them. Every comment stays beside its value.
//!
//! The parser attaches a comment to the token after it: in `"a", # of a` and then `"b"`, the comment is
//! attached to `"b"`, and at the end of the list to the bracket.

use toml_edit::{Array, RawString, Value};

/// The indent of a value if no other value of the list begins a line.
const INDENT: &str = "  ";

/// Appends a value. The value gets a line of its own if the last value has one, or if a comment follows the
/// last value.
pub(super) fn push(list: &mut Array, mut value: Value) {
    let has_comma = list.trailing_comma();
    let Some(last) = list.len().checked_sub(1).and_then(|last| list.get_mut(last)) else {
        // A comment in an empty list stays before the new value.
        let behind = text(Some(list.trailing())).to_owned();
        let gap = Gap::split(&behind);
        if gap.has_comment() {
            value.decor_mut().set_prefix(format!("{}\n{INDENT}", gap.comments));
            list.set_trailing(gap.rest);
        }
        return list.push_formatted(value);
    };
    let before = text(last.decor().prefix()).to_owned();
    let mut behind = text(last.decor().suffix()).to_owned();
    if has_comma {
        behind = text(Some(list.trailing())).to_owned();
    } else {
        last.decor_mut().set_suffix("");
    }
    let gap = Gap::split(&behind);
    let line = before.rfind('\n').map(|line| &before[line..]);
    let prefix = match (gap.has_comment(), line) {
        (true, line) => format!("{}{}", gap.comments, line.unwrap_or(&format!("\n{INDENT}"))),
        (false, line) => line.unwrap_or(" ").to_owned(),
    };
    value.decor_mut().set_prefix(prefix);
    if has_comma {
        list.set_trailing(gap.rest);
    } else {
        value.decor_mut().set_suffix(gap.rest);
    }
    list.push_formatted(value);
}

/// Inserts a value before all others. The value gets a line of its own if the first value has one.
pub(super) fn push_first(list: &mut Array, mut value: Value) {
    if let Some(first) = list.get_mut(0) {
        let before = text(first.decor().prefix()).to_owned();
        let (own, rest) = match before.find('\n') {
            None => (before.clone(), " ".to_owned()),
            // A comment after the bracket stays there; a comment above the first value stays above that
            // value.
            Some(line) => {
                let last = before.rfind('\n').unwrap_or(line);
                (format!("{}{}", &before[..line], &before[last..]), before[line..].to_owned())
            }
        };
        value.decor_mut().set_prefix(own);
        first.decor_mut().set_prefix(rest);
    }
    list.insert_formatted(0, value);
}

/// Removes the matching values, and keeps the comments before them.
pub(super) fn remove(list: &mut Array, matches: impl Fn(&Value) -> bool) {
    loop {
        let at = list.iter().position(&matches);
        let Some(at) = at else { return };
        let removed = list.remove(at);
        let before = text(removed.decor().prefix()).to_owned();
        let comments = Gap::split(&before);
        let kept = if comments.has_comment() { comments.comments } else { "" };
        if let Some(next) = list.get_mut(at) {
            let prefix = text(next.decor().prefix()).to_owned();
            let follows_bracket = at == 0 && !prefix.contains('\n') && !before.contains('\n');
            next.decor_mut().set_prefix(if follows_bracket { before } else { format!("{kept}{prefix}") });
        } else if list.trailing_comma() || list.is_empty() {
            let end = format!("{kept}{}{}", text(removed.decor().suffix()), text(Some(list.trailing())));
            list.set_trailing(end);
        } else if let Some(last) = at.checked_sub(1).and_then(|last| list.get_mut(last)) {
            let end = format!("{}{kept}{}", text(last.decor().suffix()), text(removed.decor().suffix()));
            last.decor_mut().set_suffix(end);
        }
    }
}

/// The text between two values, or between the last one and the bracket.
struct Gap<'t> {
    /// Up to the end of the last comment's line.
    comments: &'t str,
    /// The line break and the indent of the next value.
    rest: &'t str,
}

impl<'t> Gap<'t> {
    fn split(text: &'t str) -> Self {
        let (comments, rest) = text.split_at(text.rfind('\n').unwrap_or(0));
        Self { comments, rest }
    }

    fn has_comment(&self) -> bool {
        // Only comments and whitespace can stand between two values.
        self.comments.contains('#')
    }
}

fn text(raw: Option<&RawString>) -> &str {
    raw.and_then(RawString::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use toml_edit::DocumentMut;

    use super::*;

    fn edited(text: &str, edit: impl Fn(&mut Array)) -> String {
        let mut document: DocumentMut = text.parse().unwrap();
        edit(document["list"].as_array_mut().unwrap());
        let edited = document.to_string();
        edited.parse::<DocumentMut>().unwrap_or_else(|error| panic!("{error}:\n{edited}"));
        edited
    }

    /// Triples: a list, the list with a value appended, and the list with the value inserted first.
    const LISTS: &[(&str, &str, &str)] = &[
        ("list = []\n", "list = [\"new\"]\n", "list = [\"new\"]\n"),
        ("list = [\"a\"]\n", "list = [\"a\", \"new\"]\n", "list = [\"new\", \"a\"]\n"),
        ("list = [ \"a\" ]\n", "list = [ \"a\", \"new\" ]\n", "list = [ \"new\", \"a\" ]\n"),
        ("list = [\"a\",]\n", "list = [\"a\", \"new\",]\n", "list = [\"new\", \"a\",]\n"),
        (
            "list = [\"a\"] # of the list\n",
            "list = [\"a\", \"new\"] # of the list\n",
            "list = [\"new\", \"a\"] # of the list\n",
        ),
        // A comment after the last value, with and without a comma.
        (
            "list = [\n  \"a\",\n  \"b\", # of b\n]\n",
            "list = [\n  \"a\",\n  \"b\", # of b\n  \"new\",\n]\n",
            "list = [\n  \"new\",\n  \"a\",\n  \"b\", # of b\n]\n",
        ),
        (
            "list = [\n  \"a\", # of a\n  \"b\" # of b\n]\n",
            "list = [\n  \"a\", # of a\n  \"b\", # of b\n  \"new\"\n]\n",
            "list = [\n  \"new\",\n  \"a\", # of a\n  \"b\" # of b\n]\n",
        ),
        // Comments after the bracket, above values, and below the last value.
        (
            "list = [ # of the list\n\t# above a\n\t\"a\",\n\n\t# above b\n\t\"b\", # of b\n\t# below b\n]\n",
            "list = [ # of the list\n\t# above a\n\t\"a\",\n\n\t# above b\n\t\"b\", # of b\n\t# below \
             b\n\t\"new\",\n]\n",
            "list = [ # of the list\n\t\"new\",\n\t# above a\n\t\"a\",\n\n\t# above b\n\t\"b\", # of b\n\t# \
             below b\n]\n",
        ),
        // A list that has two lines only because of a comment.
        (
            "list = [\"a\", # of a\n]\n",
            "list = [\"a\", # of a\n  \"new\",\n]\n",
            "list = [\"new\", \"a\", # of a\n]\n",
        ),
        // A comma on a line of its own, and values of several types.
        (
            "list = [\n  { name = \"a\" } # of a\n  , # of the comma\n]\n",
            "list = [\n  { name = \"a\" } # of a\n  , # of the comma\n  \"new\",\n]\n",
            "list = [\n  \"new\",\n  { name = \"a\" } # of a\n  , # of the comma\n]\n",
        ),
    ];

    #[test]
    fn comments_stay_when_a_value_is_added_and_removed() {
        let is_new = |value: &Value| value.as_str() == Some("new");
        for (before, behind, first) in LISTS {
            assert_eq!(edited(before, |list| push(list, "new".into())), *behind);
            assert_eq!(edited(before, |list| push_first(list, "new".into())), *first);
            for with in [behind, first] {
                assert_eq!(edited(with, |list| remove(list, is_new)), *before, "from\n{with}");
            }
        }
    }

    #[test]
    fn an_empty_list_keeps_its_comment() {
        let before = "list = [\n  # none yet\n]\n";
        let with = edited(before, |list| push(list, "new".into()));
        assert!(with.contains("# none yet\n  \"new\""), "{with}");
        assert_eq!(edited(&with, |list| remove(list, |_| true)), before);
    }
}
