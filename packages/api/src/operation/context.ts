import type { RunId, Scope, TenantId, Vocabulary } from '@millrace/core';
import type { ApiKeys, InstallationAdmin, Intake, Limits, RunDescription, TenantRuntime } from '@millrace/runtime';
import type { Background } from './background.ts';
import type { CronTimes } from './cron-times.ts';
import type { SecretOfWebhook } from './secret-of-webhook.ts';
import type { WorkflowReader } from './workflow-reader.ts';

/** Everything that an operation works with. The tenant is bound once, so no operation takes a tenant. */
export interface Context {
  readonly tenant: TenantRuntime;
  readonly scopes: readonly Scope[];
  readonly vocabulary: Vocabulary;
  readonly keys: ApiKeys;
  readonly intake: Intake;
  /** Absent where runs live in one process only. */
  readonly background: Background | undefined;
  readonly reader: WorkflowReader;
  readonly secretOfWebhook: SecretOfWebhook;
  /** Throws RequestError, `ADDRESS_REFUSED`, for a URL that webhooks of a tenant may not reach. */
  readonly assertReachable: (tenant: TenantId, url: string) => Promise<void>;
  /** Aborted when the caller has gone or the process ends. */
  readonly signal: AbortSignal;
  /** Seed for ids, the same whenever a request is repeated under its idempotency key; absent without a key. */
  readonly seed?: string | undefined;
  /** W3C `traceparent` of the request; absent where nobody traces. */
  readonly trace?: string | undefined;
  /** Waits for a reply of Redis, but no longer than a moment: throws RequestError, `REDIS_UNREACHABLE`, after that. */
  readonly promptly: <T>(reply: Promise<T>) => Promise<T>;
  /**
   * Returns how a run stands once it has ended, or for `idle` also once it waits or is paused; or when the time is up or
   * `signal` is aborted. Throws RequestError.
   */
  readonly awaitRun: (run: RunId, wait: RunWait) => Promise<RunDescription>;
  readonly cron: CronTimes;
  /** Returns 32 hex digits for a new id; those made later sort first. */
  readonly newSeed: () => string;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly now: () => number;
}

/** How long to wait for a run. */
export interface RunWait {
  readonly until: 'idle' | 'ended';
  readonly waitMs: number;
}

/** The context of operations that concern the whole installation. */
export interface OperatorContext extends Context {
  readonly installation: Installation;
}

/** The parts of an installation that belong to no tenant. */
export interface Installation {
  readonly limits: Limits;
  /** Absent where runs live in one process only. */
  readonly admin: InstallationAdmin | undefined;
}
