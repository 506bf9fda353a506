import type { ReadLimits } from '@millrace/core';

const form = /^(nodes|edges)=(\d{1,7})$/;

/** Reads limits of workflows, as in `nodes=5000,edges=20000`; undefined when the text is something else. */
export function workflowLimitsIn(text: string): Partial<ReadLimits> | undefined {
  const limits: { nodes?: number; edges?: number } = {};
  for (const entry of text.split(',')) {
    const [, name, count] = form.exec(entry.trim()) ?? [];
    if (name !== 'nodes' && name !== 'edges') return undefined;
    limits[name] = Number(count);
  }
  return limits;
}
