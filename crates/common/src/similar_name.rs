//! Finds the name that a person probably meant by a mistyped one.

/// Returns the name that is most similar to a mistyped one, if it is similar enough.
pub fn nearest<'a>(mistyped: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(mistyped, name), name))
        // A short word is similar to many others.
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3 && distance * 2 < name.len())
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_found() {
        let nearest = |mistyped| nearest(mistyped, ["run", "doctor", "log"]);
        assert_eq!(nearest("doctro"), Some("doctor"));
        assert_eq!(nearest("rnu"), Some("run"));
        assert_eq!(nearest("foo"), None, "too short to be \"log\"");
        assert_eq!(nearest("elsewhere"), None);
    }
}
