import type { CopyProgress } from '@millrace/client';
import type { Terminal } from './terminal/terminal.ts';

/** Time after which a copy shows its progress, in milliseconds: what is quicker needs none. */
const quietMs = 500;

/** Copies the history of a run; on a terminal, a line shows the progress of one that takes its time. */
export async function showingCopy<T>(
  { status }: Pick<Terminal, 'status'>,
  copy: (options: { readonly onProgress?: (progress: CopyProgress) => void }) => Promise<T>,
): Promise<T> {
  if (status === undefined) return copy({});
  let isQuiet = true;
  let last: CopyProgress | undefined;
  const show = (): void => {
    if (isQuiet || last === undefined) return;
    status(`copying the history: ${last.done} of ${last.total} activations`);
  };
  const timer = setTimeout(() => {
    isQuiet = false;
    show();
  }, quietMs);
  try {
    const made = await copy({
      onProgress(progress) {
        last = progress;
        show();
      },
    });
    if (!isQuiet && last !== undefined) status(`copied the history: ${last.total} activations`);
    return made;
  } finally {
    clearTimeout(timer);
  }
}
