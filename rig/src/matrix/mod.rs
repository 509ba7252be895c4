//! The release matrix: every release of every agent on npm that has IDE mode, run against the real program.
//!
//! [`releases`] lists the releases, and [`scratch`] installs a release. [`prove`](prove()) plays the
//! [`stories`] with the release's client and with `alongside review --json` as the desk; for Claude Code,
//! with the whole program. [`results`] stores the results. Every cell that is not "works" needs an
//! explanation in [`explain`]. [`page`] writes the document from results and explanations.

mod claude;
pub mod explain;
mod failure;
pub mod page;
pub mod prove;
pub mod releases;
pub mod results;
pub mod scratch;
mod stage;
mod stories;
mod subject;

pub use prove::prove;
pub use results::{Cell, Need, Results, Row, Step};
pub use subject::{Subject, Tools};
