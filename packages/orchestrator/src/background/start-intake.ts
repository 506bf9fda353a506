import { createWorkflowReader } from '@millrace/catalog';
import type { Vocabulary } from '@millrace/core';
import type { Consumer, IntakeJob, IntakeResult, Runtime } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { IntakeContext } from './take-intake-job.ts';
import { outboundPolicyByTenant, reachableBy } from './webhooks/outbound-policy-by-tenant.ts';

/** Options of the intake. */
export interface IntakeOptions {
  readonly runtime: Pick<Runtime, 'runs' | 'store' | 'intake'>;
  readonly vocabulary: Vocabulary;
  /** Name in lists of workers. */
  readonly name: string;
  readonly log: Logger;
  /**
   * Destinations that webhooks may reach besides public addresses, see createOutboundPolicy; default: this machine, for
   * the default tenant.
   */
  readonly outbound?: readonly string[];
}

/** Starts a run for every job on the intake queue, until it is closed. Processes share the work. */
export function startIntake(options: IntakeOptions): Consumer {
  const reader = createWorkflowReader(options.vocabulary);
  const assertReachable = reachableBy(outboundPolicyByTenant(options.outbound));
  const taking: IntakeContext = { ...options, reader: reader.background, assertReachable };
  const take = async (job: IntakeJob): Promise<IntakeResult> => {
    // The schemas of the API are loaded by the first job: most workers get none.
    const { takeIntakeJob } = await import('./take-intake-job.ts');
    return takeIntakeJob(taking, job);
  };
  const consumer = options.runtime.intake.consume(take, { name: options.name });
  return {
    async close() {
      await consumer.close();
      await reader.close();
    },
  };
}
