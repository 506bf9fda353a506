import { defaultQueue } from '@millrace/core';
import type { Finding } from '../../ports/admin.ts';
import { agendaLease } from '../../ports/lease.ts';
import type { QueueLoad } from '../../ports/queue.ts';
import { connect } from '../redis/connection/connection.ts';
import { createShard } from '../redis/connection/shard.ts';
import { leaseHolder } from '../redis/lease.ts';
import { createBullQueue } from './queue/bull-queue.ts';

/** Checks that a process looks after the agenda, and that every queue with work has a worker. */
export async function diagnoseQueues(url: string, prefix?: string): Promise<readonly Finding[]> {
  const connection = connect(url, 'doctor', prefix);
  const shard = createShard(connection, prefix);
  const queue = createBullQueue({ shard, onError: () => undefined });
  try {
    const loads = (await queue.loads()).filter(({ waiting, queue: name }) => waiting > 0 || name === defaultQueue);
    const [holder, entries] = await Promise.all([leaseHolder(shard, agendaLease), connection.zcard(shard.keys.agenda)]);
    return [agenda(holder, entries), ...loads.map(found)];
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

function agenda(holder: string | undefined, entries: number): Finding {
  const subject = 'agenda';
  const count = entries === 1 ? '1 entry' : `${entries} entries`;
  if (holder !== undefined) return { level: 'good', subject, message: `${count}; ${holder} holds its lease` };
  if (entries === 0) return { level: 'good', subject, message: 'empty; no process holds its lease' };
  const message = `${count}, and no process holds its lease: alarms are late, and lost work is not given to others`;
  return { level: 'weak', subject, message, cure: 'millrace worker' };
}

function found({ queue, waiting, active, consumers }: QueueLoad): Finding {
  const workers = consumers === 1 ? '1 worker' : `${consumers} workers`;
  const message = `${waiting} waiting, ${active} at work, ${workers}`;
  const subject = queue === defaultQueue ? 'queue' : `queue ${queue}`;
  if (waiting === 0 || consumers > 0) return { level: 'good', subject, message };
  const cure = queue === defaultQueue ? 'millrace worker' : `millrace worker --queues ${queue}`;
  return { level: 'weak', subject, message: `${message}: nobody takes what waits there`, cure };
}
