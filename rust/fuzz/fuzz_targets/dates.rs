//! Any text as date: an instant is in the range of dates, and reads back from its W3C form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use urlset_core::dates::{
    format_instant, is_atom_date, is_instant, is_rss_date, parse_date, parse_log_time, w3c_instant,
};
use urlset_fuzz::text;

fuzz_target!(|data: &[u8]| {
    let text = text(data);
    let date = parse_date(&text);
    assert_eq!(date.instant.is_some(), date.precision.is_some());
    assert!(date.instant.is_some() || date.code.is_some());
    if let Some(instant) = date.instant {
        assert!(is_instant(instant), "{instant}");
        let text = String::from_utf8_lossy(format_instant(instant).as_bytes()).into_owned();
        let again = parse_date(&text);
        assert_eq!((again.instant, again.code), (Some(instant), None), "{text}");
    }
    if let Some(instant) = w3c_instant(data) {
        assert_eq!(Some(instant), date.instant);
        assert_eq!(date.code, None);
    }
    let _ = (is_rss_date(&text), is_atom_date(&text), parse_log_time(data));
});
