//! Identifies this machine and its last start, because several machines may share a home directory.

#[cfg(target_os = "linux")]
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// A start (boot) of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boot {
    /// The unique identifier of this start. A container has that of its machine.
    id: String,
    /// A hash of the machine's names.
    machine: String,
}

/// The relation of a boot to this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The boot is the current one, or unknown.
    Here,
    /// The boot is an earlier one of this machine.
    EarlierBoot,
    /// The boot belongs to another machine.
    OtherMachine,
}

impl Boot {
    /// Returns the current boot; `None` if the system does not identify it.
    pub fn here() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            static HERE: LazyLock<Option<Boot>> = LazyLock::new(Boot::read);
            HERE.clone()
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    #[cfg(target_os = "linux")]
    fn read() -> Option<Self> {
        let read = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
        let id = read("/proc/sys/kernel/random/boot_id")?;
        let names =
            ["/proc/sys/kernel/hostname", "/etc/machine-id"].map(|path| read(path).unwrap_or_default());
        // The id of a machine is confidential.
        let machine = format!("{:016x}", hash(&names));
        Some(Self { id, machine })
    }

    /// Compares this boot with the current one.
    pub fn origin(&self, here: Option<&Self>) -> Origin {
        match here {
            None => Origin::Here,
            Some(here) if here.id == self.id => Origin::Here,
            Some(here) if here.machine == self.machine => Origin::EarlierBoot,
            Some(_) => Origin::OtherMachine,
        }
    }
}

#[cfg(target_os = "linux")]
fn hash(names: &[String]) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    names.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boot_is_distinguished_from_earlier_ones_and_other_machines() {
        let boot = |id: &str, machine: &str| Boot { id: id.into(), machine: machine.into() };
        let here = boot("1", "a");
        assert_eq!(here.origin(Some(&here)), Origin::Here);
        assert_eq!(boot("1", "container").origin(Some(&here)), Origin::Here);
        assert_eq!(boot("0", "a").origin(Some(&here)), Origin::EarlierBoot);
        assert_eq!(boot("0", "b").origin(Some(&here)), Origin::OtherMachine);
        assert_eq!(boot("0", "b").origin(None), Origin::Here);
        assert_eq!(Boot::here(), Boot::here());
    }
}
