//! Any text as URL: what is returned is an http URL, and stays as it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use urlset_core::urls::{
    is_authority, is_host, is_http, parse_url, resolve, split_origin, split_urls, split_words,
};
use urlset_fuzz::{BASE, text};

fuzz_target!(|data: &[u8]| {
    let text = text(data);
    for base in [None, Some(BASE)] {
        if let Some(url) = parse_url(&text, base).url {
            assert!(is_http(&url), "{url:?}");
            let again = parse_url(&url, base).url;
            assert_eq!(again.as_deref(), Some(&*url));
        }
    }
    let (one, other) = text.split_once('\n').unwrap_or((&text, BASE));
    let _ = resolve(one, other);
    let resolved = resolve(one, BASE);
    assert!(!resolved.is_empty());
    let _ = (is_host(one), is_authority(one), split_origin(one));
    let mut length = 0;
    split_urls(&text, |part| length += part.len());
    assert!(length <= text.len());
    assert!(split_words(&text).map(str::len).sum::<usize>() <= text.len());
});
