import type {
  ActivationId,
  AgendaItem,
  Command,
  CommandVerdict,
  Event,
  JournalEntry,
  Plan,
  RunRecord,
  Settlement,
} from '../src/index.ts';
import { agendaItemId, compile, decide, defaultRunLimits, runOf, State } from '../src/index.ts';
import { readText, smallVocabulary } from './workflow-vocabulary.ts';

/** A run on the table: commands go in one by one, and everything that follows can be looked at. Time is what the test says. */
export class TableRun {
  readonly plan: Plan;
  readonly state = new State();
  readonly journal: JournalEntry[] = [];
  readonly agenda = new Map<string, { readonly due: AgendaItem; readonly at: number }>();
  now = 1000;
  limits = defaultRunLimits;
  #commits = 0;

  constructor(document: string, timeoutMs?: number) {
    const { workflow, issues } = readText(document);
    if (workflow === undefined) throw new Error(JSON.stringify(issues));
    this.plan = compile(workflow, smallVocabulary);
    this.tell({
      type: 'start',
      origin: { workflow: 'table' },
      plan: 'p',
      task: [{ role: 'user', source: 'TASK', body: 0 }],
      presets: [],
      bodies: [{ role: 'user', content: 'task' }],
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  get run(): RunRecord {
    return runOf(this.state);
  }

  /** Events of the last commit. */
  last: readonly Event['type'][] = [];

  /** Decides commands in one commit. */
  tell(...commands: readonly Command[]): readonly CommandVerdict[] {
    const moment = { run: 'r', at: this.now, nonce: `n${++this.#commits}` };
    const { decision, verdicts } = decide(this.plan, this.state, { commands, moment, limits: this.limits });
    this.state.apply(decision.writes);
    decision.events.forEach((event, n) => {
      this.journal.push({ id: `${this.#commits}-${n}`, at: this.now, event });
    });
    this.last = decision.events.map(({ type }) => type);
    for (const due of decision.wakes) this.agenda.set(agendaItemId(due), { due, at: this.now });
    for (const { due, at } of decision.later) this.agenda.set(agendaItemId(due), { due, at });
    for (const due of decision.settled) this.agenda.delete(agendaItemId(due));
    return verdicts;
  }

  /** The same for one command: `accepted`, or the code it is refused with. */
  ask(command: Command): string {
    const [verdict] = this.tell(command);
    if (verdict?.type === 'crashed') throw verdict.error;
    return verdict?.type === 'refused' ? verdict.code : 'accepted';
  }

  tokenOf(activation: ActivationId): string {
    return this.state.get(`activation/${activation}`)?.token ?? '';
  }

  claim(activation: ActivationId): string {
    return this.ask({ type: 'claim', activation, token: this.tokenOf(activation), worker: 'w' });
  }

  settle(activation: ActivationId, result: Settlement, token = this.tokenOf(activation)): string {
    const bodies = result.type === 'completed' ? [{ role: 'assistant', content: 'done' } as const] : [];
    return this.ask({ type: 'settle', activation, token, result, bodies });
  }

  /** Settles an activation with one message over these edges. */
  complete(activation: ActivationId, ...edges: readonly number[]): string {
    const message = { role: 'assistant', source: 'X', body: 0 } as const;
    const routes = edges.map((edge) => ({ edge, output: 0, message }));
    return this.settle(activation, { type: 'completed', outputs: [message], routes });
  }

  /** Entries of the agenda: activations and alarms, in order. */
  get due(): readonly string[] {
    return [...this.agenda.values()].map(({ due }) => ('activation' in due ? due.activation : due.alarm)).sort();
  }

  ring(): string {
    const entry = [...this.agenda.values()].find(({ due }) => 'alarm' in due);
    if (entry === undefined || !('alarm' in entry.due)) return 'nothing';
    const { alarm, token } = entry.due;
    return this.ask({ type: 'alarm', alarm, token });
  }
}

/** A and B side by side, and C after both. */
export const fork = `graph:
  id: g
  start: [A, B]
  end: [C]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - {id: B, type: literal, config: {content: b}}
    - {id: C, type: literal, config: {content: c}}
  edges:
    - {from: A, to: C}
    - {from: B, to: C}
`;
/** One node that votes. */
export const vote = `graph:
  id: g
  is_majority_voting: true
  nodes:
    - {id: A, type: literal, config: {content: a}}
`;
/** A, and B once for each part of what A says, two at a time. */
export const map = `graph:
  id: g
  start: [A]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - {id: B, type: literal, config: {content: b}}
  edges:
    - {from: A, to: B, dynamic: {type: map, config: {split_type: lines, max_parallel: 2}}}
`;

/** Stops a run. */
export const stop = (inFlight: 'drain' | 'cancel'): Command => ({
  type: 'stop',
  stop: { code: 'external', text: 'enough' },
  inFlight,
});
/** Resumes a run. */
export const resume: Command = { type: 'resume', task: [], bodies: [] };
/** Resumes a run with a further task. */
export const resumeWithTask: Command = {
  type: 'resume',
  task: [{ role: 'user', source: 'TASK', body: 0 }],
  bodies: [{ role: 'user', content: 'more' }],
};
/** A settlement that says no. */
export const failed = { type: 'failed', error: { code: 'X', message: 'no' } } as const;
/** A question. */
export const wait = { kind: 'human', prompt: '', input: '' } as const;
