//! Which family a token was given to.
//!
//! Every agent calls itself `streamable-http-client` in `initialize`, so a companion cannot tell Qwen Code
//! from Gemini CLI by asking. But each family reads its own files: each gets the companion's secret with the
//! family's name behind a dot, `3f9c….qwen`, and shows by presenting it who it is.

use crate::discovery::{Record, WRITER};
use crate::family::{FAMILIES, Family};

/// The token that a family's files hold.
pub fn for_family(secret: &str, family: &Family) -> String {
    format!("{secret}.{}", family.id)
}

/// The secret in a token of ours, and the family it was given to.
pub fn split(token: &str) -> (&str, Option<&'static Family>) {
    let family = |id: &str| FAMILIES.iter().find(|family| family.id == id);
    match token.rsplit_once('.') {
        Some((secret, id)) => family(id).map_or((token, None), |family| (secret, Some(family))),
        None => (token, None),
    }
}

impl Record {
    /// Whether two records lead to the same companion, whichever families they were written for.
    pub fn is_same_companion(&self, other: &Self) -> bool {
        self.port == other.port && self.secret() == other.secret()
    }

    /// The token for an agent of this family, wherever the record was found.
    pub fn token_for(&self, family: &Family) -> Option<String> {
        let ours = self.writer.as_deref() == Some(WRITER);
        self.secret().map(|secret| if ours { for_family(secret, family) } else { secret.to_owned() })
    }

    /// The token without a family's name; tokens of other companions are taken as they are.
    fn secret(&self) -> Option<&str> {
        let token = self.auth_token.as_deref()?;
        Some(if self.writer.as_deref() == Some(WRITER) { split(token).0 } else { token })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(token: &str, writer: Option<&str>) -> Record {
        let json = serde_json::json!({ "port": 1, "authToken": token, "writer": writer });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_token_names_the_family_it_was_given_to() {
        for family in FAMILIES {
            let token = for_family("3f9c", family);
            assert_eq!(split(&token), ("3f9c", Some(family)));
        }
        assert_eq!(split("3f9c"), ("3f9c", None));
        assert_eq!(split("3f9c.nobody"), ("3f9c.nobody", None));
    }

    #[test]
    fn records_of_several_families_lead_to_one_companion() {
        let (one, two) = (record("3f9c.gemini", Some(WRITER)), record("3f9c.qwen", Some(WRITER)));
        assert!(one.is_same_companion(&two));
        assert!(!one.is_same_companion(&record("0000.gemini", Some(WRITER))));
        assert_eq!(one.token_for(&FAMILIES[1]), two.auth_token);
    }

    #[test]
    fn tokens_of_other_companions_are_left_as_they_are() {
        let theirs = record("abc.qwen", None);
        assert_eq!(theirs.token_for(&FAMILIES[0]).as_deref(), Some("abc.qwen"));
        assert!(!theirs.is_same_companion(&record("abc.gemini", None)));
    }
}
