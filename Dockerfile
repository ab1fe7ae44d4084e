# syntax=docker/dockerfile:1
# urlset in a container, as a user without rights; the root file system may be read-only:
#
#   docker build --tag urlset .
#   docker run --rm --read-only --tmpfs /tmp --volume "$PWD:/work" urlset check sitemap.xml
#
# There is no image for Alpine: DuckDB has no wheel for musl, and compiling it takes an hour.
# The images can be replaced by a mirror, or by a digest: --build-arg PYTHON=python@sha256:…
ARG RUST=docker.io/library/rust:1-slim-trixie
ARG PYTHON=docker.io/library/python:3.13-slim-trixie
ARG DISTROLESS=gcr.io/distroless/python3-debian13:nonroot

# The native wheel. Its stable ABI serves the Python of the next stages as well as that of Debian.
FROM ${RUST} AS wheel
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN python3 -m venv /build \
    && /build/bin/python packaging/crate_licenses.py LICENSE-crates \
    && URLSET_NATIVE=1 /build/bin/python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

# The requirements are the locked ones, with their hashes.
FROM ${PYTHON} AS environment
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
COPY requirements/base.txt /requirements.txt
RUN python -m venv --without-pip /opt/urlset \
    && python -m pip --python /opt/urlset/bin/python install --no-deps --requirement /requirements.txt \
    && python -m pip --python /opt/urlset/bin/python uninstall --yes setuptools setuptools-rust semantic-version
COPY --from=wheel /wheels /wheels
RUN python -m pip --python /opt/urlset/bin/python install --no-deps /wheels/*.whl

# Without a shell and without pip: docker build --target distroless. Its Python has the same version.
FROM ${DISTROLESS} AS distroless
COPY --from=environment /opt/urlset/lib/python3.13/site-packages /opt/urlset
ENV PYTHONPATH=/opt/urlset PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOME=/tmp
USER 65532:65532
WORKDIR /work
# -P: `-m` puts the working directory first on sys.path, which is the mounted folder.
ENTRYPOINT ["/usr/bin/python3", "-P", "-m", "urlset"]
CMD ["--help"]

FROM ${PYTHON}
COPY --from=environment /opt/urlset /opt/urlset
ENV PATH=/opt/urlset/bin:$PATH PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HOME=/tmp
RUN urlset --version
# A number, so that "runAsNonRoot" of Kubernetes can check it.
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["urlset"]
CMD ["--help"]
