//! The host: a small process of its own around the companion, which desks join over a private socket. It
//! outlives each of them, so that a desk can crash, be joined by another, or be closed, and nothing is lost.

pub mod companions;
mod connect;
mod connections;
mod control;
mod directories;
mod entry;
mod events;
mod join_request;
mod lifecycle;
mod plan;
mod port_hold;
mod presence;
mod projects;
mod reconnect;
mod recovery;
mod registry;
mod reviewer;
mod save_watcher;
mod serve;
mod spawn;
mod start_lock;
mod startup;

pub use control::{process_of, replace, reports, serves, stop};
pub use directories::project_of;
pub use entry::{Entry, PartyRecord};
pub use join_request::JoinRequest;
pub use plan::Plan;
pub use reconnect::{JoinedDesk, join};
pub use registry::Registry;
pub use reviewer::{HookSearch, Restarting, Reviewer, TurnListener};
pub use start_lock::StartLock;
pub use startup::serve;
