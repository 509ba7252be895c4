//! Access to the companion: everything that the head of a request decides.

use super::Shared;
use super::http::{Answer, Head};
use crate::fault::Fault;

impl Shared {
    /// Returns the refusal of a request that must not be read any further, if it must not.
    pub(super) fn refusal(&self, head: &Head) -> Option<Answer> {
        if !self.is_our_host(head.header("host").unwrap_or_default()) {
            return Some(Answer::status(403));
        }
        if let Some(origin) = head.header("origin") {
            let local = origin.starts_with("http://localhost") || origin.starts_with("http://127.0.0.1");
            let welcome = match self.fault.single {
                Some(Fault::AnyOriginWelcome) => true,
                Some(Fault::LocalOriginWelcome) => local,
                Some(Fault::NullOriginWelcome) => origin == "null",
                _ => false,
            };
            if !welcome {
                return Some(Answer::status(403));
            }
        }
        if !self.is_authorized(head) {
            return Some(Answer::status(401).with("WWW-Authenticate", "Bearer"));
        }
        None
    }

    fn is_our_host(&self, host: &str) -> bool {
        let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
        let unknown = |fault, refused: &str| self.has(fault) && name == refused;
        let named = ["127.0.0.1", "localhost", "[::1]", "host.docker.internal"].contains(&name)
            && !unknown(Fault::ContainerHostRefused, "host.docker.internal")
            && !unknown(Fault::LocalhostRefused, "localhost")
            && !unknown(Fault::Ipv6HostRefused, "[::1]");
        let ours = port == self.port.to_string();
        match self.fault.single {
            Some(Fault::AnyHostWelcome) => true,
            Some(Fault::AnyPortWelcome) => named,
            Some(Fault::HostThatBeginsLikeOurs) => name.starts_with("localhost") || (named && ours),
            _ => named && ours,
        }
    }

    fn is_authorized(&self, head: &Head) -> bool {
        let said = head.header("authorization").unwrap_or_default();
        let token = said.strip_prefix("Bearer ").unwrap_or_default();
        let right = token == self.token;
        let (is_post, in_session) = (head.method == "POST", head.header("mcp-session-id").is_some());
        match self.fault.single {
            Some(Fault::NoTokenNeeded) => said.is_empty() || right,
            Some(Fault::AnyTokenWelcome) => said.starts_with("Bearer ") || right,
            Some(Fault::NoTokenNeededForGet) => right || head.method == "GET",
            Some(Fault::NoTokenNeededForDelete) => right || head.method == "DELETE",
            Some(Fault::NoTokenNeededAtFirst) => right || (said.is_empty() && is_post && !in_session),
            Some(Fault::NoTokenNeededInASession) => right || (is_post && in_session),
            Some(Fault::BeginningOfTheTokenWelcome) => {
                right || (token.len() > 4 && self.token.starts_with(token))
            }
            Some(Fault::LongerTokenWelcome) => token.starts_with(&self.token),
            Some(Fault::TokenOfTheSameLengthWelcome) => token.len() == self.token.len(),
            Some(Fault::TokenWithoutSchemeWelcome) => right || said == self.token,
            Some(Fault::AnySchemeWelcome) => said.split(' ').nth(1) == Some(&self.token),
            _ => right,
        }
    }
}
