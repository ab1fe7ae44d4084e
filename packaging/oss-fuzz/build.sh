#!/bin/bash -eu
# Run by OSS-Fuzz in its builder image: builds every target with its seeds and the dictionary.
cd "$SRC/urlset"
cargo fuzz build --fuzz-dir rust/fuzz --release
for binary in rust/fuzz/target/x86_64-unknown-linux-gnu/release/*; do
  name=$(basename "$binary")
  [ -f "rust/fuzz/fuzz_targets/$name.rs" ] || continue
  cp "$binary" "$OUT/"
  cp rust/fuzz/tokens.dict "$OUT/$name.dict"
  printf '[libfuzzer]\nmax_len = 8192\n' > "$OUT/$name.options"
  python3 packaging/fuzz.py --write-seeds "$WORK/$name" "$name"
  zip -q -j "$OUT/${name}_seed_corpus.zip" "$WORK/$name"/*
done
