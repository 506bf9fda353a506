import { useNavigate } from '@tanstack/react-router';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ActionButton, ResourceActions } from '../kit/commands/resource-actions.tsx';

interface WebhookActionsProps {
  readonly id: string;
  /** Absent: the webhooks of single runs, of which only failed deliveries can be repeated. */
  readonly edit?: () => void;
}

/** Buttons for the actions on a webhook. */
export function WebhookActions({ id, edit }: WebhookActionsProps) {
  const navigate = useNavigate();
  const actions = actionsFor(id, () => navigate({ to: '/webhooks' }));
  return (
    <ResourceActions
      changes="webhooks"
      actions={edit === undefined ? [actions.redeliver] : [actions.test, actions.redeliver, actions.remove]}
    >
      {edit !== undefined && (
        <ActionButton scope="admin" act={edit}>
          Edit
        </ActionButton>
      )}
    </ResourceActions>
  );
}

function actionsFor(id: string, leave: () => Promise<void>) {
  const { webhooks } = millrace;
  return {
    test: {
      id: 'test',
      scope: 'run',
      button: 'Send a test',
      command: 'Send a test',
      asks: 'Send a test?',
      will: 'The address receives one signed event of the type webhook.test, once. The list below shows what it answers.',
      confirm: 'Send the test',
      copied: copyOf('webhooks.test', { id }),
      act: async () => {
        await webhooks.test(id);
        return 'A test is on its way.';
      },
    },
    redeliver: {
      id: 'redeliver',
      scope: 'run',
      button: 'Redeliver all failed',
      command: 'Redeliver all failed',
      asks: 'Redeliver all failed?',
      will: 'Every delivery that has failed is sent again, with the same id, so that receivers can drop duplicates.',
      confirm: 'Redeliver them',
      copied: copyOf('webhooks.redeliverFailed', { id }),
      act: async () => {
        const count = await webhooks.redeliverFailed(id);
        if (count === 0) return 'No delivery has failed.';
        return count === 1 ? 'The failed delivery is sent again.' : `${count} failed deliveries are sent again.`;
      },
    },
    remove: {
      id: 'delete',
      scope: 'admin',
      danger: 'always',
      button: 'Delete',
      command: 'Delete',
      asks: 'Delete?',
      will: 'The webhook and the list of its deliveries are deleted. Nothing more is sent to its address.',
      confirm: 'Delete the webhook',
      copied: copyOf('webhooks.delete', { id }),
      act: async () => {
        await webhooks.remove(id);
        // A removed webhook must not be loaded again.
        await leave();
      },
    },
  } as const satisfies Record<string, ResourceAction>;
}
