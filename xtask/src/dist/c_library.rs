//! Finds the C library that a program needs, from the names of versions in it.

use anyhow::ensure;

use super::targets::Libc;

/// Returns the newest release 2.x of the GNU C library that a program names; `None` for a static program, and
/// for another system's.
pub(super) fn newest_glibc(program: &[u8]) -> Option<u32> {
    const GLIBC: &[u8] = b"GLIBC_2.";
    let named = program.windows(GLIBC.len() + 3).filter(|window| window.starts_with(GLIBC));
    let minors = named.filter_map(|window| {
        let digits = window[GLIBC.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        digits.map(|byte| char::from(*byte)).collect::<String>().parse().ok()
    });
    minors.max()
}

/// Refuses a program that needs another C library than its target promises.
///
/// # Errors
/// When the program needs a newer C library, or any although it should need none.
pub(super) fn check(program: &[u8], promised: Libc) -> anyhow::Result<()> {
    match promised {
        Libc::Glibc { oldest } => {
            let needed = newest_glibc(program).unwrap_or_default();
            ensure!(needed <= oldest, "the program needs glibc 2.{needed}; it is to start with 2.{oldest}");
        }
        Libc::Static => {
            // The section of a program that is started by another one, the loader.
            let loaded = program.windows(LOADER.len()).any(|window| window == LOADER);
            ensure!(!loaded, "the program is not static: it needs a loader, and the C library of a system");
        }
        Libc::OfSystem => {
            let wanted =
                OF_COMPILER.iter().find(|name| program.windows(name.len()).any(|part| part == **name));
            let name = wanted.map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default();
            ensure!(name.is_empty(), "the program needs {name}…, which no Windows has");
        }
    }
    Ok(())
}

/// The beginnings of the names of libraries that a compiler for Windows may want.
const OF_COMPILER: [&[u8]; 3] = [b"libgcc_s_", b"libwinpthread-", b"libstdc++-"];

const LOADER: &[u8] = b"\0.interp\0";

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
        let oldest = |oldest| Libc::Glibc { oldest };
        assert!(check(PROGRAM, oldest(17)).is_ok() && check(b"static", oldest(17)).is_ok());
        let error = check(PROGRAM, oldest(16)).unwrap_err().to_string();
        assert_eq!(error, "the program needs glibc 2.17; it is to start with 2.16");
    }

    #[test]
    fn a_program_with_a_loader_is_not_static() {
        assert!(check(b"\0.text\0", Libc::Static).is_ok());
        assert!(check(b"\0.shstrtab\0.interp\0.note\0", Libc::Static).is_err());
    }

    #[test]
    fn a_program_of_windows_wants_no_library_of_its_compiler() {
        assert!(check(b"MZ\0KERNEL32.dll\0msvcrt.dll\0", Libc::OfSystem).is_ok());
        let error = check(b"MZ\0KERNEL32.dll\0libgcc_s_seh-1.dll\0", Libc::OfSystem).unwrap_err().to_string();
        assert_eq!(error, "the program needs libgcc_s_…, which no Windows has");
    }
}
