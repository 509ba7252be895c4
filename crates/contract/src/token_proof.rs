//! The token proof: a companion proves that it knows its token, and neither side sends the token.
//!
//! A discovery file remains when its companion is killed, and then any program may listen on its port.
//! Therefore alongside's own tools first send `GET /status` with a nonce in [`NONCE_HEADER`] and without a
//! token. A companion answers `204` with [`PROOF_HEADER`]: the HMAC-SHA-256, with its token as the key, of
//! the nonce and the dialled address. Because the proof contains the address, a listener at another address
//! (`[::1]` in place of `127.0.0.1`) cannot forward the request.

use std::net::SocketAddr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::token;

/// The header of the nonce: 64 hexadecimal digits, new for each request.
pub const NONCE_HEADER: &str = "Alongside-Nonce";
/// The header of the proof: 64 hexadecimal digits.
pub const PROOF_HEADER: &str = "Alongside-Proof";

/// The length of a nonce in hexadecimal digits.
const NONCE_DIGITS: usize = 64;

/// Whether a text has the form of a nonce.
pub fn is_nonce(nonce: &str) -> bool {
    nonce.len() == NONCE_DIGITS && nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Computes the proof that the listener at `address` knows a token. The agent in the token makes no
/// difference.
pub fn prove(token: &str, nonce: &str, address: SocketAddr) -> String {
    mac(token, nonce, address).finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a proof is correct. The comparison takes constant time.
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
    // The records of a companion contain its secret with the identifiers of several agents.
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
    fn a_proof_fits_its_token_nonce_and_address_only() {
        let here = at("127.0.0.1:4000");
        let proof = prove("secret", NONCE, here);
        assert!(is_proven("secret", NONCE, here, &proof));
        assert!(is_proven("secret.qwen", NONCE, here, &proof), "the proof does not depend on the family");
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
    fn a_proof_does_not_contain_the_token() {
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
