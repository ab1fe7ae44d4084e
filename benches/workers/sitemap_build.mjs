// Build a set of sitemaps with sitemap.js: `node sitemap_build.mjs PACKAGE LIST FOLDER`, where PACKAGE is the
// package.json of the environment where it is installed. The list is in memory before the clock starts.

import { createWriteStream, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGzip, gunzipSync } from "node:zlib";

const [home, list, folder] = process.argv.slice(2);
const require = createRequire(home);
const { SitemapAndIndexStream, SitemapStream } = require("sitemap");
const lines = readFileSync(list, "utf8").trimEnd().split("\n");
const items = lines.map((line) => line.split("\t")).map(([url, lastmod]) => ({ url, lastmod }));
const SITE = "https://www.example.com";

const files = [];
const all = new SitemapAndIndexStream({
  limit: 50000,
  level: "silent",
  getSitemapStream: (number) => {
    const sitemap = new SitemapStream({ hostname: SITE, level: "silent" });
    const name = `sitemap-${number}.xml.gz`;
    const file = sitemap.pipe(createGzip()).pipe(createWriteStream(join(folder, name)));
    files.push(finished(file));
    return [`${SITE}/${name}`, sitemap, file];
  },
});
const start = performance.now();
await pipeline(Readable.from(items), all, createGzip(), createWriteStream(join(folder, "index.gz")));
await Promise.all(files);
const seconds = (performance.now() - start) / 1000;
let entries = 0;
for (const name of readdirSync(folder)) {
  const text = gunzipSync(readFileSync(join(folder, name))).toString();
  entries += text.split("<url>").length - 1;
}
const { version } = require("sitemap/package.json");
console.log(JSON.stringify({ seconds, entries, version }));
