import { RequestError } from '@millrace/core';
import type { ServerAddress } from '../location/redis-location.ts';

const redirectionPattern = /^(?:MOVED|ASK) \d+ (?<host>[^ ]*):(?<port>\d+)/;

/** Returns the node to which an error of a cluster redirects, if it names one. */
export function redirectionIn(error: Error): ServerAddress | undefined {
  const { host = '', port } =
    (error.message.startsWith('MOVED ') && redirectionPattern.exec(error.message)?.groups) || {};
  return host === '' || host === '?' ? undefined : { host, port: Number(port) };
}

/**
 * Returns the refusal for an error reply that lasts until the configuration is changed: commands do not wait for
 * that. A connection that follows its keys in a cluster is not refused by redirections.
 */
export function refusalOf(error: Error, { followsKeys }: { readonly followsKeys: boolean }): RequestError | undefined {
  if (error.name !== 'ReplyError') return undefined;
  if (/(^|-)NOPERM /.test(error.message)) {
    const reason = error.message.replace(/^.*NOPERM /, '').replace(/\.$/, '');
    return new RequestError('REDIS_PERMISSION', `Redis does not permit a command to its user: ${reason}.`);
  }
  const isAtOtherNode = /^(MOVED|ASK|TRYAGAIN|CROSSSLOT) |cript attempted to access a non local key/;
  if (followsKeys || !isAtOtherNode.test(error.message)) return undefined;
  return new RequestError(
    'REDIS_MOVED',
    'The server at REDIS_URL is a node of a Redis cluster, and another node stores the keys. Set REDIS_URL to redis+cluster:// and the addresses of some nodes.',
  );
}
