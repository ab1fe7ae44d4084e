//! Hash function `BLAKE2b` without a key (RFC 7693), with 16 bytes of output and a personalization.

const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

const BLOCK: usize = 128;
const SIZE: usize = 16;

/// Returns the hash of data.
#[must_use]
pub fn blake2b_128(data: &[u8], person: [u8; 16]) -> [u8; SIZE] {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let mut state = IV;
    state[0] ^= 0x0101_0000 | SIZE as u64;
    state[6] ^= word(&person[..8]);
    state[7] ^= word(&person[8..]);
    let whole = data.len().saturating_sub(1) / BLOCK * BLOCK;
    let (blocks, _) = data[..whole].as_chunks::<BLOCK>();
    let mut count = 0;
    for block in blocks {
        count += BLOCK as u64;
        compress(&mut state, block, count, false);
    }
    let mut last = [0; BLOCK];
    last[..data.len() - whole].copy_from_slice(&data[whole..]);
    compress(&mut state, &last, data.len() as u64, true);
    let mut found = [0; SIZE];
    found[..8].copy_from_slice(&state[0].to_le_bytes());
    found[8..].copy_from_slice(&state[1].to_le_bytes());
    found
}

/// Returns a hash in hexadecimal.
#[must_use]
pub fn hexadecimal(hash: [u8; SIZE]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * SIZE);
    for byte in hash {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

fn compress(state: &mut [u64; 8], block: &[u8; BLOCK], count: u64, is_last: bool) {
    let mut message = [0; 16];
    for (word, bytes) in message.iter_mut().zip(block.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    let mut v = [0; 16];
    v[..8].copy_from_slice(state);
    v[8..].copy_from_slice(&IV);
    v[12] ^= count;
    if is_last {
        v[14] = !v[14];
    }
    let v = &mut v;
    let message = &message;
    round::<0>(v, message);
    round::<1>(v, message);
    round::<2>(v, message);
    round::<3>(v, message);
    round::<4>(v, message);
    round::<5>(v, message);
    round::<6>(v, message);
    round::<7>(v, message);
    round::<8>(v, message);
    round::<9>(v, message);
    round::<0>(v, message);
    round::<1>(v, message);
    for (at, word) in state.iter_mut().enumerate() {
        *word ^= v[at] ^ v[at + 8];
    }
}

/// Mixes the message into the state. The order of its words is a constant, so that they need no
/// lookup.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the state stays in registers")]
fn round<const ROUND: usize>(state: &mut [u64; 16], message: &[u64; 16]) {
    let word = |at: usize| message[SIGMA[ROUND][at]];
    mix(state, [0, 4, 8, 12], word(0), word(1));
    mix(state, [1, 5, 9, 13], word(2), word(3));
    mix(state, [2, 6, 10, 14], word(4), word(5));
    mix(state, [3, 7, 11, 15], word(6), word(7));
    mix(state, [0, 5, 10, 15], word(8), word(9));
    mix(state, [1, 6, 11, 12], word(10), word(11));
    mix(state, [2, 7, 8, 13], word(12), word(13));
    mix(state, [3, 4, 9, 14], word(14), word(15));
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "the indices are constants at each call")]
fn mix(state: &mut [u64; 16], at: [usize; 4], first: u64, second: u64) {
    let [mut a, mut b, mut c, mut d] = at.map(|at| state[at]);
    a = a.wrapping_add(b).wrapping_add(first);
    d = (d ^ a).rotate_right(32);
    c = c.wrapping_add(d);
    b = (b ^ c).rotate_right(24);
    a = a.wrapping_add(b).wrapping_add(second);
    d = (d ^ a).rotate_right(16);
    c = c.wrapping_add(d);
    b = (b ^ c).rotate_right(63);
    for (at, word) in at.into_iter().zip([a, b, c, d]) {
        state[at] = word;
    }
}
