import { Screen } from '../kit/layout/screen.tsx';
import { Empty } from '../kit/states/empty.tsx';

/** Screen of something that a server in memory does not have: why, and the way to it. */
export const NeedsRedis = ({ title }: { readonly title: string }) => (
  <Screen title={title}>
    <Empty title="This server keeps everything in its memory.">
      <p>
        Schedules, batches, bulk actions, webhooks, API keys, limits and more workers need a Redis. The runs of this
        server end with it.
      </p>
      <p>Stop it with Ctrl-C, and start one with a Redis:</p>
      <code>millrace up</code>
    </Empty>
  </Screen>
);
