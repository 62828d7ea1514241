# syntax=docker/dockerfile:1
# docker build -t robust . && docker run --rm -v "$PWD:/work" robust attack --model distilbert --suite typos
FROM node:22-slim AS pack
WORKDIR /robust
COPY . .
RUN npm ci --no-audit --no-fund && npm pack --ignore-scripts --pack-destination /tarball

FROM node:22-slim
ENV NODE_ENV=production
# In one layer, with what only queues need.
RUN --mount=type=bind,from=pack,source=/tarball,target=/tarball \
    npm install --global --no-audit --no-fund /tarball/robust-text-*.tgz bullmq@6 ioredis@5 aws4fetch@1 \
 && npm cache clean --force
USER node
WORKDIR /work
ENTRYPOINT ["robust"]
