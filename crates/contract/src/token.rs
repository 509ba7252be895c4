//! The family in a token.
//!
//! Every agent gives the name `streamable-http-client` in `initialize`, so a companion cannot tell Qwen Code
//! from Gemini CLI. But each family reads its own files, so its token is the companion's secret, a dot and
//! the family's name: `3f9c….qwen`.

use crate::discovery::{Record, WRITER};
use crate::family::{FAMILIES, Family};

/// The token in a family's files.
pub fn for_family(secret: &str, family: &Family) -> String {
    format!("{secret}.{}", family.id)
}

/// The secret and the family of a token; the whole token if it names no family.
pub fn split(token: &str) -> (&str, Option<&'static Family>) {
    let family = |id: &str| FAMILIES.iter().find(|family| family.id == id);
    match token.rsplit_once('.') {
        Some((secret, id)) => family(id).map_or((token, None), |family| (secret, Some(family))),
        None => (token, None),
    }
}

impl Record {
    /// Whether two records lead to the same companion, for any families.
    pub fn is_same_companion(&self, other: &Self) -> bool {
        self.port == other.port && self.secret() == other.secret()
    }

    /// The token for an agent of a family, from a record of any family.
    pub fn token_for(&self, family: &Family) -> Option<String> {
        let ours = self.writer.as_deref() == Some(WRITER);
        self.secret().map(|secret| if ours { for_family(secret, family) } else { secret.to_owned() })
    }

    /// The token without a family's name; the whole token of another companion.
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
    fn a_token_names_its_family() {
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
    fn tokens_of_other_companions_stay() {
        let theirs = record("abc.qwen", None);
        assert_eq!(theirs.token_for(&FAMILIES[0]).as_deref(), Some("abc.qwen"));
        assert!(!theirs.is_same_companion(&record("abc.gemini", None)));
    }
}
