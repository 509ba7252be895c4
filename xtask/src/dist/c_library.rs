//! Which C library a program needs, read from the names of versions in it.

use anyhow::ensure;

/// The newest release 2.x of the GNU C library that a program names; `None` for a static program, and for
/// another system's.
pub(super) fn newest_glibc(program: &[u8]) -> Option<u32> {
    const GLIBC: &[u8] = b"GLIBC_2.";
    let named = program.windows(GLIBC.len() + 3).filter(|window| window.starts_with(GLIBC));
    let minors = named.filter_map(|window| {
        let digits = window[GLIBC.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        digits.map(|byte| char::from(*byte)).collect::<String>().parse().ok()
    });
    minors.max()
}

/// Refuses a program that does not start with the release 2.`oldest` of the GNU C library.
///
/// # Errors
/// When it needs a newer one.
pub(super) fn check(program: &[u8], oldest: u32) -> anyhow::Result<()> {
    let needed = newest_glibc(program).unwrap_or_default();
    ensure!(needed <= oldest, "the program needs glibc 2.{needed}; it is to start with 2.{oldest}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &[u8] = b"\0GLIBC_2.2.5\0GLIBC_2.17\0GLIBC_2.9\0libgcc_s.so.1\0";

    #[test]
    fn newest_c_library_version_is_compared_by_number() {
        assert_eq!(newest_glibc(PROGRAM), Some(17));
        assert_eq!(newest_glibc(b"\0GLIBC_2.4\0 and"), Some(4));
        assert_eq!(newest_glibc(b"static"), None);
    }

    #[test]
    fn a_program_that_needs_a_newer_c_library_is_refused() {
        assert!(check(PROGRAM, 17).is_ok() && check(b"static", 17).is_ok());
        let error = check(PROGRAM, 16).unwrap_err().to_string();
        assert_eq!(error, "the program needs glibc 2.17; it is to start with 2.16");
    }
}
