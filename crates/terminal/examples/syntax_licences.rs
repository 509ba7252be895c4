//! Prints the licences of the syntaxes that the desk highlights with: no file of a crate has them, and every
//! copy of the program needs them. `cargo xtask dist` packs what this prints.

#![allow(clippy::print_stdout)]

fn main() {
    println!("{}", two_face::acknowledgement::listing().to_md());
}
