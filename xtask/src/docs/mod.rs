//! Tests that hold the pages for people to the repository: links, commands, tables, figures, names of tests.

mod agents;
mod desk_messages;
mod desk_table;
mod markdown_page;
mod pages;
mod size_figures;
mod test_names;
