//! Cargo's options for a program to be packed: the same for every way to build one.

/// Cargo's arguments for a program to be packed.
pub(super) fn arguments(target: &str) -> [&str; 6] {
    ["--release", "--locked", "--package", "alongside", "--target", target]
}

/// The variable with flags for the compiler.
pub(super) const FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";

/// The flags by which a program names these places otherwise: those of this machine would make every build
/// different.
pub(super) fn remapped(places: [(&str, &str); 2]) -> String {
    places.map(|(place, name)| format!("--remap-path-prefix={place}={name}")).join("\u{1f}")
}
