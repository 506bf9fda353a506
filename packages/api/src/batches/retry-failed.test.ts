import type { Batch } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { reopened } from './retry-failed.ts';

const batch = { id: 'letters', rows: {}, total: 2 } as unknown as Batch; // the fields that it does not read are left out

it('opens a batch that has finished, or was cancelled, again', () => {
  expect(reopened({ ...batch, finishedAt: 2 })).toEqual(batch);
  expect(reopened({ ...batch, cancelledAt: 1, finishedAt: 2 })).toEqual(batch);
});

it('leaves a batch that continues as it is', () => {
  expect(reopened(batch)).toBeUndefined();
});

it('refuses to retry rows of a batch that is being cancelled, which would be cancelled, too', () => {
  expect(() => reopened({ ...batch, cancelledAt: 1 })).toThrow(
    expect.objectContaining({ code: 'BATCH_CANCELLING', message: expect.stringContaining('letters') }),
  );
});
