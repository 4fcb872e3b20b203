# The image of Gatehouse. Build it in a checkout: docker build --tag gatehouse .
# It needs GATEHOUSE_BASE_URL, because it listens on all addresses. compose.yaml is a whole installation.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /checkout
COPY . .
RUN npm ci --no-audit --no-fund && ops/image/assemble /assembled

FROM debian:bookworm-slim
COPY --from=build /assembled/opt /opt
COPY --from=build /assembled/usr /usr
COPY --from=build --chown=10001:10001 /assembled/var/lib/gatehouse /var/lib/gatehouse
ENV GATEHOUSE_HOST=0.0.0.0 \
    GATEHOUSE_PORT=3000 \
    GATEHOUSE_DATA_DIR=/var/lib/gatehouse \
    HOME=/var/lib/gatehouse
# No name in /etc/passwd is needed, and no right to change anything but the volume.
USER 10001:10001
WORKDIR /var/lib/gatehouse
VOLUME /var/lib/gatehouse
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["/opt/gatehouse/node", "/opt/gatehouse/health-check.js"]
ENTRYPOINT ["/opt/gatehouse/node", "/opt/gatehouse/bin/gatehouse.js"]
CMD ["serve"]
