import type { ReadLimits, RunLimits } from '@millrace/core';
import type { ArchiveLocation, BlobLocation, ConsumeOptions, Keep } from '@millrace/runtime';
import type { DataDirectory } from './data-directory.ts';
import type { HttpLimits } from './http-config.ts';
import type { TokenConfig } from './token-config.ts';
import type { TracingConfig } from './tracing-config.ts';

/** Settings of this process, parsed from its environment. */
export interface Config {
  /** HTTP API that commands use; absent: they connect to Redis. */
  readonly api?: { readonly url: string; readonly apiKey?: string };
  readonly redisUrl?: string;
  /** Prefix of all keys in Redis; absent: the default of the runtime. */
  readonly prefix?: string;
  /** Directory of the data of an embedded Redis, and of the files of programs. */
  readonly directory: string;
  readonly directoryOrigin: DataDirectory['directoryOrigin'];
  /** Number of replicas of Redis that must confirm a write before the response; absent: none. */
  readonly replicas?: number;
  /** Location of large contents; absent: a directory beside an embedded Redis, otherwise Redis. */
  readonly blobs?: BlobLocation;
  /** Number of events of a journal that are kept in Redis; absent: the default of the runtime. */
  readonly journalWindow?: number;
  /** Limits of the size of a run; absent parts: the defaults of the runtime. */
  readonly limits: Partial<RunLimits>;
  /** Time that ended runs are kept; absent: no limit. */
  readonly keep?: Keep;
  /** Time that unused contents are kept, in milliseconds; absent: no limit. */
  readonly keepFilesMs?: number;
  /** Location of archives of removed runs; absent: removed runs are not archived. */
  readonly archive?: ArchiveLocation;
  /** Confinement of the programs of python nodes. */
  readonly sandbox: 'auto' | 'bubblewrap' | 'limits' | 'none';
  /** Size of each of their temporary file systems. */
  readonly sandboxTmpMb: number;
  /** Log level; absent: the default of the command. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Module that exports the installation's own functions as `extensions`. */
  readonly extensions?: string;
  /** File that maps functions of the original engine to tools of MCP servers. */
  readonly tools?: string;
  /** Limits of workflow files; absent parts: the defaults. */
  readonly workflowLimits?: Partial<ReadLimits>;
  /** File with facts about models. */
  readonly models?: string;
  /** File with prices of models. */
  readonly prices?: string;
  /** File with the rate limits of models. */
  readonly rateLimits?: string;
  /** File with the policy of the operator for calls of tools. */
  readonly toolPolicy?: string;
  /** Folder with functions in Python, and the environment variables that they receive. */
  readonly functions?: { readonly directory: string; readonly variables: readonly string[] };
  /** Destinations that workflows may reach besides public addresses; absent: the default of the worker. */
  readonly outbound?: readonly string[];
  /** Number of workers that may die while they execute an activation. */
  readonly maxDeaths: number;
  /** Folders of the worker's machine that memories may read; absent: the default of the worker. */
  readonly memoryFiles?: readonly string[];
  /** Delay after the first attempt of a delivery of a webhook, in milliseconds; absent: the default of the server. */
  readonly webhookRestMs?: number;
  /** Secret of the installation; absent: the one in its directory. */
  readonly secret?: string;
  /** Limits of the HTTP API of this process; absent parts: the defaults. */
  readonly httpLimits: HttpLimits;
  /** Issuer of the tokens that the HTTP API of this process accepts beside API keys. */
  readonly tokens?: TokenConfig;
  /** Destination and contents of traces. */
  readonly tracing?: TracingConfig;
  /** Queues that a worker of this process serves; absent: the default of the command. */
  readonly queues?: NonNullable<ConsumeOptions['queues']>;
  /** Number of activations of a queue that a worker of this process executes at a time. */
  readonly concurrency: number;
  /** Time limit for finishing active work after a request to stop, in milliseconds. */
  readonly stopGraceMs: number;
  /** The environment itself, for the variables of a workflow. */
  readonly environment: Readonly<Record<string, string>>;
}
