//! The host: a small process of its own around the companion, which desks join over a private socket. It
//! outlives each of them, so that a desk can crash, be joined by another, or be closed, and nothing is lost.

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
mod serve;
mod spawn;
mod startup;

pub(crate) use control::{process_of, replace, reports, serves, stop};
pub(crate) use entry::Entry;
pub(crate) use join_request::JoinRequest;
pub(crate) use plan::Plan;
pub(crate) use reconnect::join;
pub(crate) use registry::Registry;
pub(crate) use reviewer::{Restarting, Reviewer};
pub(crate) use startup::serve;
