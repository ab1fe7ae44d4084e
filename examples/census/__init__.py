"""A census of sitemaps in web archives: which hosts declare them, and what is in them."""
