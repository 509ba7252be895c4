//! Whether what an agent would dial answers. Anybody may listen on a port that a file names, so nobody is
//! shown the token of that file who is not known to be its companion, or at least this user.

use std::time::Duration;

use alongside_agent::find::{Attempt, To};
use alongside_agent::{Endpoint, Error, Identity, Session, prove};
use alongside_contract::diff::{CLOSE_DIFF, OPEN_DIFF};
use alongside_contract::token;
use alongside_desk::harmless;
use alongside_platform::listener::ListenerOwner;

use crate::commands::serving;

/// How long a companion may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of dialling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// A session.
    Connected {
        /// Whether both tools for diffs are there.
        diffs: bool,
    },
    /// Nobody listens there, or the host is not known.
    Nobody,
    /// The token is refused, or missing.
    Refused,
    /// Nothing comes.
    Silence,
    /// Something else answers.
    Other(String),
    /// Somebody listens there who is not known to be the token's companion, and was not shown it.
    Stranger,
    /// It was not tried: a proxy would be in between.
    Proxied,
    /// It was not tried: the agent starts a program there.
    Program,
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connected { diffs: true } => "a companion answers, and takes diffs",
            Self::Connected { diffs: false } => "a companion answers, without diffs",
            Self::Nobody => "nobody answers",
            Self::Refused => "the token is refused, or missing",
            Self::Silence => "something listens and does not answer",
            Self::Other(said) => return write!(f, "something else answers: {}", harmless::name(said)),
            Self::Stranger => {
                "something listens there that is not known to be that companion; it was not shown the token"
            }
            Self::Proxied => "not tried: a proxy would be in between",
            Self::Program => "not tried: the agent starts a program there",
        })
    }
}

/// What is dialled.
pub(super) fn place(attempt: &Attempt) -> String {
    match &attempt.to {
        To::Http { host, port, .. } => format!("{host}:{port}"),
        To::Stdio { command } => format!("`{}`", harmless::name(command)),
    }
}

/// Dials what an agent dials.
pub(super) async fn dial(attempt: &Attempt) -> Answer {
    match &attempt.to {
        To::Http { proxy: Some(_), .. } => Answer::Proxied,
        To::Http { host, port, .. } => connect(host, *port, attempt.token()).await,
        To::Stdio { .. } => Answer::Program,
    }
}

/// Whether a companion answers there. One of ours proves itself before it is shown the token; another has to
/// be this user's.
pub(super) async fn connect(host: &str, port: u16, token: Option<&str>) -> Answer {
    let endpoint = Endpoint::at(host, port);
    if let Some(token) = token.filter(|token| token::split(token).1.is_some()) {
        return match tokio::time::timeout(PATIENCE, prove(&endpoint, token)).await {
            // Ours offer both tools.
            Ok(Ok(())) => Answer::Connected { diffs: true },
            Err(_) | Ok(Err(Error::Timeout { .. })) => Answer::Silence,
            Ok(Err(Error::Unreachable { .. })) if !listens(host, port).await => Answer::Nobody,
            Ok(Err(_)) => Answer::Stranger,
        };
    }
    if token.is_some() && serving::whose(host, port).await != ListenerOwner::Us {
        return if listens(host, port).await { Answer::Stranger } else { Answer::Nobody };
    }
    let identity = Identity::new("alongside-doctor", env!("CARGO_PKG_VERSION"));
    let session = async {
        let session = Session::connect(endpoint, token, identity).await?;
        let tools = session.list_tools().await;
        session.end().await?;
        tools
    };
    match tokio::time::timeout(PATIENCE, session).await {
        Err(_) => Answer::Silence,
        Ok(Ok(tools)) => {
            let has = |name: &str| tools.iter().any(|tool| tool.name == name);
            Answer::Connected { diffs: has(OPEN_DIFF) && has(CLOSE_DIFF) }
        }
        Ok(Err(error)) => match error {
            Error::Status { status: 401 | 403, .. } => Answer::Refused,
            Error::Timeout { .. } => Answer::Silence,
            // What hangs up before it answers is there, and is no companion.
            Error::Unreachable { .. } if listens(host, port).await => {
                Answer::Other("it hangs up without an answer".into())
            }
            Error::Unreachable { .. } => Answer::Nobody,
            other => Answer::Other(other.to_string()),
        },
    }
}

/// Whether anything listens there.
pub(super) async fn listens(host: &str, port: u16) -> bool {
    serving::listens(host, port, PATIENCE).await
}
