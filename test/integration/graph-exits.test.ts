import type { JournalEntry, MessageRef } from '@millrace/core';
import { textMessage, textOf } from '@millrace/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditOf } from '../support/audit.ts';
import { onBothStores } from '../support/both-stores.ts';
import type { HeldModels } from '../support/held-models.ts';
import { startHeldModels } from '../support/held-models.ts';
import type { Stage } from '../support/stage.ts';
import { workflowIn } from '../support/stage.ts';

let models: HeldModels;
beforeEach(async () => {
  models = await startHeldModels();
});
afterEach(() => models.close());
