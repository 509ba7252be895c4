//! Variables in settings: agents replace `$NAME` and `${NAME}` in every string of a settings file, and newer
//! agents also `${NAME:-default}`. A reference to an unset variable stays as it is.

use std::collections::HashMap;

/// Returns `text` with its variables replaced.
pub(super) fn expand(text: &str, variables: &HashMap<String, String>) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        let reference = &rest[at..];
        let (length, value) = match first_reference(reference) {
            Some((length, name, default)) => (length, variables.get(name).map(String::as_str).or(default)),
            None => (1, None),
        };
        expanded.push_str(value.unwrap_or(&reference[..length]));
        rest = &reference[length..];
    }
    expanded.push_str(rest);
    expanded
}

/// Parses the reference that `text` begins with: its length, the variable's name, and the default, if it has
/// one.
fn first_reference(text: &str) -> Option<(usize, &str, Option<&str>)> {
    let after = text.strip_prefix('$')?;
    if let Some(braced) = after.strip_prefix('{') {
        let inner = &braced[..braced.find('}')?];
        let (name, default) =
            inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        return (!name.is_empty()).then_some((inner.len() + "${}".len(), name, default));
    }
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &after[..after.find(|c| !is_name_char(c)).unwrap_or(after.len())];
    (!name.is_empty()).then_some((name.len() + 1, name, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_variables_are_replaced_and_other_text_stays() {
        let variables = HashMap::from([("MODE".to_owned(), "yolo".to_owned())]);
        for (text, expanded) in [
            ("$MODE", "yolo"),
            ("a-${MODE}/$MODE.", "a-yolo/yolo."),
            ("${NONE:-plan}", "plan"),
            ("${MODE:-plan}", "yolo"),
            ("$NONE ${NONE} ${} $ ${MODE", "$NONE ${NONE} ${} $ ${MODE"),
            ("é$MODEé", "éyoloé"),
        ] {
            assert_eq!(expand(text, &variables), expanded, "{text}");
        }
    }
}
