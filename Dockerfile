# One image for the orchestrator, the workers and every other command of millrace.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /repository
COPY . .
# Every package in the version of package-lock.json.
RUN npm run release:pack -- --out /packages \
  && node scripts/release/lock.mjs --tarballs /packages --out /app millrace $(node scripts/release/optional.mjs) \
  && npm ci --prefix /app --no-audit --no-fund

FROM ${NODE_IMAGE}
# Python for python nodes, bubblewrap and prlimit to confine them, tini to pass signals on and to bury orphans.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap python3 tini util-linux \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /data \
  && chown 1000:1000 /data
COPY --from=build /app /app
# Workers make many short-lived objects: a larger young generation is collected less often, and grows only when it is used.
# A collection of one of 64 MB would hold up everything else for too long.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32 MILLRACE_DIR=/data PATH=/app/node_modules/.bin:$PATH
WORKDIR /data
VOLUME /data
USER 1000:1000
ENTRYPOINT ["tini", "--", "millrace"]
CMD ["--help"]
