//! The host: a small process around the companion, which desks join over a private socket. It outlives each
//! desk: a desk can crash, be replaced by another desk, or be closed, and nothing is lost.

mod chosen_host;
pub mod companions;
mod connect;
mod connections;
mod events;
mod host_control;
mod join_request;
mod lifecycle;
mod port_hold;
mod presence;
mod problem_reports;
mod project_paths;
mod projects;
mod reconnect;
mod recovery;
mod registry;
mod registry_entry;
mod reviewer;
mod save_watcher;
mod serve;
mod spawn;
mod start_lock;
mod startup;
mod startup_plan;

pub use chosen_host::{host_named, host_of};
pub use host_control::{process_of, replace, reports, serves, stop};
pub use join_request::JoinRequest;
pub use project_paths::project_of;
pub use reconnect::{JoinedDesk, join};
pub use registry::Registry;
pub use registry_entry::{Entry, PartyRecord};
pub use reviewer::{HookSearch, Restarting, Reviewer, SnapshotReporter};
pub use start_lock::StartLock;
pub use startup::serve;
pub use startup_plan::Plan;
