import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useOfferedCommands } from '../kit/commands/commands.ts';
import { ConfirmDialog } from '../kit/commands/confirm-dialog.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { ActionButton } from '../kit/controls/action-button.tsx';
import { ActionResult } from '../kit/states/action-result.tsx';

type Action = 'test' | 'redeliver' | 'delete';

interface WebhookActionsProps {
  readonly id: string;
  /** Absent: the webhooks of single runs, of which only failed deliveries can be repeated. */
  readonly edit?: () => void;
}

/** Buttons for the actions on a webhook. */
export function WebhookActions({ id, edit }: WebhookActionsProps) {
  const [asked, ask] = useState<Action>();
  const [result, setResult] = useState('');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (action: Action) => performAction(id, action),
    onSuccess: async (done, action) => {
      ask(undefined);
      setResult(done);
      // A removed webhook must not be loaded again.
      if (action === 'delete') await navigate({ to: '/webhooks' });
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  const actions: readonly Action[] = edit === undefined ? ['redeliver'] : ['test', 'redeliver', 'delete'];
  const names = actions.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same actions are the same commands
  const commands = useMemo(
    () => actions.map((action) => ({ id: action, title: `${words[action].button}`, act: () => ask(action) })),
    [names, id],
  );
  useOfferedCommands(commands);
  return (
    <>
      {result !== '' && <ActionResult text={result} />}
      {edit !== undefined && (
        <ActionButton scope="admin" act={edit}>
          Edit
        </ActionButton>
      )}
      {actions.map((action) => (
        <ActionButton
          key={action}
          scope={action === 'delete' ? 'admin' : 'run'}
          tone={action === 'delete' ? 'danger' : undefined}
          title={words[action].will}
          act={() => {
            reset();
            ask(action);
          }}
        >
          {words[action].button}
        </ActionButton>
      ))}
      {asked !== undefined && (
        <ConfirmDialog
          title={`${words[asked].button}?`}
          will={words[asked].will}
          confirm={words[asked].confirm}
          isDanger={asked === 'delete'}
          isPending={isPending}
          error={error}
          act={() => mutate(asked)}
          close={() => ask(undefined)}
          copied={copyOf(operations[asked], { id })}
        />
      )}
    </>
  );
}

const words = {
  test: {
    button: 'Send a test',
    will: 'The address receives one signed event of the type webhook.test, once. The list below shows what it answers.',
    confirm: 'Send the test',
  },
  redeliver: {
    button: 'Redeliver all failed',
    will: 'Every delivery that has failed is sent again, with the same id, so that receivers can drop duplicates.',
    confirm: 'Redeliver them',
  },
  delete: {
    button: 'Delete',
    will: 'The webhook and the list of its deliveries are deleted. Nothing more is sent to its address.',
    confirm: 'Delete the webhook',
  },
} as const satisfies Record<Action, object>;

const operations = {
  test: 'webhooks.test',
  redeliver: 'webhooks.redeliverFailed',
  delete: 'webhooks.delete',
} as const satisfies Record<Action, string>;

/** Executes an action. Returns its result in words. */
async function performAction(id: string, action: Action): Promise<string> {
  const { webhooks } = millrace;
  if (action === 'test') {
    await webhooks.test(id);
    return 'A test is on its way.';
  }
  if (action === 'redeliver') {
    const count = await webhooks.redeliverFailed(id);
    if (count === 0) return 'No delivery has failed.';
    return count === 1 ? 'The failed delivery is sent again.' : `${count} failed deliveries are sent again.`;
  }
  await webhooks.remove(id);
  return 'The webhook is deleted.';
}
