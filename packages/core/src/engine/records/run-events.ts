import { z } from 'zod';
import type { ActivationId, AlarmId, ScopeId } from '../../model/ids.ts';
import { activation, Budget, Failure, FileChange, MessageReference, nodeIndex, textAs } from '../../model/recorded.ts';
import { endedStatuses } from '../../model/run-status.ts';
import { activationEvent, event, text } from './event-definition.ts';
import { ElapsedTime, InFlight, StopReason } from './stop.ts';

const token = z.string();
const at = z.number().describe('Milliseconds since 1970.');
const alarm = textAs<AlarmId>(z.string()).describe('Purpose of the alarm, such as `alarm/timeout`.');

/** The error of a run, and the activation that it happened in. */
export const RunError = Failure.extend({
  activation: activation.optional(),
  node: z.string().optional().describe('Id of the node.'),
});

/** A part of a journal that is stored as a blob, with the message bodies that came with it. */
export const JournalPart = z.object({
  digest: z.string().describe('SHA-256 of the blob.'),
  messages: z.number().describe('Number of the last message in it.'),
  copiedAt: z
    .number()
    .optional()
    .describe('Time of the fork that has copied it, which its events have there; absent: they have their own.'),
});

/** An archived part of the journal of a run, with what readers who search know of it without opening it. */
const ArchivedPart = JournalPart.extend({
  to: z.number().describe('Last version in it.'),
  activations: z.number().describe('Number of the last activation that became ready in it or before it.'),
  earlier: z
    .array(activation)
    .optional()
    .describe('Activations that became ready before it and of which it has events; absent: there are very many.'),
  files: z.literal(true).optional().describe('It contains changes of files.'),
  checkpoint: z.number().optional().describe('Version of the run whose state is stored with it.'),
});

/** The journal that a replay reads: a copy, part by part, so that the run itself may be deleted or continue. */
export const Replay = z.object({
  run: z.string(),
  plan: z.string().describe('Hash of the workflow of that run.'),
  journal: z.array(JournalPart),
  liveFrom: textAs<ActivationId>(z.string())
    .optional()
    .describe('It and the activations that became ready after it are executed again; absent: none.'),
  mode: z
    .enum(['position', 'reuse'])
    .optional()
    .describe(
      '`position`: calls take the recorded results of their places, whatever they ask; `reuse`: calls that are not recorded are made; absent: they fail the run.',
    ),
});

/** The text of a workflow file. */
export const DefinitionRef = z
  .object({ hash: z.string(), vars: z.record(z.string(), z.unknown()).optional() })
  .describe('The text of its workflow, and values for its variables without secrets.');

/** Values that a run was started with; they never change. */
export const Origin = z.object({
  workflow: z.string().describe('Name of the workflow in lists of runs.'),
  title: z.string().optional().describe('First line of the task, at most 120 characters.'),
  tags: z.array(z.string()).optional(),
  priority: z.number().optional().describe('A larger number comes later, and absent comes first.'),
  trace: z.string().optional().describe('W3C `traceparent` of the request that started it.'),
  replay: Replay.optional().describe('The run that it replays.'),
  told: z.literal(true).optional().describe('Webhooks are notified of it.'),
  webhook: z
    .object({ url: z.string(), events: z.array(z.string()).optional().describe('Types; absent: all.') })
    .optional()
    .describe('Its own webhook.'),
  batch: z
    .object({
      batch: z.string(),
      making: z.string().describe('Distinguishes the batch from earlier and later ones with the same id.'),
      row: z.number().describe('From 1.'),
    })
    .optional()
    .describe('Its row of a batch.'),
  fork: z.object({ run: z.string(), activation: textAs<ActivationId>(z.string()) }).optional(),
  definition: DefinitionRef.optional(),
  startedBy: z
    .object({ type: z.enum(['schedule', 'intake', 'mcp']), of: z.string() })
    .optional()
    .describe('Absent for a request of a caller.'),
  recordRequests: z
    .boolean()
    .optional()
    .describe('False: requests to models are not stored, as if the workflow said so.'),
  expiresAt: at.optional().describe('Time at which a temporary run is removed, in milliseconds since 1970.'),
});

