//! Prints the licences of the syntaxes that the desk highlights. Every copy of the program needs these
//! licences, and no file of a crate contains them: `cargo xtask dist` packs this output.

#![allow(clippy::print_stdout)]

fn main() {
    println!("{}", two_face::acknowledgement::listing().to_md());
}
