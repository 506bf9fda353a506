import { readFile } from 'node:fs/promises';
import { readTextStart } from '@millrace/core';
import type { Dispatcher } from 'undici';
import { request } from 'undici';
import type { S3Failure } from './failure.ts';
import { credentialCure, elementOf, failureOfError, failureOfResponse } from './failure.ts';
import type { S3Keys, S3Location, WebIdentity } from './location.ts';

/** Provides the keys with which requests are signed. */
export interface KeysProvider {
  /** Throws {@link KeysFailure} when there are none. */
  current(): Promise<S3Keys>;
  /** Forgets keys that were refused; returns whether others may be obtained. */
  renew(): boolean;
}

/** Thrown when there are no keys, with the reason, which may pass. */
export class KeysFailure extends Error {
  readonly failure: S3Failure;
  constructor(failure: S3Failure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/** Time before their end at which keys are replaced, in milliseconds. */
const renewBeforeMs = 5 * 60_000;
const answersWithinMs = 10_000;
/** Part of an answer that is read, in bytes; keys have some hundred. */
const maxAnswerBytes = 64 * 1024;

/** Creates the provider for a location: fixed keys, or those of a role that are replaced before they expire. */
export function createKeysProvider({ credentials, region }: S3Location, dispatcher: Dispatcher): KeysProvider {
  if (credentials.type === 'keys') return { current: async () => credentials, renew: () => false };
  let held: { readonly keys: Promise<S3Keys>; until: number } | undefined;
  return {
    current() {
      if (held !== undefined && Date.now() < held.until) return held.keys;
      const entry = { keys: assumeRole(credentials, region, dispatcher), until: Number.POSITIVE_INFINITY };
      const keys = entry.keys.then(({ expiresAt, ...own }) => {
        entry.until = expiresAt - renewBeforeMs;
        return own;
      });
      const one = Object.assign(entry, { keys });
      held = one;
      keys.catch(() => {
        if (held === one) held = undefined;
      });
      return keys;
    },
    renew() {
      const isHeld = held !== undefined;
      held = undefined;
      return isHeld;
    },
  };
}

interface ExpiringKeys extends S3Keys {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Exchanges the token of a workload for keys, which the token service signs nothing for. */
async function assumeRole(identity: WebIdentity, region: string, dispatcher: Dispatcher): Promise<ExpiringKeys> {
  const { roleArn, sessionName, tokenService = `https://sts.${region}.amazonaws.com` } = identity;
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: await tokenIn(identity),
  });
  let status: number;
  let xml: string;
  try {
    const response = await request(tokenService, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      headersTimeout: answersWithinMs,
      bodyTimeout: answersWithinMs,
    });
    status = response.statusCode;
    xml = await readTextStart(response.body, maxAnswerBytes);
  } catch (error) {
    const { reason, passing } = failureOfError(error);
    throw new KeysFailure({
      code: 'S3_UNREACHABLE',
      reason: `gets no keys: the token service ${tokenService} ${reason}`,
      cure: 'Set AWS_ENDPOINT_URL_STS if it is elsewhere.',
      passing,
    });
  }
  const [accessKeyId, secretAccessKey, sessionToken, end] = [
    'AccessKeyId',
    'SecretAccessKey',
    'SessionToken',
    'Expiration',
  ].map((name) => elementOf(xml, name));
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) {
    const reply = `${status} ${elementOf(xml, 'Code') ?? ''}`.trim();
    const { passing } = failureOfResponse({ status, body: xml, region: undefined, target: undefined });
    throw new KeysFailure({
      code: passing ? 'S3_SLOW' : 'S3_CREDENTIALS',
      reason: `gets no keys: the token service ${tokenService} gives none for ${roleArn} (${reply})`,
      cure: passing ? 'Try again later.' : credentialCure,
      passing,
    });
  }
  const expiresAt = Date.parse(end ?? '') || Date.now() + 15 * 60_000;
  return { type: 'keys', accessKeyId, secretAccessKey, sessionToken, expiresAt };
}

/** Kubernetes replaces the file from time to time, so it is read each time. */
async function tokenIn({ tokenFile }: WebIdentity): Promise<string> {
  try {
    return (await readFile(tokenFile, 'utf8')).trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KeysFailure({
      code: 'S3_CREDENTIALS',
      reason: `gets no keys: AWS_WEB_IDENTITY_TOKEN_FILE cannot be read: ${reason}`,
      cure: credentialCure,
      passing: false,
    });
  }
}
