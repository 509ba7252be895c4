//! `alongside doctor`: each thing that can be wrong is staged for real, and it must name that thing first, and a cure.

mod agents;
mod answers;
mod clinic;
mod elsewhere;
mod files;
mod healthy;
mod variables;
