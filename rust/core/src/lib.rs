//! The Sitemaps protocol in columns: parse, render, compress.
//!
//! This is the native engine of `urlset`; it does not depend on Python. The reference engine in
//! `src/urlset/engine/reference/` specifies its behavior: both return the same results for any
//! input. A module has the name of its counterpart there.

#![forbid(unsafe_code)]
#![allow(
    clippy::needless_bitwise_bool,
    reason = "loops without branches compile to vector instructions"
)]
#![allow(clippy::needless_for_each, reason = "a method chain may end with its side effect")]
#![allow(clippy::option_option, reason = "a match without a value differs from no match")]
#![allow(clippy::similar_names, reason = "a compressor and its output have similar names")]
#![allow(
    clippy::struct_excessive_bools,
    reason = "independent properties, not states of a machine"
)]

pub mod canonical_urls;
pub mod codes;
pub mod columns;
pub mod dates;
pub mod digests;
pub mod gzip;
pub mod html;
pub mod json;
pub mod known_rows;
pub mod logs;
pub mod render;
pub mod spans;
pub mod url_hashes;
pub mod urls;
pub mod utf8;
pub mod validity;

mod attributes;
mod blake2b;
mod context;
mod cursor;
mod diagnostics;
mod doctype;
mod document;
mod entities;
mod escape;
mod extensions;
mod fast_path;
mod feeds;
mod lists;
mod log_paths;
mod metadata;
mod misc;
mod names;
mod namespaces;
mod nesting;
mod nodes;
mod prolog;
mod references;
mod search;
mod sitemap;
mod tags;
mod threads;
mod tokens;
mod tree;
mod unknown_extensions;
mod values;

pub use context::{OffsetRun, Sitemap};
pub use diagnostics::Diagnostic;
pub use document::{Parsed, parse};
pub use names::{container_elements, namespace_elements};
