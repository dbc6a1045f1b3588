FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -I -m venv /opt/debatebot
COPY requirements.lock ./
RUN /opt/debatebot/bin/pip install --require-hashes --only-binary=:all: -r requirements.lock
COPY . .
RUN /opt/debatebot/bin/pip install --no-index --no-deps --no-build-isolation .

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
RUN useradd --system --uid 10001 --create-home --home-dir /data debatebot
COPY --from=build /opt/debatebot /opt/debatebot
# The database and the embedded model's weights live in /data: the working folder and the home of one user without rights.
ENV PATH=/opt/debatebot/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 HOME=/data DEBATE_HOST=0.0.0.0 DEBATE_PORT=8765 DEBATE_DATABASE_URL=/data/debate.db
USER debatebot
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-I", "-c", "import os, urllib.request as r; r.build_opener(r.ProxyHandler({})).open(f'http://127.0.0.1:{os.environ[\"DEBATE_PORT\"]}/healthz', timeout=4).close()"]
CMD ["debate", "serve"]
