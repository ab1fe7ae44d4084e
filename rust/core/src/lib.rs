//! The Sitemaps protocol in columns: parse, render, pack and unpack.
//!
//! The native engine of `urlset`; it knows no Python. What it does is specified by the reference
//! engine, `src/urlset/engine/reference/`: for any bytes, both give the same answers. A file
//! here has the name of its twin there.

#![forbid(unsafe_code)]
#![allow(clippy::needless_bitwise_bool, reason = "without branches a loop becomes vector code")]
#![allow(clippy::needless_for_each, reason = "a chain that ends in a verb reads well")]
#![allow(clippy::option_option, reason = "it fits, and nothing is there: two answers")]
#![allow(clippy::similar_names, reason = "what packs, and what is packed")]
#![allow(clippy::struct_excessive_bools, reason = "what is there, of things that may all be there")]

pub mod codes;
pub mod columns;
pub mod dates;
pub mod gzip;
pub mod logs;
pub mod render;
pub mod url_hashes;
pub mod urls;
pub mod validity;

mod attributes;
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
mod tokens;
mod tree;
mod unknown_extensions;
mod values;

pub use context::{OffsetRun, Sitemap};
pub use diagnostics::Diagnostic;
pub use document::{Parsed, parse};
