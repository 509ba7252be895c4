//! Errors between an agent and a companion, each with the next step for the person.

use alongside_contract::rpc::ErrorObject;

/// Why something did not work. Holds no token, in no form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No connection, or it broke before the answer was complete.
    #[error("cannot {what}: no answer from {url} ({why}); is the companion still running?")]
    Unreachable {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// Where.
        url: String,
        /// The system's reason.
        why: String,
    },
    /// The listener did not prove that it knows the token, so the token was not sent.
    #[error(
        "cannot {what}: {url} does not prove to be the companion whose token this is; the token was not sent"
    )]
    Unproven {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// Where.
        url: String,
    },
    /// An HTTP status that means no.
    #[error("cannot {what}: {url} answered {status} ({said}); {}", hint(*.status))]
    Status {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// Where.
        url: String,
        /// The status code.
        status: u16,
        /// The beginning of what came with it.
        said: String,
    },
    /// A JSON-RPC error.
    #[error("cannot {what}: {url} answered {:?} (JSON-RPC error {})", .error.message, .error.code)]
    Rpc {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// Where.
        url: String,
        /// The error.
        error: ErrorObject,
    },
    /// A tool that answered `isError`.
    #[error("{tool} could not be done for {path:?}: {said}")]
    Tool {
        /// `openDiff` or `closeDiff`.
        tool: &'static str,
        /// The file it was about.
        path: String,
        /// The companion's words.
        said: String,
    },
    /// An answer that is not what the contract says.
    #[error("cannot {what}: {url} does not keep to the contract ({why}); is it a companion of this kind?")]
    OffContract {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// Where.
        url: String,
        /// The fault in the answer.
        why: String,
    },
    /// No answer in time.
    #[error("cannot {what}: {url} has not answered for {seconds} s; the companion may hang, restart it")]
    Timeout {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// Where.
        url: String,
        /// For how long.
        seconds: u64,
    },
    /// The other end of a bridge is closed.
    #[error("cannot pass messages on over stdio: {0}")]
    Stdio(#[from] std::io::Error),
}

impl Error {
    /// The HTTP status, if that is what went wrong.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } => Some(*status),
            _ => None,
        }
    }
}

fn hint(status: u16) -> &'static str {
    match status {
        401 => "the token is wrong or missing: read the discovery file again",
        403 => "it refuses this Host or Origin: connect to 127.0.0.1",
        404 => "it does not know this session or path: connect again",
        413 => "the message is larger than it takes",
        _ => "see its log",
    }
}
