import { afterEach, beforeEach, describe } from 'vitest';
import { commitContract } from './store-commits.ts';
import type { StoreFixture } from './store-harness.ts';
import { StoreHarness } from './store-harness.ts';
import { indexContract } from './store-indices.ts';
import { journalContract } from './store-journal.ts';
import { memoryContract } from './store-memories.ts';
import { noticeContract } from './store-notices.ts';
import { registryContract } from './store-registry.ts';
import { retentionContract } from './store-retention.ts';
import { rowContract } from './store-rows.ts';
import { runListContract } from './store-run-lists.ts';
import { stateContract } from './store-state.ts';
import { storedBytesContract } from './store-stored-bytes.ts';
import { usageContract } from './store-usage.ts';

/** Defines the contract tests that every store must pass. */
export function storeContract(name: string, open: () => Promise<StoreFixture>): void {
  describe(`the contract of a store: ${name}`, () => {
    const harness = new StoreHarness(open);
    beforeEach(() => harness.open());
    afterEach(() => harness.close());

    commitContract(harness);
    stateContract(harness);
    journalContract(harness);
    indexContract(harness);
    memoryContract(harness);
    runListContract(harness);
    registryContract(harness);
    noticeContract(harness);
    rowContract(harness);
    retentionContract(harness);
    usageContract(harness);
    storedBytesContract(harness);
  });
}
