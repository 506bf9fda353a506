import type { Runtime } from '@millrace/runtime';

/** Copies of a process that stand still once they have reported their progress. */
export interface HeldCopies {
  /** Lets them, and all later ones, go on. */
  release(): void;
}

/** Holds the copies of journals that a process begins at their first report, so that their progress can be seen. */
export function holdCopies({ blobs, runs: { tenantEvents } }: Pick<Runtime, 'blobs' | 'runs'>): HeldCopies {
  const put = blobs.put.bind(blobs);
  const { publish } = tenantEvents;
  let go = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  Object.assign(tenantEvents, {
    publish(...event: Parameters<typeof publish>) {
      publish(...event);
      if (!event[1].startsWith('progress/')) return;
      const later = { put: (...contents: Parameters<typeof put>) => released.then(() => put(...contents)) };
      Object.assign(blobs, later);
    },
  });
  return {
    release() {
      Object.assign(tenantEvents, { publish });
      Object.assign(blobs, { put });
      go();
    },
  };
}
