import { join, resolve } from 'node:path';
import type { EndedStatus } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { ArchiveLocation, BlobLocation, Keep, S3Location } from '@millrace/runtime';
import { z } from 'zod';
import { durationIn } from '../options/arguments.ts';
import { dataDirectory } from './data-directory.ts';
import type { Config } from './settings.ts';
import { variable, wholeNumber } from './variable.ts';

/** Minimum retention of unused contents, in milliseconds: a program refers to stored contents within this time. */
const shortestKeepMs = 3_600_000;

/** Environment variables of the location and the retention of data. */
export const storageVariables = {
  MILLRACE_DIR: variable(z.string().optional(), {
    description: 'Directory for local data: an embedded Redis, files of programs, the secret of the installation.',
    format: 'path of a directory',
    otherwise:
      '`.millrace` in the working directory if it exists, otherwise `$XDG_DATA_HOME/millrace` or `~/.millrace`',
    readBy: 'all commands',
  }),
  XDG_DATA_HOME: variable(z.string().optional(), {
    description:
      'Directory in which the local data of a user is, in a folder `millrace`, if `MILLRACE_DIR` is not set.',
    format: 'absolute path; others are ignored',
    otherwise: 'The data is in `.millrace` of the home directory (`HOME`).',
    readBy: 'all commands',
  }),
  MILLRACE_BLOBS: variable(
    z
      .string()
      .regex(/^(redis|dir:.+|s3:.+)$/, 'must be `redis`, `dir:` and a path, or like s3://bucket/prefix')
      .optional(),
    {
      description:
        'Store for large contents, the same for all processes: Redis, a directory on a volume that all hosts share, or S3. See [Files](../guide/files.md#where-contents-are-stored).',
      format: '`redis`, `dir:/path`, `s3://bucket/prefix?endpoint=…&region=…&path_style=…`',
      otherwise: 'a directory beside an embedded Redis, otherwise `redis`',
      readBy: 'processes with Redis',
    },
  ),
  MILLRACE_ARCHIVE: variable(z.string().optional(), {
    description:
      'Place to which a run is written, as `<run>.jsonl`, [before it is removed](../guide/life-of-a-run.md#how-long-runs-are-kept).',
    format: 'path of a directory, with or without `dir:` before it, or `s3://bucket/prefix`',
    otherwise: 'Removed runs are lost.',
    readBy: 'processes with Redis',
  }),
  MILLRACE_KEEP: variable(
    z
      .string()
      .transform((text, { addIssue }) => {
        const keep = parseKeep(text);
        if (keep === undefined) addIssue('must be like completed=7d,failed=30d,cancelled=7d,terminated=30d');
        return keep;
      })
      .optional(),
    {
      description: 'How long runs are kept after they have ended, by their status.',
      format: '`completed=7d,failed=30d,cancelled=7d,terminated=30d`, or some of them',
      otherwise: 'They are kept for ever.',
      readBy: 'processes with Redis',
    },
  ),
  MILLRACE_KEEP_FILES: variable(
    z
      .string()
      .transform((text, { addIssue }) => {
        const keptMs = durationIn(text);
        if (keptMs === undefined || keptMs < shortestKeepMs)
          addIssue('must be a duration of an hour or more, such as 30d');
        return keptMs;
      })
      .optional(),
    {
      description:
        'How long unused uploads, and [contents](../guide/files.md#how-long-contents-are-kept) that no run refers to, are kept.',
      format: 'duration of an hour or more, such as `30d`',
      otherwise: 'They are kept for ever.',
      readBy: 'processes with Redis',
    },
  ),
  MILLRACE_JOURNAL_WINDOW: variable(wholeNumber(100, 1_000_000_000).optional(), {
    description:
      'Approximate number of events of a journal that stay in Redis. Older ones are compressed, stored as blobs and read from there.',
    otherwise: '`10000`',
    readBy: 'processes with Redis',
  }),
};

type Storage = z.output<z.ZodObject<typeof storageVariables>>;

/** Returns the retention times of runs and contents. */
export const keptIn = ({ MILLRACE_KEEP, MILLRACE_KEEP_FILES }: Storage): Pick<Config, 'keep' | 'keepFilesMs'> =>
  omitUndefined({ keep: MILLRACE_KEEP, keepFilesMs: MILLRACE_KEEP_FILES });

/** Returns the locations of contents and archived runs, or the problems with these settings. */
export function storageIn(environment: Storage & S3Environment): Pick<Config, 'blobs' | 'archive'> | readonly string[] {
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
  else if (blobs !== undefined) found.blobs = located('MILLRACE_BLOBS', withoutScheme(blobs));
  if (archive !== undefined) found.archive = located('MILLRACE_ARCHIVE', withoutScheme(archive));
  return problems.length > 0 ? problems : omitUndefined(found);
}

const withoutScheme = (place: string): string => place.replace(/^dir:/, '');

type S3Credentials = S3Location['credentials'];

const text = (description: string, otherwise: string) =>
  variable(z.string().optional(), { description, otherwise, readBy: 'processes with Redis' });

