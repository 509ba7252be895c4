//! What can go wrong between an agent and a companion, told so that a person knows what to do next.

use alongside_contract::rpc::ErrorObject;

/// Why something did not work. Holds no token, in no form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No connection, or it broke before the answer was complete.
    #[error("cannot {what}: no answer from {url} ({why}); is the companion still running?")]
    Unreachable {
        /// What was being done.
        what: &'static str,
        /// Where.
        url: String,
        /// What the system said.
        why: String,
    },
    /// Whoever listens does not prove to know the token, so it was not shown.
    #[error(
        "cannot {what}: {url} does not prove to be the companion whose token this is; the token was not sent"
    )]
    Unproven {
        /// What was being done.
        what: &'static str,
        /// Where.
        url: String,
    },
    /// An HTTP status that means no.
    #[error("cannot {what}: {url} answered {status} ({said}); {}", hint(*.status))]
    Status {
        /// What was being done.
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
        /// What was being done.
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
        /// What was being done.
        what: &'static str,
        /// Where.
        url: String,
        /// What is wrong with the answer.
        why: String,
    },
    /// No answer in time.
    #[error("cannot {what}: {url} has not answered for {seconds} s; the companion may hang, restart it")]
    Timeout {
        /// What was being done.
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
