import { expect, it } from 'vitest';
import { replicationLagIn } from './replication.ts';

it('returns how far the last of the replicas is behind', () => {
  const info = [
    '# Replication',
    'role:master',
    'connected_slaves:2',
    'slave0:ip=10.0.0.2,port=6379,state=online,offset=900,lag=0',
    'slave1:ip=10.0.0.3,port=6379,state=online,offset=400,lag=1',
    'master_repl_offset:1000',
  ];

  expect(replicationLagIn(info.join('\r\n'))).toBe(600);
  expect(replicationLagIn('role:master\r\nconnected_slaves:0\r\nmaster_repl_offset:0')).toBeUndefined();
});
