import type { Action, ActionName } from './definition.ts';
import { option, templateWords, textOption, workflowWords } from './words.ts';

/** Actions on schedules. */
export const scheduleActions: { readonly [N in ActionName & `schedules.${string}`]: Action<N> } = {
  'schedules.create': {
    title: 'Create a schedule',
    at: '/schedules/new',
    cli: ({ id, run, description, ...times }) => {
      const { word, ...file } = workflowWords(run.workflow);
      const described = option('description', description === '' ? undefined : description);
      const { words, ...read } = textOption('input', run.input);
      const template = [...words, ...templateWords(run)];
      return {
        ...file,
        ...read,
        command: ['schedule', 'create', id, word, ...timeWords(times), ...described, ...template],
      };
    },
  },
  'schedules.change': {
    title: 'Change, pause or resume a schedule',
    at: '/schedules',
    cli: ({ id, paused, run, description, ...times }) => {
      if (paused !== undefined) return { command: ['schedule', paused ? 'pause' : 'resume', id] };
      const changed = ['schedule', 'change', id, ...timeWords(times), ...option('description', description)];
      if (run === undefined) return { command: changed };
      const { word, ...file } = workflowWords(run.workflow);
      const { words, ...read } = textOption('input', run.input);
      return { ...file, ...read, command: [...changed, '--run', word, ...words, ...templateWords(run)] };
    },
  },
  'schedules.delete': {
    title: 'Delete a schedule',
    at: '/schedules',
    cli: ({ id }) => ({ command: ['schedule', 'rm', id] }),
  },
  'schedules.trigger': {
    title: 'Start a run of a schedule now',
    at: '/schedules',
    cli: ({ id }) => ({ command: ['schedule', 'trigger', id] }),
  },
};

interface Times {
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
  readonly missed?: string | undefined;
  readonly overlap?: string | undefined;
}

const timeWords = ({ cron, timezone, missed, overlap }: Times): readonly string[] => [
  ...option('cron', cron),
  ...option('timezone', timezone),
  ...option('missed', missed),
  ...option('overlap', overlap),
];
