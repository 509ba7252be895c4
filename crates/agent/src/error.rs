//! Errors between an agent and a companion, each with the next step for the person.

use alongside_contract::rpc::ErrorObject;

/// An error between an agent and a companion. Contains no token, in any form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There was no connection, or it broke before the answer was complete.
    #[error("cannot {what}: no answer from {url} ({why}); is the companion still running?")]
    Unreachable {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// The URL of the request.
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
        /// The URL of the request.
        url: String,
    },
    /// The companion refused a request with an HTTP status.
    #[error("cannot {what}: {url} answered {status} ({message}); {}", hint(*.status))]
    Status {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// The URL of the request.
        url: String,
        /// The status code.
        status: u16,
        /// The beginning of the response's body.
        message: String,
    },
    /// The companion answered with a JSON-RPC error.
    #[error("cannot {what}: {url} answered {:?} (JSON-RPC error {})", .error.message, .error.code)]
    Rpc {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// The URL of the request.
        url: String,
        /// The error.
        error: ErrorObject,
    },
    /// A tool answered with `isError`.
    #[error("{tool} could not be done for {path:?}: {message}")]
    Tool {
        /// `openDiff` or `closeDiff`.
        tool: &'static str,
        /// The file that it was called for.
        path: String,
        /// The companion's message.
        message: String,
    },
    /// The answer breaks the contract.
    #[error("cannot {what}: {url} does not keep to the contract ({why}); is it a companion of this kind?")]
    OffContract {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// The URL of the request.
        url: String,
        /// The fault in the answer.
        why: String,
    },
    /// No answer arrived in time.
    #[error("cannot {what}: {url} has not answered for {seconds} s; the companion may hang, restart it")]
    Timeout {
        /// The action that failed, as an infinitive.
        what: &'static str,
        /// The URL of the request.
        url: String,
        /// The time that the caller waited.
        seconds: u64,
    },
    /// The other end of a bridge is closed.
    #[error("cannot pass messages on over stdio: {0}")]
    Stdio(#[from] std::io::Error),
}

impl Error {
    /// Returns the HTTP status, if the error has one.
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
