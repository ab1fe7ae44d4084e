// The JavaScript peer, sitemap.js, measured as stopwatch.py does.
// Usage: `node sitemap.mjs PACKAGE TASK FILE RUNS SECONDS`: PACKAGE is the package.json of the
// environment where sitemap.js is installed, TASK is read, write or gzip.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";

const [home, task, file, runs, seconds] = process.argv.slice(2);
const require = createRequire(home);
const { SitemapStream, XMLToSitemapItemStream } = require("sitemap");
const data = readFileSync(file);
const CHUNK = 65536; // the chunk size of a file stream
const LONG_S = 4; // as in stopwatch.py

function* chunks() {
  for (let at = 0; at < data.length; at += CHUNK) yield data.subarray(at, at + CHUNK);
}

async function read() {
  const items = [];
  const stream = Readable.from(chunks()).pipe(new XMLToSitemapItemStream({ logger: false }));
  for await (const item of stream) items.push(item);
  return items;
}

async function write(items, packed) {
  const sitemap = Readable.from(items).pipe(new SitemapStream({ level: "silent" }));
  let written = 0;
  if (packed) sitemap.on("data", (chunk) => (written += chunk.length));
  const parts = [];
  for await (const part of packed ? sitemap.pipe(createGzip()) : sitemap) parts.push(Buffer.from(part)); // some are strings
  const size = Buffer.concat(parts).length;
  return { entries: items.length, written: packed ? written : size, packed: packed ? size : null };
}

const items = task === "read" ? null : await read();
const work = items
  ? () => write(items, task === "gzip")
  : async () => ({ entries: (await read()).length, written: null, packed: null });

async function time() {
  const start = performance.now();
  const done = await work();
  return [done, (performance.now() - start) / 1000];
}

const [done, warm] = await time();
const times = warm > LONG_S ? [warm] : [];
const begin = performance.now();
const isOver = () => times.length >= +runs || performance.now() - begin >= seconds * 1000;
while (!times.length || (warm <= LONG_S && !isOver())) times.push((await time())[1]);
const { version } = require("sitemap/package.json");
console.log(JSON.stringify({ ...done, times, version }));