/** Environment variables of the access to S3, with the names that Amazon's tools use. */
export const s3Variables = {
  AWS_ACCESS_KEY_ID: text(
    'Id of the key of a store in [S3](../guide/object-storage.md).',
    'The keys of a role are used.',
  ),
  AWS_SECRET_ACCESS_KEY: text('The key that belongs to `AWS_ACCESS_KEY_ID`.', 'The keys of a role are used.'),
  AWS_SESSION_TOKEN: text('Token of temporary keys.', 'The keys are permanent.'),
  AWS_ROLE_ARN: text('Role whose keys are requested from the token service.', 'none'),
  AWS_WEB_IDENTITY_TOKEN_FILE: text('File with the token of the workload, for the role.', 'none'),
  AWS_ROLE_SESSION_NAME: text('Name of the sessions of the role.', '`millrace`'),
  AWS_ENDPOINT_URL_STS: text('Address of the token service.', 'that of Amazon'),
  AWS_REGION: text('Region of buckets whose URL names none.', '`AWS_DEFAULT_REGION`'),
  AWS_DEFAULT_REGION: text('Region if `AWS_REGION` is not set.', '`us-east-1`'),
};

/** Values of these variables. */
type S3Environment = z.output<z.ZodObject<typeof s3Variables>>;

/** Returns the S3 location that a URL names, or the problem with it as a clause. */
function s3LocationIn(text: string, environment: S3Environment): S3Location | string {
  if (!URL.canParse(text)) return 'must be like s3://bucket/prefix?region=eu-central-1';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    return 'must hold no keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  const options = Options.safeParse(Object.fromEntries(url.searchParams));
  if (!options.success) return problemOf(options.error);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname) || url.port !== '')
    return 'must name a bucket: 3 to 63 lower-case letters, digits, dots and hyphens';
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  if (!/^[\w.-]*(\/[\w.-]+)*$/.test(path) || path.split('/').some((name) => /^\.+$/.test(name)))
    return 'may have letters, digits, _ . - and / in its prefix only';
  const credentials = credentialsIn(environment);
  if (credentials === undefined)
    return 'needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE';
  const { endpoint, region, path_style } = options.data;
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${path}/`,
    region: region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'us-east-1',
    ...(endpoint === undefined ? {} : { endpoint }),
    // The certificate of Amazon S3 does not match names of buckets with dots.
    pathStyle: path_style === undefined ? endpoint !== undefined || url.hostname.includes('.') : path_style === '1',
    credentials,
  };
}

/** Returns the location of a setting: a directory, or `s3:`; or a text that states the problem with it. */
function archiveLocationIn(
  text: string,
  { directory, environment }: { readonly directory: string; readonly environment: S3Environment },
): ArchiveLocation | string {
  if (!text.startsWith('s3:')) return { type: 'directory', path: resolve(text) };
  const location = s3LocationIn(text, environment);
  return typeof location === 'string' ? location : { type: 's3', location, spool: join(directory, 'spool') };
}

const isOrigin = (text: string): boolean => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { origin, pathname, search, username, password } = new URL(text);
  return origin !== 'null' && pathname === '/' && `${search}${username}${password}` === '';
};

const Options = z.strictObject({
  endpoint: z
    .string()
    .refine(isOrigin, 'endpoint must be like https://minio.example:9000')
    .transform((text) => new URL(text).origin)
    .optional(),
  region: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'region must be like eu-central-1')
    .optional(),
  path_style: z.enum(['0', '1'], 'path_style must be 0 or 1').optional(),
});

/** Describes an unknown option without its value, which may be a key. */
function problemOf({ issues }: z.ZodError): string {
  const [first] = issues;
  if (first?.code !== 'unrecognized_keys') return first?.message ?? 'has an invalid option';
  return `has the unknown option ${first.keys[0]}; there are endpoint, region and path_style`;
}

function credentialsIn(environment: S3Environment): S3Credentials | undefined {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_ROLE_ARN: roleArn,
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_SESSION_NAME: sessionName = 'millrace',
    AWS_ENDPOINT_URL_STS: tokenService,
  } = environment;
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { type: 'keys', accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  if (roleArn === undefined || tokenFile === undefined) return undefined;
  const service = tokenService === undefined ? {} : { tokenService };
  return { type: 'web-identity', roleArn, tokenFile, sessionName, ...service };
}

const statuses: Readonly<Record<string, EndedStatus>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  terminated: 'terminated',
};

/** Parses retention times of ended runs, as in `completed=7d,failed=30d`; undefined if the text is invalid. */
function parseKeep(text: string): Keep | undefined {
  const keep: Partial<Record<EndedStatus, number>> = {};
  for (const part of text.split(',')) {
    const [name = '', duration = ''] = part.split('=').map((side) => side.trim());
    const status = Object.hasOwn(statuses, name) ? statuses[name] : undefined;
    const keptMs = durationIn(duration);
    if (status === undefined || keptMs === undefined || status in keep) return undefined;
    keep[status] = keptMs;
  }
  return keep;
}
