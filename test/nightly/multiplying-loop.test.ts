import { expect, it } from 'vitest';
import { onBothStores } from '../support/runs/both-stores.ts';
import type { Stage } from '../support/runs/stage.ts';
import { workflowIn } from '../support/runs/stage.ts';

/** A loop in which every round forwards all messages twice: over its own edge and as its context. */
const multiplying = ({ vocabulary }: Stage) =>
  workflowIn(
    `graph:
  id: multiplying
  start: [Node]
  end: [Node]
  nodes:
    - {id: Node, type: passthrough, context_window: -1, config: {only_last_message: false}}
  edges:
    - {from: Node, to: Node}
`,
    vocabulary,
  );

onBothStores('a loop that multiplies its messages', (stage) => {
  it('passes on 59,049 of them, and ends at the limit of messages that wait at one node', async () => {
    const { description, journal } = await stage.run(multiplying(stage), 'go');

    const handedOn = journal.flatMap(({ event }) =>
      event.type === 'activation.completed' ? [event.outputs.length] : [],
    );
    expect(handedOn).toContain(59_049);
    expect(description).toMatchObject({ status: 'failed', error: { code: 'INBOX_TOO_LARGE' } });
  });
});
