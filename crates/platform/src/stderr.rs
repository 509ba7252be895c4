//! A file in place of standard error, for a program that has no terminal: whoever starts the program hands it
//! a file so, which no other child can inherit by accident.

use std::fs::File;
use std::io;

/// Takes the file that this program was started with in place of standard error. From then on, standard error
/// leads nowhere.
///
/// # Errors
/// If standard error is closed, or the system cannot replace it, as Windows.
pub fn take() -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        let file = io::stderr().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stderr(File::options().write(true).open("/dev/null")?)?;
        Ok(file.into())
    }
    #[cfg(not(unix))]
    Err(io::ErrorKind::Unsupported.into())
}
