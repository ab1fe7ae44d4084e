//! Passes the optimization level to the crate, which reports it: an engine that was compiled
//! without optimization is several times slower.

fn main() {
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=URLSET_OPT_LEVEL={level}");
    println!("cargo::rerun-if-changed=build.rs");
}
