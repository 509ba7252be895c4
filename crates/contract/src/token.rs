//! The agent's identifier in a token.
//!
//! Every agent uses the name `streamable-http-client` in `initialize`, so a companion cannot distinguish Qwen
//! Code from Gemini CLI. But each agent reads its own files, so its token consists of the companion's secret,
//! a dot and the agent's identifier: `3f9c….qwen`.

use crate::agent::FamilyAgent;
use crate::discovery::{Record, WRITER};

/// Returns the token in an agent's files.
pub fn for_agent(secret: &str, agent: FamilyAgent) -> String {
    format!("{secret}.{}", agent.id)
}

/// Splits a token into its secret and its agent. Without an agent, the whole token is the secret.
pub fn split(token: &str) -> (&str, Option<FamilyAgent>) {
    let named = token.rsplit_once('.').and_then(|(secret, id)| Some((secret, FamilyAgent::named(id)?)));
    named.map_or((token, None), |(secret, agent)| (secret, Some(agent)))
}

impl Record {
    /// Whether two records lead to the same companion, for whatever agents.
    pub fn is_same_companion(&self, other: &Self) -> bool {
        self.port == other.port && self.secret() == other.secret()
    }

    /// Returns the token for an agent, from a record for any agent.
    pub fn token_for(&self, agent: FamilyAgent) -> Option<String> {
        let ours = self.writer.as_deref() == Some(WRITER);
        self.secret().map(|secret| if ours { for_agent(secret, agent) } else { secret.to_owned() })
    }

    /// Returns the token without an agent's identifier. The token of another companion is returned whole.
    fn secret(&self) -> Option<&str> {
        let token = self.auth_token.as_deref()?;
        Some(if self.writer.as_deref() == Some(WRITER) { split(token).0 } else { token })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::with_family;

    fn record(token: &str, writer: Option<&str>) -> Record {
        let json = serde_json::json!({ "port": 1, "authToken": token, "writer": writer });
        serde_json::from_value(json).unwrap()
    }

    fn agent(id: &str) -> FamilyAgent {
        FamilyAgent::named(id).unwrap()
    }

    #[test]
    fn a_token_contains_its_agent() {
        for agent in with_family() {
            let token = for_agent("3f9c", agent);
            assert_eq!(split(&token), ("3f9c", Some(agent)));
        }
        assert_eq!(split("3f9c"), ("3f9c", None));
        assert_eq!(split("3f9c.nobody"), ("3f9c.nobody", None));
    }

    #[test]
    fn records_of_several_families_lead_to_one_companion() {
        let (one, two) = (record("3f9c.gemini", Some(WRITER)), record("3f9c.qwen", Some(WRITER)));
        assert!(one.is_same_companion(&two));
        assert!(!one.is_same_companion(&record("0000.gemini", Some(WRITER))));
        assert_eq!(one.token_for(agent("qwen")), two.auth_token);
    }

    #[test]
    fn tokens_of_other_companions_stay() {
        let theirs = record("abc.qwen", None);
        assert_eq!(theirs.token_for(agent("gemini")).as_deref(), Some("abc.qwen"));
        assert!(!theirs.is_same_companion(&record("abc.gemini", None)));
    }
}
