-- Which share of URLs has a date, a priority, images, other languages?
SELECT sum(urls) AS urls, share(sum(dated), sum(urls)) AS lastmod,
    share(sum(with_priority), sum(urls)) AS priority,
    share(sum(with_changefreq), sum(urls)) AS changefreq,
    share(sum(with_images), sum(urls)) AS images,
    share(sum(with_alternates), sum(urls)) AS alternates
FROM documents WHERE urls > 0
