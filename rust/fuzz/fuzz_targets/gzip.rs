//! Any bytes as gzip: a header ends inside of them, and what was compressed decompresses.

#![no_main]

use libdeflater::Decompressor;
use libfuzzer_sys::fuzz_target;
use urlset_core::gzip::{compress, header_length};

fuzz_target!(|data: &[u8]| {
    let mut decompressor = Decompressor::new();
    let mut unpacked = vec![0; 1 << 16];
    if let Some(length) = header_length(data) {
        assert!((10..=data.len()).contains(&length));
        if let Ok(size) = decompressor.gzip_decompress(data, &mut unpacked) {
            assert!(size <= unpacked.len());
        }
    }
    let packed = compress(data);
    assert_eq!(header_length(&packed), Some(10));
    let mut again = vec![0; data.len()];
    assert_eq!(decompressor.gzip_decompress(&packed, &mut again), Ok(data.len()));
    assert_eq!(again, data);
});
