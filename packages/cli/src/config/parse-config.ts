import { omitUndefined } from '@millrace/core/omit-undefined';
import type { ArchiveLocation, BlobLocation } from '@millrace/runtime';
import { z } from 'zod';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { durationIn } from '../options/duration-argument.ts';
import { parseKeep } from '../options/keep-times.ts';
import { queuesIn } from '../options/queues-argument.ts';
import { dataDirectory } from './data-directory.ts';
import { httpLimitsIn, httpVariables } from './http-config.ts';
import { runLimitsIn, runLimitVariables } from './run-limits-config.ts';
import { archiveLocationIn, s3Variables } from './s3-config.ts';
import type { Config } from './settings.ts';
import type { TokenConfig } from './token-config.ts';
import { readTokenConfig, tokenVariables } from './token-config.ts';
import { tracingIn, tracingVariables } from './tracing-config.ts';
import { workflowLimitsIn } from './workflow-limits.ts';

const emptyIsAbsent = (value: unknown): unknown => (value === '' ? undefined : value);

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Time in milliseconds within which a program refers to contents that it has stored. */
const shortestKeepMs = 3_600_000;

const Environment = z.object({
  MILLRACE_URL: z.preprocess(
    emptyIsAbsent,
    z
      .url({ protocol: /^https?$/, error: 'must be the address of an HTTP API, such as http://127.0.0.1:4700' })
      .refine((url) => !/^\w+:\/\/[^/?#]*@/.test(url), 'must hold no user name or password: set MILLRACE_API_KEY')
      .optional(),
  ),
  MILLRACE_API_KEY: z.preprocess(
    emptyIsAbsent,
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'has a character that no key has, such as a line break or a space')
      .optional(),
  ),
  REDIS_URL: z.preprocess(
    emptyIsAbsent,
    z
      .string()
      .regex(
        /^(rediss?(\+(sentinel|cluster))?|(redis\+)?unix):\/\//,
        'must start with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://',
      )
      .optional(),
  ),
  REDIS_SENTINEL_PASSWORD: z.preprocess(emptyIsAbsent, z.string().optional()),
  MILLRACE_REPLICAS: z.preprocess(emptyIsAbsent, z.coerce.number().int().min(0).max(10).optional()),
  MILLRACE_PREFIX: z.preprocess(
    emptyIsAbsent,
    z
      .string()
      .regex(/^[A-Za-z0-9_-]+$/, 'may hold letters, digits, _ and - only')
      .optional(),
  ),
  MILLRACE_DIR: z.preprocess(emptyIsAbsent, z.string().optional()),
  XDG_DATA_HOME: z.string().optional(),
  MILLRACE_LOG_LEVEL: z.preprocess(
    emptyIsAbsent,
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
  ),
  MILLRACE_SANDBOX: z.preprocess(emptyIsAbsent, z.enum(['auto', 'bubblewrap', 'limits', 'none']).default('auto')),
  MILLRACE_EXTENSIONS: z.preprocess(emptyIsAbsent, z.string().optional()),
  MILLRACE_PRICES: z.preprocess(emptyIsAbsent, z.string().optional()),
  MILLRACE_RATE_LIMITS: z.preprocess(emptyIsAbsent, z.string().optional()),
  MILLRACE_BLOBS: z.preprocess(
    emptyIsAbsent,
    z
      .string()
      .regex(/^(redis|dir:.+|s3:.+)$/, 'must be `redis`, `dir:` and a path, or like s3://bucket/prefix')
      .optional(),
  ),
  MILLRACE_JOURNAL_WINDOW: z.preprocess(emptyIsAbsent, z.coerce.number().int().min(100).optional()),
  MILLRACE_KEEP: z.preprocess(
    emptyIsAbsent,
    z
      .string()
      .transform((text, { addIssue }) => {
        const keep = parseKeep(text);
        if (keep === undefined) addIssue('must be like completed=7d,failed=30d,cancelled=7d,terminated=30d');
        return keep;
      })
      .optional(),
  ),
  MILLRACE_KEEP_FILES: z.preprocess(
    emptyIsAbsent,
    z
      .string()
      .transform((text, { addIssue }) => {
        const keptMs = durationIn(text);
        if (keptMs === undefined || keptMs < shortestKeepMs)
          addIssue('must be a duration of an hour or more, such as 30d');
        return keptMs;
      })
      .optional(),
  ),
  MILLRACE_ARCHIVE: z.preprocess(emptyIsAbsent, z.string().optional()),
  MILLRACE_FUNCTIONS_DIR: z.preprocess(emptyIsAbsent, z.string().optional()),
  MILLRACE_FUNCTIONS_ENV: z.string().default('').transform(namesIn),
  MILLRACE_OUTBOUND_ALLOW: z.string().transform(namesIn).optional(),
  MILLRACE_WEBHOOK_REST_MS: z.preprocess(emptyIsAbsent, z.coerce.number().int().min(1).max(3_600_000).optional()),
  MILLRACE_SECRET: z.preprocess(emptyIsAbsent, z.string().min(16, 'must have 16 characters or more').optional()),
  MILLRACE_WORKFLOW_LIMITS: z.preprocess(
    emptyIsAbsent,
    z
      .string()
      .transform(workflowLimitsIn)
      .refine((limits) => limits !== undefined, 'must be like nodes=5000,edges=20000')
      .optional(),
  ),
  MILLRACE_STOP_GRACE: z.preprocess(
    emptyIsAbsent,
    z.string().default('25s').transform(durationIn).pipe(z.number('must be a duration such as 25s or 5m')),
  ),
  MILLRACE_QUEUES: z.preprocess(
    emptyIsAbsent,
    z
      .string()
      .transform((text, { addIssue }) => {
        const queues = queuesIn(text);
        if (queues === undefined) addIssue('must be names of queues with commas between, or * for all');
        return queues;
      })
      .optional(),
  ),
  MILLRACE_CONCURRENCY: z.preprocess(emptyIsAbsent, z.coerce.number().int().min(1).max(10_000).default(16)),
  ...s3Variables,
  ...runLimitVariables,
  ...httpVariables,
  ...tokenVariables,
  ...tracingVariables,
});

/** Reads the settings out of environment variables; names every problem at once. */
export function parseConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const parsed = Environment.safeParse(variables);
  if (!parsed.success) {
    throw unusable(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const { MILLRACE_LOG_LEVEL, MILLRACE_SANDBOX } = parsed.data;
  const { MILLRACE_JOURNAL_WINDOW } = parsed.data;
  const { MILLRACE_EXTENSIONS, MILLRACE_FUNCTIONS_DIR, MILLRACE_FUNCTIONS_ENV } = parsed.data;
  const { MILLRACE_OUTBOUND_ALLOW, MILLRACE_WEBHOOK_REST_MS } = parsed.data;
  return {
    ...apiIn(parsed.data),
    ...redisIn(parsed.data),
    ...omitUndefined({ logLevel: MILLRACE_LOG_LEVEL }),
    ...storageIn(parsed.data),
    ...omitUndefined({ journalWindow: MILLRACE_JOURNAL_WINDOW }),
    ...keptIn(parsed.data),
    ...omitUndefined({
      extensions: MILLRACE_EXTENSIONS,
      secret: parsed.data.MILLRACE_SECRET,
      outbound: MILLRACE_OUTBOUND_ALLOW,
      webhookRestMs: MILLRACE_WEBHOOK_REST_MS,
    }),
    ...(MILLRACE_FUNCTIONS_DIR === undefined
      ? {}
      : { functions: { directory: MILLRACE_FUNCTIONS_DIR, variables: MILLRACE_FUNCTIONS_ENV } }),
    ...dataDirectory(parsed.data),
    sandbox: MILLRACE_SANDBOX,
    stopGraceMs: parsed.data.MILLRACE_STOP_GRACE,
    ...workOf(parsed.data),
    ...runLimitsIn(parsed.data),
    httpLimits: httpLimitsIn(parsed.data),
    ...tokensIn(parsed.data),
    ...tracingIn(parsed.data),
    environment: Object.fromEntries(
      Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  };
}

const redisIn = ({
  REDIS_URL,
  REDIS_SENTINEL_PASSWORD: password,
  MILLRACE_PREFIX: prefix,
  MILLRACE_REPLICAS: replicas,
}: z.output<typeof Environment>): Pick<Config, 'redisUrl' | 'prefix' | 'replicas'> => {
  const redisUrl =
    REDIS_URL === undefined || password === undefined ? REDIS_URL : withSentinelPassword(REDIS_URL, password);
  return omitUndefined({ redisUrl, prefix, replicas });
};

/** Returns the URL of Redis with the password of its sentinels among its options. */
function withSentinelPassword(url: string, password: string): string {
  if (!/^rediss?\+sentinel:/.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}sentinel_password=${encodeURIComponent(password)}`;
}

const keptIn = ({
  MILLRACE_KEEP,
  MILLRACE_KEEP_FILES,
}: z.output<typeof Environment>): Pick<Config, 'keep' | 'keepFilesMs'> =>
  omitUndefined({ keep: MILLRACE_KEEP, keepFilesMs: MILLRACE_KEEP_FILES });

/** Returns the settings of a worker of this process. */
const workOf = ({
  MILLRACE_CONCURRENCY,
  MILLRACE_QUEUES,
  MILLRACE_PRICES,
  MILLRACE_RATE_LIMITS,
  MILLRACE_WORKFLOW_LIMITS,
}: z.output<typeof Environment>): Pick<Config, 'concurrency' | 'queues' | 'prices' | 'rateLimits' | 'workflowLimits'> =>
  omitUndefined({
    workflowLimits: MILLRACE_WORKFLOW_LIMITS,
    concurrency: MILLRACE_CONCURRENCY,
    queues: MILLRACE_QUEUES,
    prices: MILLRACE_PRICES,
    rateLimits: MILLRACE_RATE_LIMITS,
  });

function tokensIn(variables: z.infer<typeof Environment>): { tokens?: TokenConfig } {
  const tokens = readTokenConfig(variables);
  if (typeof tokens === 'string') throw unusable([tokens]);
  return tokens === undefined ? {} : { tokens };
}

const unusable = (problems: readonly string[]): CommandError =>
  new CommandError(
    exitCodes.invalid,
    ['The environment is not usable:', ...problems.map((one) => `  ${one}`)].join('\n'),
  );

const apiIn = ({ MILLRACE_URL, MILLRACE_API_KEY }: z.infer<typeof Environment>): Pick<Config, 'api'> => {
  if (MILLRACE_URL === undefined) return {};
  return { api: omitUndefined({ url: MILLRACE_URL, apiKey: MILLRACE_API_KEY }) };
};

/** Returns where contents and archived runs are stored. */
function storageIn(environment: z.output<typeof Environment>): Pick<Config, 'blobs' | 'archive'> {
  const { MILLRACE_BLOBS: blobs, MILLRACE_ARCHIVE: archive } = environment;
  const { directory } = dataDirectory(environment);
  const problems: string[] = [];
  const located = (name: string, text: string): ArchiveLocation | undefined => {
    const location = archiveLocationIn(text, { directory, environment });
    if (typeof location !== 'string') return location;
    problems.push(`${name}: ${location}`);
    return undefined;
  };
  const found: { blobs?: BlobLocation | undefined; archive?: ArchiveLocation | undefined } = {};
  if (blobs === 'redis') found.blobs = { type: 'redis' };
  else if (blobs !== undefined) found.blobs = located('MILLRACE_BLOBS', blobs.replace(/^dir:/, ''));
  if (archive !== undefined) found.archive = located('MILLRACE_ARCHIVE', archive);
  if (problems.length > 0) throw unusable(problems);
  return omitUndefined(found);
}
