import { omitUndefined } from '@millrace/core/omit-undefined';
import type { ArchiveLocation, BlobLocation } from '@millrace/runtime';
import { z } from 'zod';
import { durationIn } from '../options/duration-argument.ts';
import { parseKeep } from '../options/keep-times.ts';
import { dataDirectory } from './data-directory.ts';
import type { S3Environment } from './s3-config.ts';
import { archiveLocationIn } from './s3-config.ts';
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
    format: 'path of a directory, or `s3://bucket/prefix`',
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
  else if (blobs !== undefined) found.blobs = located('MILLRACE_BLOBS', blobs.replace(/^dir:/, ''));
  if (archive !== undefined) found.archive = located('MILLRACE_ARCHIVE', archive);
  return problems.length > 0 ? problems : omitUndefined(found);
}
