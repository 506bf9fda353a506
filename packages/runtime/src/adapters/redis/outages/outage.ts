import { RequestError } from '@millrace/core';

/** A condition in which Redis does not execute correct commands; it ends without any change to Millrace. */
export interface Outage {
  readonly code: OutageCode;
  /** Message of one sentence. */
  readonly message: string;
  /** The commands that fail: all, or only those that write. */
  readonly stops: 'everything' | 'writes';
  /** Returns whether a new connection may reach a server without the outage, as after a failover. */
  readonly reconnect: boolean;
  /** What ends the outage, if time alone does not. */
  readonly cure?: string;
}

/** Code of an outage; each has a page in docs/errors. */
export type OutageCode =
  | 'REDIS_UNREACHABLE'
  | 'REDIS_READONLY'
  | 'REDIS_LOADING'
  | 'REDIS_BUSY'
  | 'REDIS_CLUSTER_DOWN'
  | 'REDIS_NO_REPLICAS'
  | 'REDIS_DISK'
  | 'REDIS_AUTH'
  | 'REDIS_TLS'
  | 'REDIS_MOVED'
  | 'REDIS_SLOT_MOVING'
  | 'REDIS_KEYS_MISSING'
  | 'REDIS_FULL';

/** The outage while no connection can be made, or no reply arrives on it. */
export const unreachable: Outage = {
  code: 'REDIS_UNREACHABLE',
  message: 'Redis does not answer.',
  stops: 'everything',
  reconnect: true,
};

const readOnly: Outage = {
  code: 'REDIS_READONLY',
  message: 'Redis is a read-only replica, as after a failover.',
  stops: 'writes',
  reconnect: true,
};

/** The outage until connections lead to the master that sentinels have announced. */
export const replaced: Outage = {
  code: 'REDIS_READONLY',
  message: 'The sentinels have replaced the Redis master.',
  stops: 'everything',
  reconnect: false,
};

const refusedUser: Outage = {
  code: 'REDIS_AUTH',
  message: 'Redis refuses the user or the password.',
  stops: 'everything',
  reconnect: true,
  cure: 'Correct them in REDIS_URL.',
};

/** The outage while the configured address is that of another program. */
const noRedis: Outage = {
  ...unreachable,
  message: 'The server at the address of Redis answers as no Redis does.',
  cure: 'Correct REDIS_URL.',
};

const movingSlot: Outage = {
  code: 'REDIS_SLOT_MOVING',
  message: 'The Redis cluster is moving the keys to another node.',
  stops: 'everything',
  reconnect: false,
};

/** Creates the outage while keys of the installation are not at the node that owns their slot. */
export const keysMissing = (which: string): Outage => ({
  code: 'REDIS_KEYS_MISSING',
  message: `The Redis cluster does not have all keys of the installation: ${which}.`,
  stops: 'everything',
  reconnect: false,
});

/** Outages by the first word of an error reply. */
const byReply: Readonly<Record<string, Outage>> = {
  READONLY: readOnly,
  // A blocking command ends with this error when its server becomes a replica.
  UNBLOCKED: readOnly,
  NOAUTH: refusedUser,
  WRONGPASS: refusedUser,
  MOVED: {
    code: 'REDIS_MOVED',
    message: 'The Redis cluster has moved the keys to another node.',
    stops: 'everything',
    reconnect: true,
  },
  // The keys of a command are at the other node already, or at both.
  ASK: movingSlot,
  TRYAGAIN: movingSlot,
  MASTERDOWN: {
    code: 'REDIS_READONLY',
    message: 'Redis is a replica that has lost its master.',
    stops: 'everything',
    reconnect: true,
  },
  LOADING: {
    code: 'REDIS_LOADING',
    message: 'Redis is loading its data.',
    stops: 'everything',
    reconnect: true,
  },
  BUSY: {
    code: 'REDIS_BUSY',
    message: 'Redis is busy with a script of another client.',
    stops: 'everything',
    reconnect: false,
  },
  CLUSTERDOWN: {
    code: 'REDIS_CLUSTER_DOWN',
    message: 'The Redis cluster is down.',
    stops: 'everything',
    reconnect: true,
  },
  NOREPLICAS: {
    code: 'REDIS_NO_REPLICAS',
    message: 'Redis takes no writes, because it has too few replicas.',
    stops: 'writes',
    reconnect: true,
  },
  MISCONF: {
    code: 'REDIS_DISK',
    message: 'Redis takes no writes, because it cannot save to its disk. Is the disk full?',
    stops: 'writes',
    reconnect: false,
  },
  OOM: {
    code: 'REDIS_FULL',
    message: 'Redis takes no writes, because its memory is full.',
    stops: 'writes',
    reconnect: false,
  },
};

