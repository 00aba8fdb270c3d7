# syntax=docker/dockerfile:1

# Installs from the lockfile, builds with the project's own commands, and unpacks the server's release tarball to /app.
FROM docker.io/library/node:26.10.0-bookworm-slim AS build
WORKDIR /build
ENV CI=true
# These files determine the installation. They are copied first, so that changes to other files do not repeat the installation.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.cjs ./
COPY scripts/install.mjs scripts/link-node.mjs scripts/process.mjs scripts/
COPY benchmarks/package.json benchmarks/
COPY apps/cli/package.json apps/cli/
COPY apps/console/package.json apps/console/
COPY apps/server/package.json apps/server/
COPY packages/dni-script/package.json packages/dni-script/
COPY packages/domain/package.json packages/domain/
COPY packages/postgres/package.json packages/postgres/
COPY packages/transcoding/package.json packages/transcoding/
RUN --mount=type=cache,target=/root/.local/share/pnpm \
    node --input-type=module --eval 'import { installDependencies } from "./scripts/install.mjs"; installDependencies()'
COPY . .
RUN npm run build \
    && node --input-type=module --eval 'import { packProgram } from "./scripts/packaging/pack-program.mjs"; packProgram("server", "/tmp")' \
    && mkdir --parents /root-folder/app /root-folder/data \
    && tar --extract --gzip --file /tmp/calltrack-server-*.tgz --directory /root-folder/app --strip-components=1
# Node.js and the shared libraries that it loads.
RUN cp --parents --dereference /usr/local/bin/node $(ldd /usr/local/bin/node | grep --only-matching '/[^ ]*') /root-folder/ \
    && chown --recursive 65532:65532 /root-folder/data

# The image contains no package manager, and from BusyBox only wget, for the health check.
FROM scratch
COPY --from=docker.io/library/busybox:1.37.0-musl /bin/busybox /usr/local/bin/wget
COPY --from=build /root-folder /
# A number, because Kubernetes cannot check whether a user name is root.
USER 65532:65532
WORKDIR /app
ENV HOST=0.0.0.0 \
    PORT=8080 \
    OPS_PORT=127.0.0.1:9464 \
    DATA_DIR=/data
VOLUME /data
EXPOSE 8080
# Uses wget, so that no second Node.js starts. OPS_PORT on loopback serves plain HTTP even if the API uses TLS.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["/usr/local/bin/wget", "-q", "-O", "/dev/null", "http://127.0.0.1:9464/healthz"]
# The same flags as in apps/server/node-flags.js.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=8", "--no-allocation-site-pretenuring", "--heap-growing-percent=100", "--disable-sigusr1", "dist/bundle/main.js"]
CMD ["serve"]
