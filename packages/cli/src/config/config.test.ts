import { describe, expect, it } from 'vitest';
import { remoteConfig } from './config.ts';
import { parseConfig } from './parse-config.ts';

describe('the configuration', () => {
  it('has defaults for everything', () => {
    expect(parseConfig({ HOME: '/home/me', REDIS_URL: '' })).toEqual({
      directory: expect.stringMatching(/millrace$/),
      directoryOrigin: expect.stringMatching(/user|working directory/),
      sandbox: 'auto',
      sandboxTmpMb: 512,
      maxDeaths: 3,
      limits: {},
      stopGraceMs: 25_000,
      concurrency: 16,
      httpLimits: { corsOrigins: [] },
      environment: { HOME: '/home/me', REDIS_URL: '' },
    });
  });

  it.each(['mk_default_SECRET\n', 'mk_default_SECRET x', 'mk_default_SECRÉT'])(
    'refuses the key %j, and does not show it',
    (key) => {
      expect(() => parseConfig({ MILLRACE_API_KEY: key })).toThrow(
        /^(?![\s\S]*SECR)[\s\S]*MILLRACE_API_KEY: has a character/,
      );
    },
  );

  it('reads the issuers of trusted tokens', () => {
    const needed = {
      MILLRACE_JWT_KEYS: 'https://login.example/jwks',
      MILLRACE_JWT_ISSUER: 'https://login.example',
      MILLRACE_JWT_AUDIENCE: 'millrace',
    };
    expect(parseConfig(needed).tokens).toEqual({
      keys: { url: 'https://login.example/jwks' },
      issuer: 'https://login.example',
      audience: 'millrace',
    });
    const more = {
      MILLRACE_JWT_KEYS: 'keys.pem',
      MILLRACE_JWT_ALGORITHMS: 'RS256, ES256',
      MILLRACE_JWT_SCOPES: 'x:ops=admin,dev=read+run',
      MILLRACE_JWT_CLOCK_TOLERANCE: '5',
      MILLRACE_JWT_TENANT_CLAIM: 'org',
      MILLRACE_JWT_SCOPES_CLAIM: 'roles',
    };
    expect(parseConfig({ ...needed, ...more }).tokens).toMatchObject({
      keys: { file: 'keys.pem' },
      algorithms: ['RS256', 'ES256'],
      scopes: { 'x:ops': ['admin'], dev: ['read', 'run'] },
      toleranceSeconds: 5,
      tenantClaim: 'org',
      scopesClaim: 'roles',
    });
  });

  it.each([
    { MILLRACE_JWT_KEYS: 'keys.pem' },
    { MILLRACE_JWT_ISSUER: 'https://login.example' },
    { MILLRACE_JWT_KEYS: 'http://login.example/jwks', MILLRACE_JWT_ISSUER: 'a', MILLRACE_JWT_AUDIENCE: 'b' },
    { MILLRACE_JWT_KEYS: 'f', MILLRACE_JWT_ISSUER: 'a', MILLRACE_JWT_AUDIENCE: 'b', MILLRACE_JWT_ALGORITHMS: 'none' },
    {
      MILLRACE_JWT_KEYS: 'f',
      MILLRACE_JWT_ISSUER: 'a',
      MILLRACE_JWT_AUDIENCE: 'b',
      MILLRACE_JWT_SCOPES: 'ops=everything',
    },
  ])('refuses to trust tokens by %j', (variables) => {
    expect(() => parseConfig(variables)).toThrow(/MILLRACE_JWT_/);
  });

  it('adds the password of the sentinels to the URL that names them, and to no other', () => {
    const password = { REDIS_SENTINEL_PASSWORD: 's&t' };
    const urlFrom = (REDIS_URL: string) => parseConfig({ ...password, REDIS_URL }).redisUrl;

    expect(urlFrom('redis+sentinel://h1/main')).toBe('redis+sentinel://h1/main?sentinel_password=s%26t');
    expect(urlFrom('rediss+sentinel://h1/main?db=1')).toBe('rediss+sentinel://h1/main?db=1&sentinel_password=s%26t');
    expect(urlFrom('redis+cluster://h1')).toBe('redis+cluster://h1');
    expect(parseConfig({ MILLRACE_REPLICAS: '1' }).replicas).toBe(1);
  });

  it('reads the settings of this process', () => {
    const variables = {
      REDIS_URL: 'redis://localhost:6379/1',
      MILLRACE_PREFIX: 'team_a',
      MILLRACE_DIR: '/var/lib/millrace',
      MILLRACE_LOG_LEVEL: 'debug',
      MILLRACE_SANDBOX: 'limits',
      MILLRACE_SANDBOX_TMP_MB: '64',
      MILLRACE_MEMORY_FILES: '/srv/notes, /srv/books',
      MILLRACE_PRICES: 'prices.yaml',
      MILLRACE_RATE_LIMITS: 'rates.yaml',
      MILLRACE_TOOLS: 'tools.yaml',
      MILLRACE_EXTENSIONS: './functions.mjs',
      MILLRACE_FUNCTIONS_DIR: 'functions',
      MILLRACE_FUNCTIONS_ENV: 'SEARCH_KEY, OTHER',
      MILLRACE_BLOBS: 'dir:/srv/blobs',
      MILLRACE_JOURNAL_WINDOW: '500',
      MILLRACE_KEEP: 'completed=7d, failed=12h',
      MILLRACE_KEEP_FILES: '30d',
      MILLRACE_ARCHIVE: '/srv/archive',
      MILLRACE_CONCURRENCY: '4',
      MILLRACE_MAX_FAN_OUT_ITEMS: '1000',
      MILLRACE_MAX_WAITING_MESSAGES: '2000',
      MILLRACE_MAX_COMMIT_MB: '8',
      MILLRACE_MAX_STORED_MB: '16',
      MILLRACE_CORS_ORIGINS: 'https://a.example, https://b.example',
      MILLRACE_REQUESTS_PER_MINUTE: '60',
      MILLRACE_WEBHOOK_REST_MS: '500',
      MILLRACE_WORKFLOW_LIMITS: 'nodes=5000, edges=7',
    };
    expect(parseConfig(variables)).toMatchObject({
      redisUrl: 'redis://localhost:6379/1',
      prefix: 'team_a',
      workflowLimits: { nodes: 5000, edges: 7 },
      directory: '/var/lib/millrace',
      logLevel: 'debug',
      sandbox: 'limits',
      sandboxTmpMb: 64,
      memoryFiles: ['/srv/notes', '/srv/books'],
      prices: 'prices.yaml',
      rateLimits: 'rates.yaml',
      tools: 'tools.yaml',
      extensions: './functions.mjs',
      functions: { directory: 'functions', variables: ['SEARCH_KEY', 'OTHER'] },
      blobs: { type: 'directory', path: '/srv/blobs' },
      journalWindow: 500,
      keep: { completed: 604_800_000, failed: 43_200_000 },
      keepFilesMs: 2_592_000_000,
      archive: { type: 'directory', path: '/srv/archive' },
      concurrency: 4,
      limits: { fanOutItems: 1000, waitingMessages: 2000, commitCharacters: 8_388_608, storedBytes: 16_777_216 },
      httpLimits: { corsOrigins: ['https://a.example', 'https://b.example'], requestsPerMinute: 60 },
      webhookRestMs: 500,
    });
  });

  it.each(['30', '30m', 'ever', '0d'])('refuses %s as the retention of files', (MILLRACE_KEEP_FILES) => {
    expect(() => parseConfig({ MILLRACE_KEEP_FILES })).toThrow(/MILLRACE_KEEP_FILES: must be a duration of an hour/);
  });

  it.each(['completed', 'completed=0d', 'done=7d', 'completed=7', 'completed=7d,completed=8d', 'completed=7d,'])(
    'refuses an ambiguous retention of runs: %s',
    (MILLRACE_KEEP) => {
      expect(() => parseConfig({ MILLRACE_KEEP })).toThrow(/MILLRACE_KEEP: must be like completed=7d/);
    },
  );

  it.each([
    [{ MILLRACE_CORS_ORIGINS: '*' }, /MILLRACE_CORS_ORIGINS: must be origins/],
    [{ MILLRACE_CORS_ORIGINS: 'https://a.example, foo' }, /MILLRACE_CORS_ORIGINS: must be origins/],
    [{ MILLRACE_CORS_ORIGINS: 'https://a.example/' }, /MILLRACE_CORS_ORIGINS: must be origins/],
    [{ MILLRACE_WORKFLOW_LIMITS: 'nodes=many' }, /MILLRACE_WORKFLOW_LIMITS: must be like/],
    [{ MILLRACE_CONCURRENCY: 'many' }, /MILLRACE_CONCURRENCY: must be a whole number from 1 to 10000$/],
    [{ MILLRACE_DRAIN_MS: '1.5' }, /MILLRACE_DRAIN_MS: must be a whole number from 0 to 3600000$/],
    [{ MILLRACE_TRUST_PROXY: 'true' }, /MILLRACE_TRUST_PROXY: must be addresses and networks/],
    [{ MILLRACE_TRUST_PROXY: '10.0.0.0/33' }, /MILLRACE_TRUST_PROXY: must be addresses and networks/],
    [{ MILLRACE_TRUST_PROXY: '2, 10.0.0.1' }, /MILLRACE_TRUST_PROXY: must be addresses and networks/],
    [{ MILLRACE_URL: 'http://ann:secret@host:4700' }, /MILLRACE_URL: must hold no user name or password/],
    [{ MILLRACE_JWT_KEYS: 'f', MILLRACE_JWT_ISSUER: 'i' }, /; add MILLRACE_JWT_AUDIENCE$/m],
  ])('reports the problem of %j', (variables, problem) => {
    expect(() => parseConfig(variables)).toThrow(problem);
  });

  it.each([
    ['', []],
    ['2', 2],
    ['10.1.0.0/16, ::1', ['10.1.0.0/16', '::1']],
  ])('reads the proxies to trust in %j', (text, trustProxy) => {
    expect(parseConfig({ MILLRACE_TRUST_PROXY: text }).httpLimits).toEqual({ corsOrigins: [], trustProxy });
  });

  it('reads where contents and archived runs are in S3', () => {
    const keys = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' };
    const bucket = 's3://my-bucket/prod?endpoint=http://minio:9000/&region=eu-north-1';
    const location = { bucket: 'my-bucket', prefix: 'prod/', endpoint: 'http://minio:9000', region: 'eu-north-1' };
    const credentials = { type: 'keys', accessKeyId: 'AK', secretAccessKey: 'SK' };
    const read = parseConfig({ ...keys, MILLRACE_DIR: '/data', MILLRACE_BLOBS: bucket, MILLRACE_ARCHIVE: 's3://old' });

    expect(read.blobs).toEqual({
      type: 's3',
      spool: '/data/spool',
      location: { ...location, pathStyle: true, credentials },
    });
    expect(read.archive).toMatchObject({
      location: { bucket: 'old', prefix: '', region: 'us-east-1', pathStyle: false },
    });
  });

  it('reads the role of a workload in place of keys', () => {
    const role = { AWS_ROLE_ARN: 'arn:role', AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_REGION: 'eu-west-1' };
    const { blobs } = parseConfig({ ...role, MILLRACE_BLOBS: 's3://bucket' });

    const credentials = { type: 'web-identity', roleArn: 'arn:role', tokenFile: '/token', sessionName: 'millrace' };
    expect(blobs).toMatchObject({ location: { region: 'eu-west-1', credentials } });
    const more = { AWS_ROLE_SESSION_NAME: 'me', AWS_ENDPOINT_URL_STS: 'https://sts.example', AWS_REGION: '' };
    const named = parseConfig({ ...role, ...more, AWS_DEFAULT_REGION: 'eu-west-2', MILLRACE_BLOBS: 's3://bucket' });
    expect(named.blobs).toMatchObject({
      location: {
        region: 'eu-west-2',
        credentials: { ...credentials, sessionName: 'me', tokenService: 'https://sts.example' },
      },
    });
  });

  it('reads temporary keys', () => {
    const keys = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK', AWS_SESSION_TOKEN: 'ST' };

    expect(parseConfig({ ...keys, MILLRACE_BLOBS: 's3://bucket' }).blobs).toMatchObject({
      location: { credentials: { type: 'keys', sessionToken: 'ST' } },
    });
  });

  it('sends traces to the collector of traces, unless they are turned off', () => {
    const on = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318' };

    expect(parseConfig(on).tracing).toEqual({ genAi: false, content: false });
    expect(parseConfig({ ...on, OTEL_SDK_DISABLED: 'TRUE' }).tracing).toBeUndefined();
    expect(parseConfig({ ...on, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBeUndefined();
  });

  it.each([
    ['s3://key:SECRET-X@bucket', /must hold no keys: set AWS_ACCESS_KEY_ID/],
    ['s3://bucket?secret_access_key=SECRET-X', /has the unknown option secret_access_key; there are endpoint/],
    ['s3://bucket?endpoint=http://key:SECRET-X@minio:9000', /endpoint must be like https/],
    ['s3://bucket?endpoint=minio:9000', /endpoint must be like https/],
    ['s3://bucket?path_style=yes', /path_style must be 0 or 1/],
    ['s3://bucket?region=eu north', /region must be like/],
    ['s3://b', /must name a bucket/],
    ['s3://bucket/../x%20y', /may have letters, digits/],
    ['s3:bucket', /must name a bucket/],
  ])('refuses %s as a place of contents, and shows no key', (MILLRACE_BLOBS, problem) => {
    const keys = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' };
    for (const variables of [{ MILLRACE_BLOBS }, { MILLRACE_ARCHIVE: MILLRACE_BLOBS }]) {
      expect(() => parseConfig({ ...keys, ...variables })).toThrow(problem);
      expect(() => parseConfig({ ...keys, ...variables })).not.toThrow(/SECRET-X/);
    }
  });

  it('refuses a place in S3 without keys', () => {
    expect(() => parseConfig({ MILLRACE_BLOBS: 's3://bucket' })).toThrow(
      /MILLRACE_BLOBS: needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_ROLE_ARN/,
    );
  });

  it('reports all problems at once', () => {
    const broken = () => parseConfig({ REDIS_URL: 'localhost', MILLRACE_LOG_LEVEL: 'loud', MILLRACE_CONCURRENCY: '0' });
    expect(broken).toThrow(/REDIS_URL: must start with[\s\S]*MILLRACE_LOG_LEVEL[\s\S]*MILLRACE_CONCURRENCY/);
  });
});

describe('the settings of a command to an HTTP API', () => {
  const url = 'https://millrace.example/below';

  it.each([
    { MILLRACE_URL: url },
    { MILLRACE_URL: url, MILLRACE_API_KEY: 'mk_default_x', MILLRACE_DIR: '', HOME: '/home/ann' },
  ])('are equal without the schemas of all settings: %j', (variables) => {
    expect(remoteConfig(variables)).toEqual(parseConfig(variables));
  });

  it.each([
    {},
    { MILLRACE_URL: 'ftp://millrace.example' },
    { MILLRACE_URL: 'https://ann:secret@millrace.example' },
    { MILLRACE_URL: 'https://' },
    { MILLRACE_URL: url, MILLRACE_API_KEY: 'mk key' },
    { MILLRACE_URL: url, MILLRACE_CONCURRENCY: 'many' },
    { MILLRACE_URL: url, REDIS_URL: 'http://127.0.0.1' },
  ])('are read with all others where others are set, or one is invalid: %j', (variables) => {
    expect(remoteConfig(variables)).toBeUndefined();
  });
});
