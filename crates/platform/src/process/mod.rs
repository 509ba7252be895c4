//! Processes: their parents, names and owners, and signals to them.

mod alive;
mod cim;
mod editor;
#[cfg(feature = "tokio")]
mod ending;
mod others;
mod processes;
mod ps;
mod sending;
mod table;

pub use alive::{is_alive, may_signal};
pub use editor::editor_above;
#[cfg(feature = "tokio")]
pub use ending::ended;
pub use others::{directory, environment, ours, started};
pub use processes::{Processes, look_up, parent};
pub use sending::{detach, end_group, ended_by, lead_group, own_program, send};
pub use table::Process;
