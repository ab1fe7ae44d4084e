"""Long-running tests: `make soak` runs them, `make test` does not."""
