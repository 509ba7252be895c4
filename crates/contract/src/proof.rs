//! How a companion proves that it knows its token to somebody who knows it too, without either of them saying
//! it.
//!
//! A discovery file outlives a companion that was killed, and by then anybody may listen on its port. So our
//! own tools ask first: `GET /status` with a nonce in [`NONCE_HEADER`] and without a token. A companion
//! answers `204` with [`PROOF_HEADER`]: HMAC-SHA-256, under its token, of the nonce and of the address that
//! was dialled. The address keeps a stranger on another one (`[::1]` beside `127.0.0.1`) from passing the
//! question on.

use std::net::SocketAddr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::token;

/// Carries the nonce: 64 hexadecimal digits, chosen anew for each question.
pub const NONCE_HEADER: &str = "Alongside-Nonce";
/// Carries the proof: 64 hexadecimal digits.
pub const PROOF_HEADER: &str = "Alongside-Proof";

/// How long a nonce is, in hexadecimal digits.
const NONCE_DIGITS: usize = 64;

/// Whether this may be a nonce. Whoever asks chooses it, so nothing but its form can be wrong.
pub fn is_nonce(nonce: &str) -> bool {
    nonce.len() == NONCE_DIGITS && nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The proof that whoever listens at `address` knows this token, whichever family it was given to.
pub fn prove(token: &str, nonce: &str, address: SocketAddr) -> String {
    mac(token, nonce, address).finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a proof is right, compared in constant time.
pub fn is_proven(token: &str, nonce: &str, address: SocketAddr, proof: &str) -> bool {
    let digits = proof.as_bytes().chunks(2).map(|pair| {
        let pair =
            str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u8::from_str_radix(pair, 16).ok()
    });
    let Some(proof) = digits.collect::<Option<Vec<u8>>>() else { return false };
    mac(token, nonce, address).verify_slice(&proof).is_ok()
}

fn mac(token: &str, nonce: &str, address: SocketAddr) -> Hmac<Sha256> {
    // Records of one companion hold its secret under the name of each family.
    let secret = token::split(token).0;
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        unreachable!("HMAC takes keys of any length")
    };
    mac.update(format!("alongside proof 1\n{nonce}\n{address}").as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    fn at(address: &str) -> SocketAddr {
        address.parse().unwrap()
    }

    #[test]
    fn a_proof_holds_for_its_token_nonce_and_address_only() {
        let here = at("127.0.0.1:4000");
        let proof = prove("secret", NONCE, here);
        assert!(is_proven("secret", NONCE, here, &proof));
        assert!(is_proven("secret.qwen", NONCE, here, &proof), "it is the companion's, not a family's");
        assert!(!is_proven("secre", NONCE, here, &proof));
        assert!(!is_proven("secret", &NONCE.replace('0', "1"), here, &proof));
        for elsewhere in ["127.0.0.1:4001", "[::1]:4000", "172.17.0.1:4000"] {
            assert!(!is_proven("secret", NONCE, at(elsewhere), &proof), "{elsewhere}");
        }
    }

    #[test]
    fn anything_but_the_whole_proof_is_refused() {
        let here = at("127.0.0.1:4000");
        let proof = prove("secret", NONCE, here);
        for wrong in ["", "0", "zz", &proof[..62], &proof[..63], &format!("{proof}00"), "+f", &"é".repeat(32)]
        {
            assert!(!is_proven("secret", NONCE, here, wrong), "{wrong}");
        }
    }

    #[test]
    fn a_proof_shows_nothing_of_the_token() {
        let proof = prove("5ec3e7", NONCE, at("127.0.0.1:4000"));
        assert_eq!(proof.len(), 64);
        assert!(!proof.contains("5ec3e7"));
    }

    #[test]
    fn a_nonce_has_sixty_four_hexadecimal_digits() {
        assert!(is_nonce(NONCE));
        for wrong in ["", "00", &NONCE[1..], &NONCE.replace('0', "x"), &format!("{NONCE}0")] {
            assert!(!is_nonce(wrong), "{wrong}");
        }
    }
}
