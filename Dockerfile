# One image holds every service. `docker build --build-arg SERVICE=analysis .` builds one that starts analysis; without the argument the
# environment variable SERVICE chooses when the container starts, as in compose.yaml and k8s/.

# An exact tag can still be moved. A release build passes the digest as well, with --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:...,
# and what it pushed is pinned by digest in the overlay of an installation.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS sources
# Downloads are kept between builds, in a place that does not depend on who builds.
ARG npm_config_cache=/npm-cache
WORKDIR /app
COPY . .
RUN --mount=type=cache,target=/npm-cache npm ci
RUN npm run generate && npx tsc -b services/* tools/admin tools/dev packages/client packages/ledger-csv && npm run build --workspace=console

# Makes the identities of the services on one machine, for compose.yaml. No service contains the library that makes certificates.
FROM sources AS certificates
RUN mkdir /identities && chown 10001:10001 /identities
USER 10001:10001
CMD ["node", "tools/dev/dist/write-identities.js", "/identities"]

FROM sources AS build
# Downloads are kept between builds, in a place that does not depend on who builds.
ARG npm_config_cache=/npm-cache
# What was compiled stays; tools, sources and their tests go, and the packages that only they needed.
# Each name of a workspace is an argument of its own, so the list stays unquoted.
# hadolint ignore=SC2046
RUN --mount=type=cache,target=/npm-cache \
    npm ci --omit=dev $(printf -- '--workspace=%s ' services/*) --workspace=tools/admin \
    && find packages services tools \( -name src -o -name '*.test.*' -o -name '*.tsbuildinfo' -o -name '*.d.ts' \) -prune -exec rm -r {} +

FROM ${NODE_IMAGE}
ARG SERVICE
# HOST and GRPC_HOST: in a container the callers are outside of it.
ENV NODE_ENV=production SERVICE=${SERVICE} HOST=0.0.0.0 GRPC_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages packages
COPY --from=build /app/services services
# The gateway serves the web application.
COPY --from=build /app/console/dist/app console/dist/app
# Read only where GRPC_REFLECTION lets a console discover a service.
COPY --from=build /app/proto proto
# The operator's command line runs next to the organization service: see docs/runbooks/deploying.md.
COPY --from=build /app/tools/admin tools/admin
# A user without an entry in /etc/passwd, by number, because Kubernetes cannot tell from a name that it is not root. Above 10000, it is
# unlikely to be a user of the node.
USER 10001:10001
EXPOSE 8080 50051 50052
# The shell only fills in the name: exec makes node the process that gets SIGTERM.
CMD ["sh", "-c", "exec node \"services/${SERVICE:?name the service to start, as its folder in services/}/dist/main.js\""]
