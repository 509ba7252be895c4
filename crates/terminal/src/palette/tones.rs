//! The colours for light and dark backgrounds in a terminal with more than 16 colours. A test computes their
//! contrast: at least 4.5 for text, 3 for lines and margins.

use ratatui_core::style::Color;

use crate::colour::Class;

/// A colour as 24 bits, and the best substitute among 256 colours. Dark tints have no near colour there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tone(u32, u8);

impl Tone {
    pub(super) fn rgb(self) -> Color {
        Color::from_u32(self.0)
    }

    pub(super) fn indexed(self) -> Color {
        Color::Indexed(self.1)
    }
}

/// The colours of one background.
pub(super) struct Tones {
    pub(super) quiet: Tone,
    pub(super) border: Tone,
    pub(super) accent: Tone,
    pub(super) selected: Tone,
    pub(super) warning: Tone,
    pub(super) fold: Tone,
    pub(super) mark: Tone,
    pub(super) found: Tone,
    pub(super) found_here: Tone,
    pub(super) found_text: Tone,
    /// Text on the background of a warning.
    pub(super) hidden_text: Tone,
    /// Text on the background of words that differ.
    pub(super) words: Tone,
    /// The colours of the line, the sign and the words; also in `removed` and `edited`.
    pub(super) added: [Tone; 3],
    pub(super) removed: [Tone; 3],
    pub(super) edited: [Tone; 3],
    /// By class.
    pub(super) classes: [Tone; Class::ALL.len()],
}

pub(super) const DARK: Tones = Tones {
    quiet: Tone(0x98_a0ab, 249),
    border: Tone(0x69_707c, 243),
    accent: Tone(0x56_c8d8, 80),
    selected: Tone(0x2c_3340, 237),
    warning: Tone(0xe5_b567, 179),
    fold: Tone(0x1e_2228, 235),
    mark: Tone(0xdb_96df, 219),
    found: Tone(0xe5_c07b, 180),
    found_here: Tone(0xff_8c42, 208),
    found_text: Tone(0x1a_1a1a, 234),
    hidden_text: Tone(0x1a_1a1a, 234),
    words: Tone(0xff_ffff, 231),
    added: [Tone(0x10_2b1b, 22), Tone(0x6f_cf7c, 114), Tone(0x1f_5c35, 28)],
    removed: [Tone(0x36_171c, 52), Tone(0xf5_8a90, 210), Tone(0x7a_2530, 88)],
    edited: [Tone(0x14_2740, 17), Tone(0x7a_b4f5, 111), Tone(0x24_4f86, 25)],
    classes: [
        Tone(0x98_a0ab, 251),
        Tone(0xa5_d6a0, 151),
        Tone(0xe0_a878, 223),
        Tone(0xe0_a878, 223),
        Tone(0xc7_9bf0, 189),
        Tone(0x6f_d0cf, 116),
        Tone(0x82_b6ff, 117),
    ],
};

pub(super) const LIGHT: Tones = Tones {
    quiet: Tone(0x57_606a, 240),
    border: Tone(0x86_8d98, 244),
    accent: Tone(0x00_6580, 24),
    selected: Tone(0xd9_e2ef, 254),
    warning: Tone(0x7d_4a00, 94),
    fold: Tone(0xf0_f2f5, 255),
    mark: Tone(0x85_208f, 90),
    found: Tone(0xff_d54f, 221),
    found_here: Tone(0xff_9a3c, 208),
    found_text: Tone(0x1a_1a1a, 234),
    hidden_text: Tone(0xff_ffff, 231),
    words: Tone(0x00_0000, 16),
    added: [Tone(0xdd_f5e1, 194), Tone(0x16_6b2e, 22), Tone(0x9b_dcaa, 114)],
    removed: [Tone(0xfd_e4e4, 224), Tone(0xb0_1c2b, 124), Tone(0xf7_b4b8, 217)],
    edited: [Tone(0xdf_ecfd, 189), Tone(0x1a_54aa, 25), Tone(0xa6_c8f5, 111)],
    classes: [
        Tone(0x57_606a, 240),
        Tone(0x1b_6e3c, 22),
        Tone(0x8a_4300, 58),
        Tone(0x8a_4300, 58),
        Tone(0x7a_2fbf, 91),
        Tone(0x00_6b75, 23),
        Tone(0x1a_4fb4, 25),
    ],
};
