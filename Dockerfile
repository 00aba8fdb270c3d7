# syntax=docker/dockerfile:1

# Builds from the lockfile with the project's own command, then unpacks the released tarball of the server to /app.
FROM docker.io/library/node:26.10.0-bookworm-slim AS build
WORKDIR /build
ENV CI=true
COPY . .
RUN --mount=type=cache,target=/root/.local/share/pnpm \
    npm run build \
    && cd apps/server && npm pack --pack-destination /tmp \
    && mkdir /app /data && tar --extract --gzip --file /tmp/calltrack-server-*.tgz --directory /app --strip-components=1

# Contains only the libraries that Node.js needs: no shell, no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
COPY --from=build --chown=nonroot:nonroot /data /data
# A number, because Kubernetes cannot tell whether a user name is root.
USER 65532:65532
WORKDIR /app
ENV HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["/usr/local/bin/node", "--eval", "fetch(`http://${process.env.OPS_PORT?.includes(\":\") ? process.env.OPS_PORT : `127.0.0.1:${process.env.OPS_PORT || process.env.PORT}`}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags equal those of apps/server/node-flags.js.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=8", "--no-allocation-site-pretenuring", "dist/bundle/main.js"]
CMD ["serve"]
