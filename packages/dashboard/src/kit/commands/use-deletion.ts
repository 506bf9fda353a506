import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { DeletableKind } from '../../api/deletion.ts';
import { pauseLoading, resumeLoading } from '../../api/deletion.ts';
import { millrace } from '../../api/millrace.ts';
import { copyOf } from './copy-of.ts';
import type { ResourceAction } from './resource-actions.tsx';

const nouns = { batches: 'batch', schedules: 'schedule', webhooks: 'webhook' } as const;

/**
 * Returns the action that deletes the resource of a screen, and then leaves the screen for the list. A request for the
 * resource while it is being deleted would find nothing.
 */
export function useDeletion(
  kind: DeletableKind,
  id: string,
  { will, scope }: Pick<ResourceAction, 'will' | 'scope'>,
): ResourceAction {
  const navigate = useNavigate();
  useEffect(() => resumeLoading, []);
  const noun = nouns[kind];
  return {
    id: 'delete',
    ...(scope === undefined ? {} : { scope }),
    danger: 'always',
    button: 'Delete',
    command: `Delete this ${noun}`,
    asks: `Delete the ${noun} ${id}?`,
    will,
    confirm: `Delete the ${noun}`,
    copied: copyOf(`${kind}.delete`, { id }),
    act: async () => {
      await pauseLoading(kind, id);
      try {
        await millrace[kind].remove(id);
      } catch (error) {
        resumeLoading();
        throw error;
      }
      await navigate({ to: `/${kind}` });
    },
  };
}
