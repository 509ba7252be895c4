//! Chaos: rounds in which agents, desks and companions work against each other while the script kills,
//! freezes, cuts and delays them at random points.
//!
//! A round is a pure function of its seed: a [`Plan`] of timed steps. A [`Harness`] plays it and fills a
//! [`Record`]. The [`oracle`] judges the record alone: the script's own actions, the agents' results, and the
//! files on disk at the end. [`paused`] plays our own agents in this process on a paused clock, some ten
//! rounds a second; [`real`] plays the shipped agents' own clients and the real program; [`hooks`] plays
//! agents that run the program's hook, by the rules that were measured with them; [turns] plays the hooks at
//! prompts and ends, and the reviews that follow. A failing plan is [minimised](minimise) and kept as a test.

mod deed;
mod desk;
mod desk_transport;
mod generator;
pub mod harness;
pub mod hooks;
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
