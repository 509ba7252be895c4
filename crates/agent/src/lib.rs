//! The agents' side of the contract: what a coding agent does to find an IDE companion and to work with it.
//!
//! ```no_run
//! use alongside_agent::{Endpoint, Identity, Outcome, Session, find};
//! use alongside_contract::agent::FamilyAgent;
//!
//! # async fn agent() -> Result<(), Box<dyn std::error::Error>> {
//! let here = find::Surroundings::of_this_process()?;
//! let gemini = FamilyAgent::named("gemini").ok_or("the table knows gemini")?;
//! let found = find::candidates(gemini, &here).found.into_iter().next();
//! let found = found.ok_or("no companion serves this directory")?;
//!
//! let endpoint = Endpoint::local(found.record.port);
//! let token = found.record.auth_token.as_deref();
//! let session = Session::connect(endpoint, token, Identity::new("my-agent", "1.0")).await?;
//! match session.open_diff("/home/me/project/main.rs", "fn main() {}\n").await?.outcome().await {
//!     Outcome::Accepted { content } => std::fs::write("/home/me/project/main.rs", content)?,
//!     Outcome::Rejected | Outcome::Closed { .. } => println!("not wanted"),
//!     Outcome::Lost => println!("the companion is gone: ask in the terminal instead"),
//! }
//! session.end().await?;
//! # Ok(()) }
//! ```
//!
//! [`find`] replays the search of each agent, driven by the table of agents. [`Session`] uses MCP over
//! Streamable HTTP exactly as released agents do, including reconnection. [`bridge`] carries MCP over stdio
//! to a running companion. [`version`] determines the release of a program. No error and no `Debug` form
//! contains the token.

pub mod bridge;
mod client;
mod conversation;
mod diffs;
mod endpoint;
mod error;
pub mod find;
mod session;
pub mod settings;
mod status;
mod stream;
pub mod version;
pub mod wire;

pub use diffs::{Outcome, PendingDiff};
pub use endpoint::Endpoint;
pub use error::Error;
pub use session::{Identity, Session, Tool};
pub use status::{get_status, prove};
pub use stream::StreamState;
