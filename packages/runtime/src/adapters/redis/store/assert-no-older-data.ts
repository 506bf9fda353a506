import { RequestError } from '@millrace/core';
import { writtenBefore } from '../../../ports/store/errors.ts';
import type { Shard } from '../connection/shard.ts';

/** Throws RequestError, `FORMAT_OLDER`, where development builds have left data of the formats 1 to 3. Costs one command. */
export async function assertNoOlderData({ connection, keys }: Shard): Promise<void> {
  if ((await connection.exists(...keys.older)) === 0) return;
  throw new RequestError('FORMAT_OLDER', `The data under the prefix ${keys.prefix} was ${writtenBefore}`);
}
