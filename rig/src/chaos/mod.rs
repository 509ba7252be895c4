//! Chaos: rounds in which agents, desks and companions race while the script kills, freezes, cuts and delays
//! them at random points.
//!
//! A seed determines a [`Plan`] of timed steps. A [`Harness`] plays the plan and fills a [`Record`]. The
//! [`oracle`] judges the record alone: the script's own actions, the agents' results, and the files on disk
//! at the end. [`paused`] plays agents of the rig in this process on a paused clock, about ten rounds a
//! second; [`real`] plays the shipped agents' own clients and the real program; [`hooks`] plays agents that
//! run the program's hook, by the rules that were measured with each agent; [turns] plays turn hooks, and the
//! turn reviews that follow. A failing plan is [minimised](minimise) and kept as a test.

mod agent_write;
mod desk;
mod desk_transport;
mod generator;
pub mod harness;
pub mod hooks;
mod large_text;
pub mod minimise;
pub mod oracle;
pub mod paused;
mod people;
pub mod plan;
mod processes;
mod project;
pub mod real;
pub mod record;
pub mod results;
mod shared_record;
pub mod small_disk;
mod squatter;
pub mod tool_call;
pub mod turns;

pub use harness::{Harness, play};
pub use oracle::{Rule, Violation};
pub use plan::{Action, Plan, Step};
pub use record::Record;
