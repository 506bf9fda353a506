import { join, resolve } from 'node:path';
import type { ArchiveLocation, S3Location } from '@millrace/runtime';
import { z } from 'zod';
import { variable } from './variable.ts';

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
export type S3Environment = z.output<z.ZodObject<typeof s3Variables>>;

/** Returns the S3 location that a URL names, or the problem with it as a clause. */
export function s3LocationIn(text: string, environment: S3Environment): S3Location | string {
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
export function archiveLocationIn(
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
