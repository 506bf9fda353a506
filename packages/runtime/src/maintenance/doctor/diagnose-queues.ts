import { defaultQueue } from '@millrace/core';
import { createBullQueue } from '../../queue/bull-queue.ts';
import type { QueueLoad } from '../../queue/port.ts';
import { connect } from '../../redis/connection.ts';
import { createShard } from '../../redis/shard.ts';
import type { Finding } from '../../telemetry/finding.ts';

/** Checks that every queue with work has a worker. */
export async function diagnoseQueues(url: string, prefix?: string): Promise<readonly Finding[]> {
  const connection = connect(url, 'doctor', prefix);
  const queue = createBullQueue({ shard: createShard(connection, prefix), onError: () => undefined });
  try {
    return (await queue.loads()).filter(({ waiting, queue: name }) => waiting > 0 || name === defaultQueue).map(found);
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

function found({ queue, waiting, active, consumers }: QueueLoad): Finding {
  const workers = consumers === 1 ? '1 worker' : `${consumers} workers`;
  const message = `${waiting} waiting, ${active} at work, ${workers}`;
  const subject = queue === defaultQueue ? 'queue' : `queue ${queue}`;
  if (waiting === 0 || consumers > 0) return { level: 'good', subject, message };
  const cure = queue === defaultQueue ? 'millrace worker' : `millrace worker --queues ${queue}`;
  return { level: 'weak', subject, message: `${message}: nobody takes what waits there`, cure };
}
