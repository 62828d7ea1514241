# syntax=docker/dockerfile:1
# docker build -t robust . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" robust attack --model distilbert --suite typos
# A release passes the digest of the base: --build-arg BASE=node:22-slim@sha256:...
ARG BASE=node:22-slim
FROM ${BASE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends locales
WORKDIR /robust
COPY package.json package-lock.json ./
COPY packages/onnx/package.json packages/onnx/
COPY packages/shield/package.json packages/shield/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN mkdir /tarball && npm run build && npm pack --ignore-scripts --pack-destination /tarball
RUN sh release/image.sh /image /tarball/robust-text-*.tgz bullmq@6 ioredis@5 aws4fetch@1
RUN node release/sbom.js /image > /image/sbom.cdx.json

FROM scratch
COPY --from=build /image /
ENV NODE_ENV=production HOME=/var/robust PATH=/usr/bin:/bin
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["robust"]
