import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveBatches } from '../../support/http/batch-api.ts';
import { command } from '../../support/processes/command.ts';

const most = 100_000;
const passing = 'graph:\n  id: passing\n  nodes: [{id: P, type: passthrough, config: {}}]\n';
const batches = openBeforeAll(() => serveBatches({ passing }, { storedBytes: most }));

const rows = Array.from({ length: 60 }, (_, at) => ({ input: `${at}`.padEnd(1000, '.') }));

it('refuses the table of a batch that has no room, and shows what is stored', async () => {
  const operator = await batches.api.tenant('default', 'admin');
  const stored = async () => (await operator.ask('/v1/limits')).body['stored'];
  expect(await stored()).toEqual([]);

  expect((await batches.make({ id: 'kept', workflow: 'passing', rows })).status).toBe(201);
  const refused = await batches.make({ id: 'refused', workflow: 'passing', rows });

  expect(refused).toMatchObject({ status: 413, body: { code: 'STORAGE_FULL' } });
  expect((await batches.get('/v1/batches/refused')).status).toBe(404);
  expect(await stored()).toEqual([{ tenant: 'acme', bytes: expect.any(Number), limit: most }]);
  expect(await batches.api.runtime.store.stored.total('acme')).toSatisfy(
    (bytes: number) => bytes > 60_000 && bytes < 70_000,
  );

  expect((await command(['limits', 'list'], operator.env)).stderr).toMatch(
    /Tenant acme has stored 6\d,\d{3} of 100,000 bytes\./,
  );

  await batches.finished('kept');
  expect(await batches.forget('kept')).toBe(200);
  expect(await stored()).toEqual([]);
});
