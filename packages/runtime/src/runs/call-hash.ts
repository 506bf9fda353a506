import { createHash } from 'node:crypto';
import type { ActivationId, AskedCall, RunId } from '@millrace/core';
import canonicalize from 'canonicalize';

/** A call of a tool at its place in a run. */
export interface HashedCall extends Pick<AskedCall, 'place' | 'repetition' | 'tool' | 'server' | 'arguments'> {
  readonly run: RunId;
  readonly activation: ActivationId;
}

/** Returns the hash of exactly this call: SHA-256 over its place and all that is sent. */
export const callHash = ({
  run,
  activation,
  place,
  repetition = 0,
  server,
  tool,
  arguments: sent,
}: HashedCall): string =>
  createHash('sha256')
    .update(JSON.stringify([run, activation, place, repetition, server ?? null, tool, sent]))
    .digest('hex');

/** Returns arguments as JSON with its fields in the order of their names. Throws for text that has no such form. */
export const canonicalArguments = (args: Readonly<Record<string, unknown>>): string => canonicalize(args) ?? '{}';
