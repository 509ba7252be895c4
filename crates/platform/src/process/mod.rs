//! Processes: their parents, names and owners, and signals to them.

mod alive;
mod caller;
mod control;
mod details;
mod editor;
#[cfg(feature = "tokio")]
mod ending;
mod network;
mod processes;
mod table;

pub use alive::{is_alive, may_signal};
pub use caller::caller;
pub use control::{detach, end_group, ended_by, lead_group, running_program, send, start_apart};
pub use details::{directory, environment, ours, started};
pub use editor::editor_above;
#[cfg(feature = "tokio")]
pub use ending::ended;
pub use network::is_in_other_network;
pub use processes::{Processes, is_ours, look_up, parent};
pub use table::Process;

/// Returns a command of this system that waits for a minute.
#[cfg(test)]
fn sleeper() -> std::process::Command {
    let (program, words) = if cfg!(windows) { ("ping", "-n 60 127.0.0.1") } else { ("sleep", "60") };
    let mut command = std::process::Command::new(program);
    command.args(words.split(' ')).stdout(std::process::Stdio::null());
    command
}
