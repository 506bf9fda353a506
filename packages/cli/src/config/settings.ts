import type { ReadLimits, RunLimits } from '@millrace/core';
import type { ArchiveLocation, BlobLocation, ConsumeOptions, Keep } from '@millrace/runtime';
import type { DataDirectory } from './data-directory.ts';
import type { HttpLimits } from './http-config.ts';
import type { TokenConfig } from './token-config.ts';
import type { TracingConfig } from './tracing-config.ts';

/** Settings of this process, as its environment has them. */
export interface Config {
  /** The HTTP API that commands speak to; absent: they use Redis themselves. */
  readonly api?: { readonly url: string; readonly apiKey?: string };
  readonly redisUrl?: string;
  /** Prefix of all keys in Redis; absent: the runtime's own. */
  readonly prefix?: string;
  /** Directory of the data of an embedded Redis, and of the files of programs. */
  readonly directory: string;
  readonly directoryOrigin: DataDirectory['directoryOrigin'];
  /** Replicas of Redis that must have received a request before it is answered; absent: none. */
  readonly replicas?: number;
  /** Place of large contents; absent: beside an embedded Redis in a directory, otherwise in Redis. */
  readonly blobs?: BlobLocation;
  /** Events of a run's journal that are kept in Redis; absent: the runtime's own. */
  readonly journalWindow?: number;
  /** Limits of what one run may hold; absent parts: the defaults of the runtime. */
  readonly limits: Partial<RunLimits>;
  /** Time that ended runs are kept; absent: for ever. */
  readonly keep?: Keep;
  /** Time that unused contents are kept, in milliseconds; absent: for ever. */
  readonly keepFilesMs?: number;
  /** Place where runs are archived before they are removed; absent: they are not. */
  readonly archive?: ArchiveLocation;
  /** Confinement of the programs of python nodes. */
  readonly sandbox: 'auto' | 'bubblewrap' | 'limits' | 'none';
  /** Absent: the command's own choice. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Module that exports functions of the installation as `extensions`. */
  readonly extensions?: string;
  /** The most that one workflow may have, where that is not the default. */
  readonly workflowLimits?: Partial<ReadLimits>;
  /** File with prices of models. */
  readonly prices?: string;
  /** File with what may be asked of models in a minute. */
  readonly rateLimits?: string;
  /** Folder with functions in Python, and the variables that they may see. */
  readonly functions?: { readonly directory: string; readonly variables: readonly string[] };
  /** Destinations that workflows may reach beside public addresses; absent: the default of the worker. */
  readonly outbound?: readonly string[];
  /** Rest of a delivery of a webhook after its first try, in milliseconds; absent: the default of the server. */
  readonly webhookRestMs?: number;
  /** Secret of the installation; absent: one that is kept in the directory. */
  readonly secret?: string;
  /** Limits of the HTTP API of this process; absent parts: its defaults. */
  readonly httpLimits: HttpLimits;
  /** Issuer of the tokens that the HTTP API of this process accepts beside API keys. */
  readonly tokens?: TokenConfig;
  /** Destination and contents of traces. */
  readonly tracing?: TracingConfig;
  /** The queues that a worker of this process serves; absent: the command's own choice. */
  readonly queues?: NonNullable<ConsumeOptions['queues']>;
  /** Activations of a queue that a worker of this process works on at a time. */
  readonly concurrency: number;
  /** Time that a process that is told to stop may take to finish its work, in milliseconds. */
  readonly stopGraceMs: number;
  /** The environment itself, for the variables of a workflow. */
  readonly environment: Readonly<Record<string, string>>;
}
