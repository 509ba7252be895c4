//! Dials the targets that an agent would dial. Any program may listen on the port in a file, so the token is
//! sent only to the companion that proves to know it, or at least to a program of this user.

use std::time::Duration;

use alongside_agent::find::{Attempt, To};
use alongside_agent::{Endpoint, Error, Identity, Session, prove};
use alongside_contract::diff::{CLOSE_DIFF, OPEN_DIFF};
use alongside_contract::token;
use alongside_desk::harmless;
use alongside_host::companions;
use alongside_platform::listener::ListenerOwner;

/// The time that a companion has to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The result of an attempt to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProbeResult {
    /// A companion opened a session. `diffs`: whether it offers both tools for diffs.
    Connected { diffs: bool },
    /// No program listens, or the host name is unknown.
    NotListening,
    /// The token is refused, or missing.
    Refused,
    /// No answer came in time.
    Silence,
    /// Another program answered with this text.
    Other(String),
    /// The listening program did not prove that it knows the token, and did not get the token.
    Stranger,
    /// No attempt: the agent would use a proxy.
    Proxied,
    /// No attempt: the agent starts a program instead.
    Program,
}

impl std::fmt::Display for ProbeResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connected { diffs: true } => "a companion answers, with diffs",
            Self::Connected { diffs: false } => "a companion answers, without diffs",
            Self::NotListening => "no answer",
            Self::Refused => "the token is refused, or missing",
            Self::Silence => "a program listens and does not answer",
            Self::Other(answer) => return write!(f, "another program answers: {}", harmless::name(answer)),
            Self::Stranger => "a program listens that may not be that companion; it was not sent the token",
            Self::Proxied => "not tried: the agent would use a proxy",
            Self::Program => "not tried: the agent starts this program",
        })
    }
}

/// Returns the host and port, or the program, of an attempt.
pub(super) fn destination(attempt: &Attempt) -> String {
    match &attempt.to {
        To::Http { host, port, .. } => format!("{host}:{port}"),
        To::Stdio { command } => format!("`{}`", harmless::name(command)),
    }
}

/// Dials the target of an attempt, unless it is a program or behind a proxy.
pub(super) async fn dial(attempt: &Attempt) -> ProbeResult {
    match &attempt.to {
        To::Http { proxy: Some(_), .. } => ProbeResult::Proxied,
        To::Http { host, port, .. } => connect(host, *port, attempt.token()).await,
        To::Stdio { .. } => ProbeResult::Program,
    }
}

/// Connects to a companion. Before the token is sent, our companion must prove that it knows the token, and
/// any other companion must belong to this user.
pub(super) async fn connect(host: &str, port: u16, token: Option<&str>) -> ProbeResult {
    let endpoint = Endpoint::at(host, port);
    if let Some(token) = token.filter(|token| token::split(token).1.is_some()) {
        return match tokio::time::timeout(ANSWER_TIMEOUT, prove(&endpoint, token)).await {
            // Our companions offer both tools.
            Ok(Ok(())) => ProbeResult::Connected { diffs: true },
            Err(_) | Ok(Err(Error::Timeout { .. })) => ProbeResult::Silence,
            Ok(Err(Error::Unreachable { .. })) if !listens(host, port).await => ProbeResult::NotListening,
            Ok(Err(_)) => ProbeResult::Stranger,
        };
    }
    if token.is_some() && companions::whose(host, port).await != ListenerOwner::Us {
        return if listens(host, port).await { ProbeResult::Stranger } else { ProbeResult::NotListening };
    }
    let identity = Identity::new("alongside-doctor", env!("CARGO_PKG_VERSION"));
    let session = async {
        let session = Session::connect(endpoint, token, identity).await?;
        let tools = session.list_tools().await;
        session.end().await?;
        tools
    };
    match tokio::time::timeout(ANSWER_TIMEOUT, session).await {
        Err(_) => ProbeResult::Silence,
        Ok(Ok(tools)) => {
            let offers = |name: &str| tools.iter().any(|tool| tool.name == name);
            ProbeResult::Connected { diffs: offers(OPEN_DIFF) && offers(CLOSE_DIFF) }
        }
        Ok(Err(error)) => match error {
            Error::Status { status: 401 | 403, .. } => ProbeResult::Refused,
            Error::Timeout { .. } => ProbeResult::Silence,
            // A program that closes the connection without an answer is not a companion.
            Error::Unreachable { .. } if listens(host, port).await => {
                ProbeResult::Other("it hangs up without an answer".into())
            }
            Error::Unreachable { .. } => ProbeResult::NotListening,
            other => ProbeResult::Other(other.to_string()),
        },
    }
}

/// Whether a program listens at this host and port.
pub(super) async fn listens(host: &str, port: u16) -> bool {
    companions::listens(host, port, ANSWER_TIMEOUT).await
}
