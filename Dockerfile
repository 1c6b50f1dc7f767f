# docker build -t askfirst . && docker run --init -p 127.0.0.1:8787:8787 -v askfirst:/var/lib/askfirst askfirst
# The service prints its address with the token at the start.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium chromium-sandbox fonts-dejavu-core fonts-liberation ca-certificates bubblewrap python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --home-dir /var/lib/askfirst askfirst
COPY --from=build /src/target/release/askfirst /usr/local/bin/askfirst
USER askfirst
WORKDIR /var/lib/askfirst
# Loopback of a container cannot be reached from outside, so the service listens on all addresses, with a token.
ENV ASKFIRST_SERVER__HOST=0.0.0.0 \
    ASKFIRST_DATA_DIR=/var/lib/askfirst/data
VOLUME /var/lib/askfirst
EXPOSE 8787
CMD ["askfirst", "serve"]
