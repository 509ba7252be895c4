//! The dialects of the messages: the methods and tools that agents call. Each dialect works over any
//! transport that passes messages to it and takes its answers.

pub(super) mod claude;
pub(super) mod contract;
pub(super) mod contract_tools;
mod editor_tools;
mod initialize;
pub(super) mod large_open_diff;
pub(super) mod response;