/** Final status of a run. */
export const FinalStatus = z.enum(endedStatuses);

/** Events of a run as a whole. */
export const runEvents = [
  event(
    'run.started',
    'The run was started.',
    {
      plan: z.string().describe('Hash of the workflow.'),
      origin: Origin,
      timeoutMs: z.number().optional(),
      budget: Budget.optional(),
    },
    { text: text('the title of the run') },
  ),
  event(
    'run.failing',
    'An error ends the run: active work may finish, and nothing new is started.',
    { error: RunError, inFlight: z.literal('cancel').optional().describe('Active work is cancelled.') },
    { text: text('the error') },
  ),
  event(
    'run.stopping',
    'The run is being stopped.',
    { stop: StopReason, inFlight: InFlight },
    { text: text('the reason') },
  ),
  event('run.paused', 'The run was paused: nothing new is started.', {}),
  event('run.resumed', 'The run continues from where it was paused, stopped or failed.', {
    segment: z.number().describe('Number of the part of the run that begins here.'),
    token,
    stoodStillMs: z.number().optional().describe('Time since the end of the run; absent: it had not ended.'),
  }),
  activationEvent(
    'run.forked',
    'The events before this one are the history of another run; the run continues on its own.',
    {
      of: z.string().describe('Id of the other run.'),
      until: at,
      parts: z
        .array(ArchivedPart)
        .optional()
        .describe(
          'Copies of parts of the journal of the other run, which contain the history; absent: the events of this commit do.',
        ),
      stoodStillMs: z.number().optional().describe('Time since then; absent: none.'),
      elapsed: z
        .array(ElapsedTime)
        .optional()
        .describe('The times that its terminations had counted then; absent: none.'),
      token,
      output: MessageReference.optional().describe('Output that replaces the execution of the activation.'),
      input: z.array(MessageReference).optional().describe('Input of the activation instead of its own.'),
      plan: z.string().optional().describe('Hash of the workflow with which the run continues; absent: the same.'),
      definition: DefinitionRef.optional(),
      tags: z.array(z.string()).optional().describe('Tags of the run; absent: those of the other run.'),
      replay: Replay.optional().describe('The fork that the run repeats.'),
      held: z.literal(true).optional().describe('It waits for the lock of its workspace.'),
      told: z.literal(true).optional().describe('Webhooks are notified of it, whatever applied to the other run.'),
    },
    { text: text('the output') },
  ),
  event(
    'run.told',
    'The run was resumed with a further task.',
    {
      activations: z.array(textAs<ActivationId>(z.string())).describe('Activations that receive the messages.'),
      messages: z.array(MessageReference),
      node: nodeIndex.optional().describe('Index of the node of the root graph that continues with the messages.'),
    },
    {
      nodeId: z.string().optional().describe('Id of that node.'),
      nodeType: z.string().optional().describe('Type of that node.'),
      text: text('the last message'),
    },
  ),
  event(
    'run.finished',
    'The run has ended.',
    {
      status: FinalStatus,
      output: MessageReference.optional(),
      error: RunError.optional(),
      stop: StopReason.optional(),
      resumed: z
        .string()
        .optional()
        .describe('Token of the resumption after which it ended; absent: it had not ended before.'),
    },
    { text: text('the output, the error or the reason') },
  ),
  event('run.budgeted', 'The limits of the run from here on; they include what it has spent.', { budget: Budget }),
  event(
    'signal.received',
    'A signal has arrived.',
    {
      name: z.string(),
      id: z.string().optional().describe('Id that its sender gave it; the run accepts each id once.'),
      message: MessageReference,
      fields: z.record(z.string(), z.string()).describe('The values that filters of the workflow look at.'),
    },
    { text: text('its data') },
  ),
  event('alarm.set', 'Something happens in the run at this time.', { alarm, dueAt: at, token }),
  event('alarm.cleared', 'The alarm was removed.', { alarm }),
  event('journal.archived', 'The journal up to a version is stored outside of Redis.', ArchivedPart.shape),
  event('files.attached', 'A person attached files to the task or to an answer.', {
    frame: textAs<ScopeId>(z.string()).describe('Execution of the graph whose workspace has the files.'),
    files: z.array(FileChange),
  }),
] as const;
