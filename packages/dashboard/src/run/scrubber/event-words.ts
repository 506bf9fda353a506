import type { RunEvent } from '@millrace/client';

/** Returns an event in a few words: its type, and where it happened. */
export function wordsOf({ event }: RunEvent): string {
  const { type, nodeId, activation, iteration } = event as { type: string } & Readonly<Record<string, unknown>>;
  const where = typeof nodeId === 'string' && nodeId !== '' ? nodeId : activation;
  const turn = typeof iteration === 'number' ? `turn ${iteration}` : undefined;
  const words = [where, turn].filter((word) => word !== undefined).join(', ');
  return words === '' ? type : `${type} (${words})`;
}
