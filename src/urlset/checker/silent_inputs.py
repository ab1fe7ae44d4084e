"""Valid inputs of :mod:`urlset.checker.silent_examples`: code, reason, input; ``⏎`` is a line end."""

from __future__ import annotations

LOCS = """
U001 | a scheme in capitals | HTTPS://example.com/scheme
U001 | no path at all | https://example.com
U001 | a colon in the path | https://example.com/urn:isbn:0451450523
U001 | a URL in the path | https://example.com/web/2020/https://example.org/
U002 | a scheme in capitals | Https://example.com/capitals
U002 | another scheme in a parameter | https://example.com/?u=ftp://example.org/
U002 | javascript: in the path | https://example.com/javascript:void
U002 | mailto: in the path | https://example.com/mailto:editor@example.org
U006 | a space that is encoded | https://example.com/our%20team
U006 | a plus for a space | https://example.com/search?q=rye+bread
U006 | a no-break space that is encoded | https://example.com/rye%C2%A0bread
U006 | a joiner in a Persian word, encoded | https://example.com/%D9%85%DB%8C%E2%80%8C%D8%B1%D9%88%D9%85
U007 | sub-delims | https://example.com/a!$&amp;'()*+,;=:@
U007 | tilde | https://example.com/~jones/
U007 | a bar that is encoded | https://example.com/a%7Cb
U007 | braces that are encoded, with JSON in them | https://example.com/?f=%7B%22a%22%3A1%7D
U007 | quotes that are encoded | https://example.com/%22rye%22
U007 | a caret that is encoded | https://example.com/x%5E2
U007 | a backslash that is encoded | https://example.com/a%5Cb
U007 | a backquote that is encoded | https://example.com/%60rye%60
U007 | an apostrophe | https://example.com/baker's-dozen
U007 | an apostrophe as an entity | https://example.com/baker&apos;s-choice
U007 | an ampersand as a number | https://example.com/?a=1&#38;b=2
U007 | an ampersand in hexadecimal | https://example.com/?a=1&#x26;b=3
U008 | a name in UTF-8, encoded | https://example.com/%C3%BCber
U008 | lower case in an escape | https://example.com/%c3%bcber-uns
U008 | Japanese, encoded | https://example.com/%E6%9D%B1%E4%BA%AC
U008 | an emoji, encoded | https://example.com/%F0%9F%8D%9E
U008 | Latin-1, encoded, as old sites have it | https://example.com/caf%E9
U009 | a host in punycode | https://example.com/?host=xn--bcher-kva.example
U010 | a percent sign that is encoded | https://example.com/100%25-wool
U010 | an escape at the end | https://example.com/rye%20
U010 | an escape in a query | https://example.com/?q=50%25
U010 | an encoded slash | https://example.com/a%2Fb
U011 | a URL in a parameter of a URL, encoded once more | https://example.com/?u=https%3A%2F%2Fexample.org%2F%3Fa%3D%2520
U011 | an encoded percent sign before letters | https://example.com/25%25off
U012 | an encoded number sign | https://example.com/c%23
U012 | a number sign in a parameter, encoded | https://example.com/?color=%23fff
U013 | an @ in the path | https://example.com/@jones
U013 | an @ in the query | https://example.com/?mail=editor@example.org
U013 | an @ behind a colon in the path | https://example.com/a:b@c
U014 | a colon and digits in the path | https://example.com/a:8080/
U014 | a port in a parameter | https://example.com/?host=example.org:8080
U015 | an underscore in the path | https://example.com/_next/
U015 | a host in the path that has none | https://example.com/..._
U016 | localhost in the path | https://example.com/localhost/
U016 | a private address in the path | https://example.com/ip/192.168.0.1
U016 | localhost in a parameter | https://example.com/?h=localhost
U016 | test as a word | https://example.com/test
U018 | a parameter that ends like that of a session | https://example.com/?obsession=1
U018 | sid in a word | https://example.com/?side=left
U018 | utm in a word | https://example.com/?autumn=2026
U018 | ref as a word in the path | https://example.com/ref/manual
U018 | a page number | https://example.com/?page=2
U018 | a path that names a session | https://example.com/phpsessid
U018 | an id | https://example.com/?id=0123456789abcdef
U019 | a tag in brackets that are encoded | https://example.com/tagged/%5Bpython%5D
U019 | a parameter without a value that is said so | https://example.com/?color=null
U019 | a link to a category of a wiki | https://example.com/wiki/:Category
U019 | a parameter of several values | https://example.com/?tags%5B%5D=a&amp;tags%5B%5D=b
U019 | an index of a parameter | https://example.com/?a%5Bname%5D=rye
U019 | JSON in a parameter | https://example.com/?q=%7B%22slug%22%3A%22rye%22%7D
U019 | a word that begins with null | https://example.com/nullable
U019 | a word that ends with undefined | https://example.com/is-undefined
U019 | null among other words | https://example.com/sql-null-values
U019 | an island | https://example.com/null-island/
U019 | a grandmother | https://example.com/nan/
U019 | nan in lower case | https://example.com/?q=nan
U019 | a GUID in braces that are encoded | https://example.com/%7B6F9619FF-8B86-D011-B42D-00CF4FC964FF%7D
U019 | a word behind a colon | https://example.com/a/:shortcut
U019 | an object of JavaScript as a topic | https://example.com/javascript/object
U019 | two underscores in a name of Python | https://example.com/api/__init__
U019 | percent-encoded UTF-8 that spells s | https://example.com/%73
U020 | a page that only ends in the letters of a format | https://example.com/photos/about-jpg
U020 | a page in PHP | https://example.com/index.php?a=1
U020 | a book as PDF, which engines index | https://example.com/report.pdf
U020 | a folder that is named like a file | https://example.com/jquery.js/
U020 | a page about a file | https://example.com/wiki/File:Rye.jpg/info
U021 | a page about sitemaps | https://example.com/sitemap/
U021 | the sitemap of a site for people | https://example.com/sitemap.html
U021 | an article about sitemaps | https://example.com/blog/sitemap.xml-explained
U021 | another file in XML | https://example.com/recipes/rye.xml/view
U022 | a URL in the path, as archives have it | https://example.com/save/http://example.org/
U022 | slashes in the query | https://example.com/?p=a//b
U022 | slashes in a parameter, encoded | https://example.com/?p=%2F%2Fb
U025 | short ids that differ by case, one | https://example.com/watch?v=aBcDe
U025 | short ids that differ by case, another | https://example.com/watch?v=AbCdE
U025 | order of parameters | https://example.com/?x=1&amp;y=2
U025 | another order of parameters | https://example.com/?y=2&amp;x=1
P007 | a page named search | https://example.com/about/research
U003 | a long path of words | https://example.com/a-rather-long-path/of-several-words/that-describe-what-the-page-is-about/and-nothing-else-at-all
U005 | a trailing space that is encoded | https://example.com/wheat%20
U017 | capitals in the path | https://example.com/About/Rye
U017 | an escape in capitals | https://example.com/br%C3%B6tchen
U017 | a dot in a name | https://example.com/a.b/..c/.well-known
U011 | a percent sign before a word of two letters that are hexadecimal digits | https://example.com/save-50%25de-descuento
U011 | another such word | https://example.com/100%25ab
"""
LASTMODS = """
D001 | a day | 2026-11-19
D001 | a second in UTC | 2026-11-19T08:00:00Z
D001 | a minute | 2026-11-19T08:00Z
D001 | a fraction of one digit | 2026-11-19T08:00:00.5Z
D001 | a fraction of nine digits | 2026-11-19T08:00:00.123456789+01:00
D001 | a day that only leap years have | 2024-02-29
D001 | the leap day of a century | 2000-02-29T12:00:00Z
D002 | a zone of zero | 2026-11-18T08:00:00+00:00
D002 | a negative zero | 2026-11-18T08:00:00-00:00
D002 | a day needs no zone | 2026-11-17
D003 | a day with an offset, as XML Schema has it | 2013-01-27+01:00
D003 | a day in UTC, as XML Schema has it | 2013-01-27Z
D003 | a day with a negative offset | 2013-01-27-05:00
D003 | the offset of India | 2026-11-18T08:00:00+05:30
D003 | the offset of Nepal | 2026-11-18T08:00:00+05:45
D003 | the offset of the Chatham Islands in summer | 2026-11-18T08:00:00+13:45
D003 | the offset of Kiribati | 2026-11-18T08:00:00+14:00
D003 | the offset of Baker Island | 2026-11-18T08:00:00-12:00
D003 | the offset of Newfoundland | 2026-11-18T08:00:00-03:30
D004 | a leap second | 2016-12-31T23:59:60Z
D004 | a leap second in June | 2015-06-30T23:59:60Z
D004 | a leap second as Tokyo saw it | 2017-01-01T08:59:60+09:00
D004 | a leap second as New York saw it, with a fraction | 2016-12-31T18:59:60.5-05:00
D004 | the last second of a year | 2025-12-31T23:59:59Z
D004 | midnight | 2026-11-18T00:00:00Z
D007 | today, in a zone where it is tomorrow | 2026-11-22
D007 | tonight, far in the East | 2026-11-22T01:00:00+14:00
D008 | the first year of the web of many | 1995-01-01
D008 | an old page | 1998-07-16T19:20:30+01:00
D008 | the turn of the century | 2000-01-01T00:00:00Z
"""
HREFLANGS = """
H004 | a region with a hyphen | en-GB
H005 | a language | de
H005 | a language in capitals | DE
H005 | Hebrew, by its code of today | he
H005 | Norwegian Bokmål | nb
H005 | Indonesian | id
H005 | Yiddish | yi
H005 | Filipino speakers are addressed in Tagalog | tl
H005 | a language and a script | zh-Hans
H006 | Kosovo, which ISO has not listed | sq-XK
H006 | a variant of a language, Valencian | ca-valencia
H006 | a region and a variant | de-DE-1996
H006 | a variant with a year | de-1901
H006 | Oxford spelling | en-GB-oxendict
H006 | Romanised Chinese | zh-Latn-pinyin
H006 | Belarusian in the classical spelling | be-tarask
H006 | Scots of Ulster in English | en-scotland
H006 | a script and a region | zh-Hant-TW
H006 | a script and a region in lower case | zh-hans-cn
H006 | Serbian in Latin letters | sr-Latn-RS
H006 | a region in lower case | pt-br
H006 | Åland | sv-AX
H006 | Hong Kong | zh-HK
H006 | South Sudan | en-SS
H006 | Bonaire | nl-BQ
H007 | a language whose code is that of a country | be
H007 | Swedish, whose code is that of El Salvador | sv
H007 | Catalan, whose code is that of Canada | ca
"""
ENTRIES = """
D006 | no lastmod but other tags | <priority>0.50</priority>
G003 | an image with its URL alone | <image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>
G004 | two images | <image:image><image:loc>https://example.com/a.jpg</image:loc></image:image><image:image><image:loc>https://example.com/b.jpg</image:loc></image:image>
S019 | never is one of the seven | <changefreq>never</changefreq>
S020 | one digit | <priority>1</priority>
S020 | two digits | <priority>0.75</priority>
S020 | zero | <priority>0.0</priority>
G071 | a type that Baidu knows | <mobile:mobile type="pc,mobile"/>
H001 | the page for telephones, told by media | <xhtml:link rel="alternate" media="only screen and (max-width: 640px)" href="https://m.example.com/a"/>
H002 | a relation in capitals | <xhtml:link rel="ALTERNATE" media="only screen and (max-width: 640px)" href="https://m.example.com/b"/>
P003 | a page that changes daily, without a date | <changefreq>daily</changefreq>
P003 | a page that changes yearly | <changefreq>yearly</changefreq>
G070 | a link to the page for telephones, which replaced mobile sitemaps | <xhtml:link rel="alternate" media="handheld" href="https://m.example.com/d"/>
"""
IMAGES = """
G002 | an image on another host | https://cdn.example.org/a.jpg
G002 | a query | https://cdn.example.org/img?id=3&amp;w=800
G002 | no ending | https://cdn.example.org/image/42
G002 | a comma, as of image services | https://cdn.example.org/w_800,h_600/a.jpg
G002 | a plain http URL | http://cdn.example.org/b.jpg
G002 | an @ for screens of high density | https://cdn.example.org/a@2x.png
G002 | parentheses | https://cdn.example.org/a(1).png
G002 | an encoded space | https://cdn.example.org/a%20b.png
G002 | brackets that are encoded | https://cdn.example.org/a%5B1%5D.png
G002 | a name that is not ASCII | https://cdn.example.org/brötchen.jpg
G002 | a scheme in capitals | HTTPS://cdn.example.org/c.jpg
G002 | a port | https://cdn.example.org:8443/d.jpg
G002 | a URL in the path | https://cdn.example.org/fetch/https://example.com/e.jpg
G005 | the page with another query | https://example.com/other?image
G001 | a URL in CDATA | <![CDATA[https://example.com/d.jpg?a=1&b=2]]>
"""
VIDEOS = """
G020 | all that is required | <video:live>no</video:live>
G021 | a player alone | <video:player_loc>https://example.org/embed/1</video:player_loc>
G023 | a thumbnail with a query | <video:thumbnail_loc>https://cdn.example.org/t?id=1</video:thumbnail_loc>
G022 | a file beside the page | <video:content_loc>https://example.com/rye.mp4</video:content_loc>
G024 | a stream | <video:content_loc>https://cdn.example.org/a.m3u8</video:content_loc>
G024 | a file with a token | <video:content_loc>https://cdn.example.org/a.mp4?token=1</video:content_loc>
G025 | one second | <video:duration>1</video:duration>
G025 | eight hours | <video:duration>28800</video:duration>
G026 | no stars | <video:rating>0.0</video:rating>
G026 | five stars | <video:rating>5</video:rating>
G026 | no views yet | <video:view_count>0</video:view_count>
G026 | more views than fit in 32 bits | <video:view_count>5000000000</video:view_count>
G027 | a day | <video:publication_date>2026-11-19</video:publication_date>
G027 | a zone | <video:publication_date>2026-11-19T08:00:00+09:00</video:publication_date>
G027 | a minute | <video:publication_date>2026-11-19T08:00+09:00</video:publication_date>
G027 | a leap second | <video:publication_date>2016-12-31T23:59:60Z</video:publication_date>
G027 | a leap second as Tokyo saw it | <video:publication_date>2017-01-01T08:59:60+09:00</video:publication_date>
G028 | it expires in years | <video:expiration_date>2036-11-19T08:00:00Z</video:expiration_date>
G029 | yes | <video:family_friendly>yes</video:family_friendly>
G029 | no | <video:requires_subscription>no</video:requires_subscription>
G030 | several countries | <video:restriction relationship="allow">GB IE US</video:restriction>
G030 | one country | <video:restriction relationship="deny">DE</video:restriction>
G031 | several platforms | <video:platform relationship="allow">web mobile tv</video:platform>
G032 | a name without more | <video:uploader>Jones &amp; Sons</video:uploader>
G032 | a page of the uploader on the same host | <video:uploader info="https://example.com/jones">Jones</video:uploader>
G033 | a title in Japanese | <video:title>ライ麦パンの作り方</video:title>
G033 | a description with markup, escaped | <video:description>&lt;b&gt;Rye&lt;/b&gt; bread</video:description>
G034 | two tags | <video:tag>rye</video:tag><video:tag>bread</video:tag>
G025 | a plus, as xsd:nonNegativeInteger allows it | <video:duration>+600</video:duration>
G026 | no digit before the point, as xsd:decimal allows it | <video:rating>.5</video:rating>
G026 | a plus before a decimal | <video:rating>+4.5</video:rating>
G026 | a zero in front | <video:rating>04.5</video:rating>
G026 | a plus before an integer | <video:view_count>+12</video:view_count>
G027 | a day with an offset, as xsd:date allows it | <video:publication_date>2026-11-20+01:00</video:publication_date>
G027 | a day in UTC | <video:publication_date>2026-11-20Z</video:publication_date>
G028 | a day that has not ended everywhere | <video:expiration_date>2026-11-21-12:00</video:expiration_date>
G030 | Kosovo, which ISO has not listed | <video:restriction relationship="allow">XK AL</video:restriction>
G035 | several tags | <video:tag>rye</video:tag><video:tag>bread</video:tag>
G035 | prices in two currencies | <video:price currency="EUR">1.99</video:price><video:price currency="USD">2.49</video:price>
G035 | a player besides the file | <video:player_loc>https://example.com/player?v=1</video:player_loc>
G036 | a player without the attributes that were removed | <video:player_loc>https://example.com/player?v=2</video:player_loc>
"""
NEWS = """
G051 | Chinese of the mainland | <news:publication><news:name>The Example</news:name><news:language>zh-cn</news:language></news:publication>
G051 | Chinese of Taiwan | <news:publication><news:name>The Example</news:name><news:language>zh-tw</news:language></news:publication>
G051 | a language of three letters | <news:publication><news:name>The Example</news:name><news:language>fil</news:language></news:publication>
G052 | a day | <news:publication_date>2026-11-20</news:publication_date>
G052 | a minute with its zone | <news:publication_date>2026-11-20T08:00+01:00</news:publication_date>
G052 | a fraction | <news:publication_date>2026-11-20T08:00:00.5-05:00</news:publication_date>
G053 | the day before yesterday in the East | <news:publication_date>2026-11-19T23:00:00+09:00</news:publication_date>
G054 | an hour ago, in a zone where it is tomorrow | <news:publication_date>2026-11-22T00:30:00+14:00</news:publication_date>
G050 | a title in Arabic | <news:title>خبز الجاودار</news:title>
G056 | a name in Japanese | <news:publication><news:name>例新聞</news:name><news:language>ja</news:language></news:publication>
G052 | a day with an offset, as xsd:date allows it | <news:publication_date>2026-11-20+01:00</news:publication_date>
G052 | a day in UTC | <news:publication_date>2026-11-20Z</news:publication_date>
G055 | several keywords in one element | <news:keywords>rye, bread</news:keywords>
"""
RSS = """
F002 | a permalink instead of a link | <guid>https://example.com/rye</guid>
F002 | a guid that is none, beside a link | <guid isPermaLink="false">42</guid>
F003 | a date with its weekday | <pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>
F003 | no weekday | <pubDate>20 Nov 2026 08:00:00 GMT</pubDate>
F003 | a year of two digits | <pubDate>Fri, 20 Nov 26 08:00:00 GMT</pubDate>
F003 | a zone that is not known | <pubDate>Fri, 20 Nov 2026 08:00:00 -0000</pubDate>
F003 | a comment behind the zone | <pubDate>Fri, 20 Nov 2026 08:00:00 +0000 (UTC)</pubDate>
F003 | a comment with words | <pubDate>Fri, 20 Nov 2026 08:00:00 -0500 (Eastern Standard Time)</pubDate>
F003 | no seconds | <pubDate>Fri, 20 Nov 2026 08:00 +0100</pubDate>
F003 | a day of one digit | <pubDate>Tue, 3 Nov 2026 08:00:00 +0100</pubDate>
F003 | a zone by its name | <pubDate>Fri, 20 Nov 2026 08:00:00 PST</pubDate>
F003 | a zone in lower case | <pubDate>Fri, 20 Nov 2026 08:00:00 gmt</pubDate>
F003 | two spaces | <pubDate>Fri,  20 Nov 2026  08:00:00 GMT</pubDate>
F003 | no space behind the comma | <pubDate>Fri,20 Nov 2026 08:00:00 GMT</pubDate>
F003 | a leap second | <pubDate>Sat, 31 Dec 2016 23:59:60 GMT</pubDate>
F003 | no date | <category>Bread</category>
F004 | a feed checked alone: the site may have other sitemaps | <pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>
"""
ATOM = """
F002 | a link without a relation | <updated>2026-11-20T08:00:00Z</updated><link href="https://example.com/bread"/>
F002 | an alternate | <updated>2026-11-20T08:00:00Z</updated><link rel="alternate" type="text/html" href="https://example.com/bread"/>
F002 | an alternate by the URL that IANA gives it | <updated>2026-11-20T08:00:00Z</updated><link rel="http://www.iana.org/assignments/relation/alternate" href="https://example.com/bread"/>
F002 | other links before it | <updated>2026-11-20T08:00:00Z</updated><link rel="self" href="https://example.com/bread.atom"/><link rel="alternate" href="https://example.com/bread"/>
F003 | a fraction | <updated>2026-11-20T08:00:00.25+01:00</updated><link href="https://example.com/bread"/>
F003 | letters in lower case | <updated>2026-11-20t08:00:00z</updated><link href="https://example.com/bread"/>
F003 | an offset that is not known | <updated>2026-11-20T08:00:00-00:00</updated><link href="https://example.com/bread"/>
F003 | a leap second | <updated>2016-12-31T23:59:60Z</updated><link href="https://example.com/bread"/>
U001 | a relative link where the feed states its base | <link xml:base="https://example.com/posts/" href="rye"/>
"""
TEXTS = """
T001 | one URL | https://example.com/
T001 | a URL with a comma | https://example.com/a,b
T001 | a scheme in capitals | HTTPS://example.com/text
T002 | a URL in the query of a URL | https://example.com/?u=https://example.org/
T002 | a URL in the path of a URL | https://example.com/web/https://example.org/
T003 | lines that end as on Windows | https://example.com/a⏎https://example.com/b
T004 | an ampersand as it is | https://example.com/?a=1&b=2
T004 | a parameter named amp | https://example.com/?a=1&amp=2
T004 | copy and a number, no entity | https://example.com/?x=1&copy2=3
"""
ROBOTS = """
R001 | a line in lower case | sitemap: https://example.com/sitemap.xml
R001 | a line behind groups | User-agent: *⏎Disallow: /cart/⏎⏎Sitemap: https://example.com/sitemap.xml
R003 | spaces around the colon | Sitemap : https://example.com/sitemap.xml
R003 | a comment behind it | Sitemap: https://example.com/sitemap.xml # all pages
R003 | an unknown line | Host: example.com⏎Sitemap: https://example.com/sitemap.xml
R003 | a comment about sitemaps | # sitemaps: see below⏎Sitemap: https://example.com/sitemap.xml
R005 | the default port | Sitemap: https://example.com:443/sitemap.xml
R005 | a host in capitals | Sitemap: https://EXAMPLE.com/sitemap.xml
R008 | a tag in a comment | # <html> is not meant⏎Sitemap: https://example.com/sitemap.xml
R009 | a longer line that allows it | User-agent: *⏎Disallow: /*.xml⏎Allow: /sitemap.xml⏎Sitemap: https://example.com/sitemap.xml
R009 | a rule for another crawler | User-agent: BadBot⏎Disallow: /⏎⏎Sitemap: https://example.com/sitemap.xml
R009 | an empty rule | User-agent: *⏎Disallow:⏎Sitemap: https://example.com/sitemap.xml
R009 | a rule of a word that only begins alike | User-agent: *⏎Disallow: /sitemap.xml.gz⏎Sitemap: https://example.com/sitemap.xml
R010 | a rule that ends where the page goes on | User-agent: *⏎Disallow: /index$⏎Sitemap: https://example.com/sitemap.xml
R010 | Google's group comes before that of all | User-agent: *⏎Disallow: /⏎User-agent: Googlebot⏎Allow: /⏎Sitemap: https://example.com/sitemap.xml
R010 | both lines are as long, and one allows | User-agent: *⏎Disallow: /⏎Allow: /⏎Sitemap: https://example.com/sitemap.xml
R002 | a URL in full | Sitemap: https://example.com/sitemap.xml
R007 | a comment in UTF-8 | # für alle⏎Sitemap: https://example.com/sitemap.xml
R013 | what it declares, in another spelling | Sitemap: https://example.com/%73itemap.xml
"""
MARKUP = """
S012 | the place of a schema | xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.sitemaps.org/schemas/sitemap/0.9 http://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd"
S010 | a comment in an entry | <url><!-- home --><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>
S013 | white space between tags | <url>  <loc>https://example.com/</loc>  <lastmod>2026-11-20T08:00:00Z</lastmod>  </url>
S017 | CDATA around a URL | <url><loc><![CDATA[https://example.com/?a=1&b=2]]></loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>
X003 | an ampersand in CDATA | <url><loc><![CDATA[https://example.com/?a&b]]></loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>
X004 | entities of XML | <url><loc>https://example.com/?a=&apos;&amp;b</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>
X005 | a tab between tags | <url>	<loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>
X022 | an ampersand that is meant | <url><loc>https://example.com/?q=a%26amp%3Bb</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>
"""
DOCUMENTS = """
X011 | no encoding is named | <?xml version="1.0"?>⏎<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">⏎<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>⏎</urlset>
X011 | the encoding in lower case | <?xml version="1.0" encoding="utf-8"?>⏎<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">⏎<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>⏎</urlset>
X011 | ASCII by its name, in single quotes | <?xml version='1.0' encoding='UTF-8' standalone='yes'?>⏎<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>⏎<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>⏎</urlset>
X007 | a comment before the root | <?xml version="1.0" encoding="UTF-8"?>⏎<!-- made by hand -->⏎<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">⏎<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>⏎</urlset>
X008 | a comment after the root | <?xml version="1.0" encoding="UTF-8"?>⏎<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">⏎<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>⏎</urlset>⏎<!-- 1 page in 3 ms -->
X020 | a prefix for the namespace itself | <?xml version="1.0" encoding="UTF-8"?>⏎<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">⏎<s:url><s:loc>https://example.com/</s:loc><s:lastmod>2026-11-20T08:00:00Z</s:lastmod></s:url>⏎</s:urlset>
X018 | a stylesheet of CSS | <?xml version="1.0" encoding="UTF-8"?>⏎<?xml-stylesheet type="text/css" href="/sitemap.css"?>⏎<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">⏎<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>⏎</urlset>
F001 | RSS 2.0 with a namespace | <?xml version="1.0" encoding="UTF-8"?>⏎<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News</title><link>https://example.com/</link><description>All</description><atom:link rel="self" href="https://example.com/feed"/>⏎<item><link>https://example.com/a</link></item></channel></rss>
G005 | a listed image file that is its own image | <?xml version="1.0" encoding="UTF-8"?>⏎<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">⏎<url><loc>https://example.com/a.jpg</loc><lastmod>2026-11-20T08:00:00Z</lastmod><image:image><image:loc>https://example.com/a.jpg</image:loc></image:image></url>⏎</urlset>
P005 | a prefix that only an attribute of the root uses | <?xml version="1.0" encoding="UTF-8"?>⏎<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.sitemaps.org/schemas/sitemap/0.9 http://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd">⏎<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>⏎</urlset>
P005 | a prefix that only an attribute within an extension uses | <?xml version="1.0" encoding="UTF-8"?>⏎<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:shop="https://example.com/shop" xmlns:unit="https://example.com/unit">⏎<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod><shop:price unit:currency="EUR">2</shop:price></url>⏎</urlset>
"""
SITES = """
I001 | the same host in capitals | index.xml: https://EXAMPLE.com/a.xml⏎⏎a.xml: https://example.com/
I001 | the default port | index.xml: https://example.com:443/a.xml⏎⏎a.xml: https://example.com/
I001 | the index has the punycode of the host of its children | https://xn--bcher-kva.example/index.xml: https://xn--bcher-kva.example/a.xml⏎⏎https://bücher.example/a.xml: https://xn--bcher-kva.example/
I002 | a folder below | maps/index.xml: https://example.com/maps/all/a.xml⏎⏎maps/all/a.xml: https://example.com/maps/all/1⏎⏎robots.txt: Sitemap: https://example.com/maps/index.xml
I503 | a child under the other form of its host | https://bücher.example/index.xml: https://xn--bcher-kva.example/a.xml⏎⏎https://xn--bcher-kva.example/a.xml: https://xn--bcher-kva.example/
I503 | a child under another spelling of its URL | index.xml: https://example.com/%61.xml⏎⏎a.xml: https://example.com/
I504 | a child under another spelling of its URL | index.xml: https://EXAMPLE.com/%61.xml⏎⏎a.xml: https://example.com/
I504 | a second sitemap, declared in robots.txt | index.xml: https://example.com/a.xml⏎⏎a.xml: https://example.com/⏎⏎news.xml: https://example.com/news⏎⏎robots.txt: Sitemap: https://example.com/index.xml⏎Sitemap: https://example.com/news.xml
D501 | the index is of the same evening in Shanghai | index.xml: https://example.com/a.xml@2026-11-20T01:00:00+08:00⏎⏎a.xml: https://example.com/@2026-11-20
D501 | the index is of the same morning in Auckland | index.xml: https://example.com/a.xml@2026-11-19T20:30:00Z⏎⏎a.xml: https://example.com/@2026-11-20
D501 | the index has a day, the entry a time on it in Hawaii | index.xml: https://example.com/a.xml@2026-11-19⏎⏎a.xml: https://example.com/@2026-11-19T23:00:00-10:00
D501 | both give the same day | index.xml: https://example.com/a.xml@2026-11-20⏎⏎a.xml: https://example.com/@2026-11-20
D501 | the same moment in two zones | index.xml: https://example.com/a.xml@2026-11-20T09:00:00+01:00⏎⏎a.xml: https://example.com/@2026-11-20T08:00:00Z
D501 | seconds that are cut off | index.xml: https://example.com/a.xml@2026-11-20T08:00Z⏎⏎a.xml: https://example.com/@2026-11-20T08:00:42Z
D501 | the index is newer | index.xml: https://example.com/a.xml@2026-11-21T08:00:00Z⏎⏎a.xml: https://example.com/@2026-11-20T08:00:00Z
U028 | the host of the sitemap in its other form | https://xn--bcher-kva.example/sitemap.xml: https://xn--bcher-kva.example/a
U028 | the host in capitals, in robots.txt | sitemap.xml: https://example.com/⏎⏎robots.txt: Sitemap: https://EXAMPLE.com/sitemap.xml
U028 | another host that declares the sitemap | sitemap.xml: https://shop.example.com/⏎⏎robots.txt: Sitemap: https://example.com/sitemap.xml⏎⏎https://shop.example.com/robots.txt: Sitemap: https://example.com/sitemap.xml
U029 | a sitemap in a folder that robots.txt declares | maps/sitemap.xml: https://example.com/about⏎⏎robots.txt: Sitemap: https://example.com/maps/sitemap.xml
U029 | pages in the folder of the sitemap | shop/sitemap.xml: https://example.com/shop/ https://example.com/shop/a/b⏎⏎robots.txt: Sitemap: https://example.com/shop/sitemap.xml
U029 | the folder in another spelling | sh%6Fp/sitemap.xml: https://example.com/shop/a⏎⏎robots.txt: Sitemap: https://example.com/shop/sitemap.xml
R012 | a child of an index that the other host declares | index.xml: https://example.com/a.xml⏎⏎a.xml: https://shop.example.com/⏎⏎robots.txt: Sitemap: https://example.com/index.xml⏎⏎https://shop.example.com/robots.txt: Sitemap: https://example.com/index.xml
U004 | twelve characters | https://a.io/sitemap.xml: https://a.io
U023 | pages that differ by case | sitemap.xml: https://example.com/About https://example.com/shop
U023 | pages that differ by the order of parameters | sitemap.xml: https://example.com/?a=1&amp;b=2 https://example.com/?b=2&amp;a=1
U026 | one host, with and without capitals | file:///srv/sitemap.xml: https://example.com/a https://EXAMPLE.com/b
U030 | an http site | http://example.com/sitemap.xml: http://example.com/a
U502 | a day, and a time of it elsewhere | a.xml: https://example.com/a@2026-11-20⏎⏎b.xml: https://example.com/b@2026-11-19T20:00:00Z
D005 | a day | sitemap.xml: https://example.com/@2026-11-20
D009 | nine pages that changed together | sitemap.xml: https://example.com/1 https://example.com/2 https://example.com/3 https://example.com/4 https://example.com/5 https://example.com/6 https://example.com/7 https://example.com/8 https://example.com/9
D010 | a page that changed when the sitemap was made | index.xml: https://example.com/a.xml@2026-11-20T08:00:00Z⏎⏎a.xml: https://example.com/@2026-11-20T08:00:00Z
D011 | every page has a date | sitemap.xml: https://example.com/@2026-11-20 https://example.com/a@2026-11-19T08:00:00Z
D012 | one time among days | sitemap.xml: https://example.com/@2026-11-20 https://example.com/a@2026-11-19T08:00:00Z
L501 | two indexes | a-index.xml: https://example.com/a.xml⏎⏎b-index.xml: https://example.com/b.xml⏎⏎a.xml: https://example.com/a⏎⏎b.xml: https://example.com/b
I003 | a child whose name begins alike | index.xml: https://example.com/indexed.xml⏎⏎indexed.xml: https://example.com/a
I004 | children that differ by a query | index.xml: https://example.com/s.xml?p=1 https://example.com/s.xml?p=2⏎⏎s.xml?p=1: https://example.com/1⏎⏎s.xml?p=2: https://example.com/2
I006 | a script that returns a sitemap | index.xml: https://example.com/sitemap.php⏎⏎sitemap.php: https://example.com/
I006 | a sitemap with a name of HTML | index.xml: https://example.com/sitemap.html⏎⏎sitemap.html: https://example.com/
I501 | two indexes side by side | a-index.xml: https://example.com/a.xml⏎⏎b-index.xml: https://example.com/b.xml⏎⏎a.xml: https://example.com/a⏎⏎b.xml: https://example.com/b
I502 | two indexes that list one child | a-index.xml: https://example.com/a.xml⏎⏎b-index.xml: https://example.com/a.xml⏎⏎a.xml: https://example.com/a
P501 | one full enough index | index.xml: https://example.com/a.xml⏎⏎a.xml: https://example.com/
U027 | one scheme | sitemap.xml: https://example.com/a https://example.com/b⏎⏎robots.txt: Sitemap: https://example.com/sitemap.xml
U501 | pages that differ by a parameter | a.xml: https://example.com/?a=1⏎⏎b.xml: https://example.com/?a=2
U503 | short ids that differ by case | a.xml: https://example.com/watch?v=aBcDe⏎⏎b.xml: https://example.com/watch?v=AbCdE
D502 | the files changed together | index.xml: https://example.com/a.xml https://example.com/b.xml⏎⏎a.xml: https://example.com/⏎⏎b.xml: https://example.com/b
D503 | every child has a date | index.xml: https://example.com/a.xml@2026-11-20⏎⏎a.xml: https://example.com/@2026-11-20
R011 | a declared index | index.xml: https://example.com/a.xml⏎⏎a.xml: https://example.com/⏎⏎robots.txt: Sitemap: https://example.com/index.xml
R004 | two sitemaps that differ by a query | sitemap.xml: https://example.com/⏎⏎sitemap.xml?page=2: https://example.com/2⏎⏎robots.txt: Sitemap: https://example.com/sitemap.xml⏎Sitemap: https://example.com/sitemap.xml?page=2
T005 | a name in capitals, as of some servers | SITEMAP.TXT: https://example.com/a
P006 | files in one folder, folders in another | sitemap.xml: https://example.com/recipes/1.html@2026-11-01 https://example.com/recipes/2.html@2026-11-02 https://example.com/recipes/3.html@2026-11-03 https://example.com/recipes/4.html@2026-11-04 https://example.com/recipes/5.html@2026-11-05 https://example.com/recipes/6.html@2026-11-06 https://example.com/recipes/7.html@2026-11-07 https://example.com/recipes/8.html@2026-11-08 https://example.com/recipes/9.html@2026-11-09 https://example.com/recipes/10.html@2026-11-10 https://example.com/recipes/11.html@2026-11-11 https://example.com/recipes/12.html@2026-11-12 https://example.com/shops/1/@2026-10-01 https://example.com/shops/2/@2026-10-02 https://example.com/shops/3/@2026-10-03 https://example.com/shops/4/@2026-10-04 https://example.com/shops/5/@2026-10-05 https://example.com/shops/6/@2026-10-06 https://example.com/shops/7/@2026-10-07 https://example.com/shops/8/@2026-10-08 https://example.com/shops/9/@2026-10-09 https://example.com/shops/10/@2026-10-10 https://example.com/shops/11/@2026-10-11 https://example.com/shops/12/@2026-10-12
U024 | pages that differ by a parameter, with other dates | sitemap.xml: https://example.com/?v=1@2026-11-19 https://example.com/?v=2@2026-11-20
"""
CLUSTERS = """
H003 | URLs in full | https://example.com/en: en=https://example.com/en de=https://example.com/de ; https://example.com/de: en=https://example.com/en de=https://example.com/de
H008 | the page itself under the other form of its host | https://xn--bcher-kva.example/en: en=https://bücher.example/en de=https://bücher.example/de ; https://xn--bcher-kva.example/de: en=https://bücher.example/en de=https://bücher.example/de
H008 | the page itself with an escape in lower case | https://example.com/%C3%BC: de=https://example.com/%c3%bc en=https://example.com/u ; https://example.com/u: de=https://example.com/%C3%BC en=https://example.com/u
H009 | one URL for two languages | https://example.com/: en=https://example.com/ en-GB=https://example.com/ de=https://example.com/de ; https://example.com/de: en=https://example.com/ en-GB=https://example.com/ de=https://example.com/de
H010 | a language and x-default for one URL | https://example.com/: en=https://example.com/ x-default=https://example.com/
H011 | two languages and x-default | https://example.com/en: en=https://example.com/en de=https://example.com/de x-default=https://example.com/en ; https://example.com/de: en=https://example.com/en de=https://example.com/de x-default=https://example.com/en
H012 | a region and the language for all others | https://example.com/en: en=https://example.com/en en-GB=https://example.com/gb ; https://example.com/gb: en=https://example.com/en en-GB=https://example.com/gb
H013 | a variant in lower case | https://example.com/ca: ca-valencia=https://example.com/ca
H501 | links that come back under the other form of the host | https://xn--bcher-kva.example/en: en=https://xn--bcher-kva.example/en de=https://bücher.example/de ; https://xn--bcher-kva.example/de: en=https://bücher.example/en de=https://xn--bcher-kva.example/de
H502 | a version on a host of which nothing is listed | https://example.com/en: en=https://example.com/en de=https://example.de/
H503 | the same links, in the other form of the host | https://xn--bcher-kva.example/en: en=https://xn--bcher-kva.example/en de=https://bücher.example/de ; https://xn--bcher-kva.example/de: en=https://bücher.example/en de=https://bücher.example/de
H503 | the same links in another order | https://example.com/en: en=https://example.com/en de=https://example.com/de ; https://example.com/de: de=https://example.com/de en=https://example.com/en
H504 | capitals in a tag | https://example.com/en: en=https://example.com/en de-DE=https://example.com/de ; https://example.com/de: en=https://example.com/en de-de=https://example.com/de
H012 | two spellings of a language, which are no regions | https://example.com/a: de-1901=https://example.com/a de-1996=https://example.com/b ; https://example.com/b: de-1901=https://example.com/a de-1996=https://example.com/b
"""

TABLES = {
    "loc": LOCS,
    "lastmod": LASTMODS,
    "hreflang": HREFLANGS,
    "entry": ENTRIES,
    "image": IMAGES,
    "video": VIDEOS,
    "news": NEWS,
    "rss": RSS,
    "atom": ATOM,
    "text": TEXTS,
    "robots": ROBOTS,
    "markup": MARKUP,
    "document": DOCUMENTS,
    "site": SITES,
    "cluster": CLUSTERS,
}
"""Tables by the kind of their inputs."""
