//! Variables in settings: agents put the value of `$NAME` and `${NAME}` into every string they read, newer
//! ones also `${NAME:-otherwise}`. All else stays as it is.

use std::collections::HashMap;

/// `text` with the variables in it replaced.
pub(super) fn expand(text: &str, variables: &HashMap<String, String>) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        let reference = &rest[at..];
        let (length, value) = match first_reference(reference) {
            Some((length, name, otherwise)) => {
                (length, variables.get(name).map(String::as_str).or(otherwise))
            }
            None => (1, None),
        };
        expanded.push_str(value.unwrap_or(&reference[..length]));
        rest = &reference[length..];
    }
    expanded.push_str(rest);
    expanded
}

/// The reference that `text` begins with: its length, the variable's name, and what to take where there is
/// none.
fn first_reference(text: &str) -> Option<(usize, &str, Option<&str>)> {
    let after = text.strip_prefix('$')?;
    if let Some(braced) = after.strip_prefix('{') {
        let inner = &braced[..braced.find('}')?];
        let (name, otherwise) =
            inner.split_once(":-").map_or((inner, None), |(name, otherwise)| (name, Some(otherwise)));
        return (!name.is_empty()).then_some((inner.len() + "${}".len(), name, otherwise));
    }
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &after[..after.find(|c| !word(c)).unwrap_or(after.len())];
    (!name.is_empty()).then_some((name.len() + 1, name, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_and_what_names_none_stays() {
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
