import type { ActivationId, ChatMessage, Host, NodeDefinition, Vocabulary } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { ModelCall } from '../../support/reference/trace.ts';
import type { ScriptedHuman } from '../compare/expected.ts';
import { reactionOf } from './people.ts';

/** Environment of a run, as its case describes it. */
export interface Setting {
  readonly people: ScriptedHuman;
  /** Seconds between two activations of loop timers, by the clock that they read; absent: real time. */
  readonly clockStep?: number;
}

/** Sees what nodes do, and plays the people and the clock that a case prescribes. */
export interface Observer {
  /** The vocabulary to run with. */
  readonly vocabulary: Vocabulary;
  /** Says what surrounds a run; call before it starts. */
  prepare(run: string, setting: Setting): void;
  /** Returns a person's answer in an activation that waits. */
  answer(run: string, activation: string): string;
  /** Returns the calls of models, in the order of these activations; those of other activations come last. */
  calls(run: string, order: readonly ActivationId[]): readonly ModelCall[];
}

/** Milliseconds since 1970 that a stepped clock starts from. */
const clockStart = 1_000_000;

interface Observations {
  readonly setting: Setting;
  /** By activation; a later attempt replaces an earlier one. */
  readonly calls: Map<string, ModelCall[]>;
  /** Activations of loop timers, in order of their start. */
  readonly ticks: string[];
  /** Since when programs have run, and for how long they have slept together; milliseconds. */
  programs?: { readonly since: number; readonly sleptMs: number };
  /** Activations of people's nodes in order of their start, by node. */
  readonly asked: Map<string, string[]>;
}

/** An observer of all runs that use its vocabulary. */
export function createObserver(vocabulary: Vocabulary): Observer {
  const runs = new Map<string, Observations>();
  const seenOf = (run: string): Observations => {
    const seen = runs.get(run);
    if (seen === undefined) throw new Error(`run ${run} was not announced to the observer`);
    return seen;
  };
  const nodes = new Map([...vocabulary.nodes].map(([type, definition]) => [type, watched(definition, seenOf)]));
  return {
    vocabulary: { ...vocabulary, nodes },
    prepare(run, setting) {
      runs.set(run, { setting, calls: new Map(), ticks: [], asked: new Map() });
    },
    answer(run, activation) {
      const { setting, asked } = seenOf(run);
      for (const [node, activations] of asked) {
        const times = activations.indexOf(activation) + 1;
        const reaction = times === 0 ? undefined : reactionOf(setting.people, node, times);
        if (reaction?.type === 'answer') return reaction.text;
      }
      throw new Error(`no person was asked in activation ${activation} of run ${run}`);
    },
    calls(run, order) {
      const { calls } = seenOf(run);
      const ordered = new Set([...order, ...calls.keys()]);
      return [...ordered].flatMap((activation) => calls.get(activation) ?? []);
    },
  };
}

function watched(definition: NodeDefinition, seenOf: (run: string) => Observations): NodeDefinition {
  return {
    ...definition,
    execute(config, input, host) {
      const seen = seenOf(host.run);
      if (definition.traits?.waits === true) ask(seen, host);
      const { clockStep } = seen.setting;
      const listening = listen(seen, host);
      if (definition.type !== 'loop_timer') return definition.execute(config, input, listening);
      if (clockStep === undefined) {
        return definition.execute(
          config,
          input,
          wrapped(listening, { runTime: () => withoutWork(seen, listening.now()) }),
        );
      }
      const now = clockStart + placeOf(seen.ticks, host.activation) * clockStep * 1000;
      return definition.execute(config, input, wrapped(listening, { runTime: () => now }));
    },
  };
}

/**
 * Returns the real time without what a busy machine takes to start programs: from the first program on it passes only
 * while they sleep. The recorded rounds of 0.45 s leave 0.05 s each before one too few fits into the limit.
 */
const withoutWork = ({ programs }: Observations, now: number): number =>
  programs === undefined ? now : Math.min(now, programs.since + programs.sleptMs);

/** Returns for how long a program in Python sleeps, in milliseconds. */
const sleepOf = (script: string): number =>
  [...script.matchAll(/\btime\.sleep\(([\d.]+)\)/g)].reduce((sum, [, seconds]) => sum + Number(seconds) * 1000, 0);

/** The place of an activation in a list, which it joins when it is new. */
function placeOf(list: string[], activation: string): number {
  if (!list.includes(activation)) list.push(activation);
  return list.indexOf(activation);
}

/** Answers a question; the case may define that the run is interrupted instead. */
function ask({ asked, setting }: Observations, host: Host): void {
  const activations = asked.get(host.node) ?? [];
  asked.set(host.node, activations);
  const reaction = reactionOf(setting.people, host.node, placeOf(activations, host.activation) + 1);
  if (reaction.type === 'raise') throw new NodeError('PERSON_GONE', reaction.message);
}

function listen(seen: Observations, host: Host): Host {
  const { calls } = seen;
  const recorded: ModelCall[] = [];
  calls.set(host.activation, recorded);
  return wrapped(host, {
    ask(wait) {
      ask(seen, host);
      return host.ask(wait);
    },
    async runProgram(program) {
      seen.programs ??= { since: host.now(), sleptMs: 0 };
      const ran = await host.runProgram(program);
      const sleptMs = typeof program.script === 'string' ? sleepOf(program.script) : 0;
      seen.programs = { since: seen.programs.since, sleptMs: seen.programs.sleptMs + sleptMs };
      return ran;
    },
    chat(request) {
      const messages: readonly ChatMessage[] = request.messages;
      recorded.push({ node: host.node, messages });
      return host.chat(request);
    },
  });
}

/** The host with some of its functions replaced; its other functions belong to its class, which spreading would lose. */
function wrapped(host: Host, replaced: Partial<Host>): Host {
  return new Proxy(host, {
    get(target, name) {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
