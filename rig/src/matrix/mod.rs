//! The release matrix: every release of every agent on npm that has IDE mode, run against the real program.
//!
//! [`releases`] asks npm which there are, [`scratch`] installs one, [`prove`](prove()) takes it through the
//! [`stories`] with `alongside review --json` as the desk, and [`results`] keeps what came of it. Every cell
//! that does not say "works" needs an explanation in [`explain`]; [`page`] makes the document of both.

pub mod explain;
pub mod page;
pub mod prove;
pub mod releases;
pub mod results;
pub mod scratch;
mod stage;
mod stories;

pub use prove::{Subject, Tools, prove};
pub use results::{Cell, Need, Results, Row, Step};