/**
 * Error of a script that names keys itself, as those of BullMQ do, while one of them is at the other node. It is executed
 * again as a whole: what it has written before is a hint, or the same again. A commit declares all of its keys, so it is
 * refused before its first write.
 */
const movedKeyOfScript = /cript attempted to access a non local key in a cluster node/;

/** Redis 6 puts the error of a command within a script after a preface and a hyphen. */
const replyPattern = new RegExp(`(?:^|-)(${Object.keys(byReply).join('|')}) `);

/** Returns the outage that an error of the Redis client represents; undefined for any other error. */
export function outageOf(error: unknown): Outage | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'MaxRetriesPerRequestError' || error.message === 'Connection is closed.') return unreachable;
  if (error.name === 'AbortError' && error.message === 'Command aborted due to connection close') return unreachable;
  // The parser of the client throws it.
  if (error.message.startsWith('Unknown RESP type')) return noRedis;
  if (error.name !== 'ReplyError') return undefined;
  if (movedKeyOfScript.test(error.message)) return movingSlot;
  const [, word = ''] = replyPattern.exec(error.message) ?? [];
  return byReply[word] ?? outageBefore(error);
}

/** A transaction is aborted with a separate error; the client keeps the errors of its commands. */
function outageBefore(error: Error & { readonly previousErrors?: readonly unknown[] }): Outage | undefined {
  for (const previous of error.previousErrors ?? []) {
    const outage = outageOf(previous);
    if (outage !== undefined) return outage;
  }
  return undefined;
}

/** Returns the outage while no connection can be made, with the last error of an attempt. */
export function unreachableBy(cause: unknown): Outage {
  // The servers that are asked for the master may refuse, too.
  const outage = outageOf(cause) ?? (cause instanceof Error ? outageOf(cause.cause) : undefined);
  if (outage !== undefined) return outage;
  if (cause === undefined) return unreachable;
  const reason = reasonOf(cause);
  if (isTlsError(cause)) {
    const message = `No encrypted connection to Redis can be made: ${reason}.`;
    return { ...unreachable, code: 'REDIS_TLS', message, cure: 'Correct REDIS_URL, or trust the certificate.' };
  }
  return { ...unreachable, message: `Redis does not answer: ${reason}.` };
}

/** Returns whether an error lasts until the configuration is changed. */
export const isMisconfigured = (cause: unknown): boolean => unreachableBy(cause).cure !== undefined;

/** Returns the reason for which no connection can be made, without a full stop. */
export function reasonOf(cause: unknown): string {
  // A name with several addresses has an error for each of them, and no message.
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  return (first instanceof Error ? first.message : String(first)).replace(/\.$/, '');
}

/** Codes of Node.js and OpenSSL for certificates that are not trusted, and for a server that does not encrypt. */
const tlsCodes =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF|DECRYPT|DECODE)|EPROTO$|HOSTNAME_MISMATCH$)/;

/** Returns whether the handshake of TLS has failed, or the server does not encrypt. */
export function isTlsError(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if ('code' in cause && typeof cause.code === 'string' && tlsCodes.test(cause.code)) return true;
  return isTlsError(cause.cause);
}

/** Creates the refusal of a request because of an outage. */
export const refusedBy = ({ code, message, cure = 'Try again later.' }: Outage): RequestError =>
  new RequestError(code, `${message} ${cure}`);

/** Returns the refusal for an error of the Redis client, or the error itself when it is no outage. */
export function withOutage(error: unknown): unknown {
  const outage = outageOf(error);
  return outage === undefined ? error : refusedBy(outage);
}

/** Error replies of Redis that are about authentication and permissions, not about the command. */
const accessTroubles = /\b(NOAUTH|WRONGPASS|NOPERM|NOSCRIPT|TRYAGAIN|MOVED|ASK|max number of clients)\b/;

/** Returns whether Redis refuses a command as wrong, however often it is sent. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'ReplyError' &&
  outageOf(error) === undefined &&
  !accessTroubles.test(error.message);
