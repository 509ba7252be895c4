//! The hash by which the log distinguishes texts, and by which directories and files of the store are named.

use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 in hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
