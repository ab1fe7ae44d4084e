//! Validation of the authority of a URL.

use std::net::Ipv6Addr;

use super::is_inner_space;

/// Returns whether an authority contains a valid host and port.
#[must_use]
pub fn is_authority(authority: &str) -> bool {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.ends_with(']') {
        return is_host(host);
    }
    let Some((host, port)) = host.rsplit_once(':') else {
        return is_host(host);
    };
    let is_port = port.len() <= 5
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && port.bytes().fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0')) < 65_536;
    is_port && is_host(host)
}

/// Returns whether a host name can be resolved: labels of 1 to 63 characters, 253 in total.
#[must_use]
pub fn is_host(host: &str) -> bool {
    if let Some(inside) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let is_ipv6 = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
        if !inside.is_empty() && inside.bytes().all(is_ipv6) {
            return inside.parse::<Ipv6Addr>().is_ok();
        }
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    let fits = |byte: u8| {
        byte >= 0x80 || byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'-')
    };
    let is_forbidden = |character| {
        matches!(character, '\u{80}'..='\u{9f}' | '\u{fffd}') || is_inner_space(character)
    };
    let is_invalid = |host: &str| host.contains(is_forbidden) || host.chars().count() > 253;
    if host.is_empty() || !host.bytes().all(fits) || is_invalid(host) {
        return false;
    }
    if host.eq_ignore_ascii_case("http") || host.eq_ignore_ascii_case("https") {
        return false; // http://https://example.com
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    if !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()) {
        // https://url.spec.whatwg.org/#ends-in-a-number-checker
        return host.split('.').count() == 4 && host.split('.').all(is_octet);
    }
    host.split('.').all(|label| !label.is_empty() && label.chars().count() < 64)
}

/// Returns whether a text is a number from 0 to 255 without leading zeros.
fn is_octet(text: &str) -> bool {
    let is_short = matches!(text.len(), 1..=3) && (text.len() == 1 || !text.starts_with('0'));
    is_short && text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u8>().is_ok()
}
