import type { RunLine } from '@millrace/client';

type Origin = NonNullable<RunLine['origin']>;

/** Returns the source of a run in words. */
export function originWords({ type, of }: Origin): string {
  if (type === 'replay' || type === 'fork') return `${type} of ${of}`;
  return type === 'batch' ? `row of batch ${of}` : `${type} ${of}`;
}

/** Returns the tags of a run without the one that the server gives to all runs of its source, whose words say the same. */
export const ownTags = (tags: readonly string[], origin: Origin | undefined): readonly string[] =>
  tags.filter((tag) => tag !== `${origin?.type}:${origin?.of}`);
