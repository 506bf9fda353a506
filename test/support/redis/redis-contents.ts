import type { connect } from '@millrace/runtime';

/** All that a Redis holds, as one text. */
export async function contentsOf(connection: ReturnType<typeof connect>): Promise<string> {
  const read: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => connection.get(key),
    hash: (key) => connection.hgetall(key),
    list: (key) => connection.lrange(key, 0, -1),
    set: (key) => connection.smembers(key),
    zset: (key) => connection.zrange(key, '0', '-1'),
    stream: (key) => connection.xrange(key, '-', '+'),
  };
  const texts = (await connection.keys('*')).map(async (key) => {
    const value = await read[await connection.type(key)]?.(key);
    return `${key} ${JSON.stringify(value)}`;
  });
  return (await Promise.all(texts)).join('\n');
}
