"""What to do about each rule, in a sentence."""

from __future__ import annotations

__all__ = ["FIXES"]

_TABLE = """
X001 Write the sitemap again; what made it did not finish
X002 Write the file with a tool that escapes and closes its tags
X003 Write &amp; for &
X004 Write the character itself, or its number as &#nnn;
X005 Remove the character
X006 Remove what stands before <?xml
X007 Remove what stands before the root: notices and warnings of the server do not belong in it
X008 Remove what stands after the closing tag of the root
X009 Write the file again to its end
X010 Write the file in UTF-8
X011 Write the file in UTF-8 and declare that, or nothing
X012 Let the declaration name the encoding that the bytes are in; UTF-8 needs none
X013 Save the file without a byte order mark
X014 Remove the character
X015 Remove the DOCTYPE
X016 Remove the entity; it is never fetched
X018 Remove the xml-stylesheet instruction, or let it name a CSS file
X019 Serve the sitemap itself at this address, not a page about it
X020 Declare the prefix on the root element: xmlns:image="…"
X021 Keep one of the attributes
X022 Escape once: &amp; and not &amp;amp;
X023 Move the comment out of the value
X024 Make it two files, or move the entries into the first document
X025 Compress the file again
X026 Compress the file again; nothing may follow the stream
X027 Give a gzip file a name that ends in .gz, and no other file
X028 Compress once; a server that compresses .gz files on its way does it twice
X029 Compress with gzip, or not at all
S001 Let the root be <urlset> or <sitemapindex>
S002 Add xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" to the root
S003 Write xmlns="http://www.sitemaps.org/schemas/sitemap/0.9", byte for byte
S004 Use the namespace of the extension as its documentation has it, byte for byte
S006 Write the tag in lower case
S007 Add a <loc>, or remove the entry
S008 Keep one of them
S009 Remove the element, or give it a value
S010 Remove the element
S011 Write the prefix of the extension, and declare it on the root
S012 Remove the attribute
S013 Remove the text; a URL belongs in <url><loc>
S014 Make it two files: an index of sitemaps, and a sitemap
S015 Remove the inner root, and keep what is in it
S016 Put the <loc> in a <url>, or in a <sitemap>
S017 Leave only text in the value
S019 Use always, hourly, daily, weekly, monthly, yearly or never; or leave it out
S020 Use a number from 0.0 to 1.0; or leave it out
S021 List URLs, or remove the sitemap
S022 Remove the element; in an index only <loc> and <lastmod> count
T001 Remove the line, or write a full URL that begins with https://
T002 Write each URL on a line of its own
T003 Write one URL on each line, with nothing around it, ending in LF
T004 Write the URL as it is, unescaped
T005 Rename the file to end in .txt
F001 Use RSS 2.0 or Atom 1.0
F002 Give the item a <link>
F003 Write the date as the feed format has it
U001 Write the full URL, with https:// and the host
U002 List only pages that are served over http or https
U003 Shorten the URL
U005 Remove the white space
U006 Write %20 for a space, and each URL in an entry of its own
U015 Correct the host
D001 Write a W3C date: 2026-01-31 or 2026-01-31T23:59:59+00:00
D002 Add the time zone (Z or +hh:mm), or leave the time out
D003 Write the offset as Z or +hh:mm
D004 Correct the date, or leave it out
L001 Split the sitemap and list the parts in an index; `urlset build` does
L002 Split the sitemap and list the parts in an index; `urlset build` does
L004 Split the index in two
L005 Split the index in two
L006 List no more than 1,000 images of a page
L007 Split the news sitemap
L009 Split the file; readers stop here
I005 List sitemaps, or remove the index
G001 Give the image its <image:loc>, or remove it
G035 Keep one of the elements
G055 Keep one of the elements
H001 Give the link rel="alternate", hreflang and href
H002 Write rel="alternate"
R002 Write the full URL, with https:// and the host
R003 Write `Sitemap: https://…` on a line of its own, for each sitemap
R006 Move the Sitemap lines up, and shorten the file
R007 Save the file in UTF-8, without a byte order mark
"""

FIXES = {line[:4]: line[5:] for line in _TABLE.strip().splitlines()}
"""By code. A rule without a line here has no remedy that fits in one."""
