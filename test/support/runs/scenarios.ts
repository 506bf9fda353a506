import type { Scenario } from './scenario.ts';

const agent = (id: string, script: unknown, more = ''): string =>
  `    - {id: ${id}, type: agent, config: {provider: scripted, name: m, ${more}params: ${JSON.stringify(script)}}}`;

/** The k-th call in the run gets the k-th reply: one that is made twice changes the rest. */
const repliesInOrder = (texts: readonly string[], delayMs: number) => ({
  rules: [{ replies: texts.map((text) => ({ text, delay_ms: delayMs })) }],
});

const always = (text: string, delayMs: number) => ({ default: { text, delay_ms: delayMs } });

const graph = (id: string, body: string): string => `version: 0.4.0\ngraph:\n  id: ${id}\n${body}\n`;

/** Three model calls in a row, which share one list of replies. */
export const chain: Scenario = {
  name: 'chain',
  input: 'task',
  answers: [],
  yaml(delayMs) {
    const script = repliesInOrder(
      ['first({last_user})', 'second({last_user})', 'third({last_user})', 'too many'],
      delayMs,
    );
    return graph(
      'chain',
      `  start: [A]
  nodes:
${agent('A', script)}
${agent('B', script)}
${agent('C', script)}
    - {id: D, type: passthrough, config: {}}
  edges:
    - {from: A, to: B}
    - {from: B, to: C}
    - {from: C, to: D}`,
    );
  },
};

/** A writer and a critic, three rounds. */
export const cycle: Scenario = {
  name: 'cycle',
  input: 'task',
  answers: [],
  yaml(delayMs) {
    const drafts = ['one for {last_user}', 'two for {last_user}', 'three for {last_user}', 'too many'];
    const remarks = ['no to {last_user}', 'never to {last_user}', 'not even to {last_user}', 'too many'];
    return graph(
      'cycle',
      `  start: [Writer]
  end: [Final]
  nodes:
${agent('Writer', repliesInOrder(drafts, delayMs))}
${agent('Critic', repliesInOrder(remarks, delayMs))}
    - {id: Guard, type: loop_counter, config: {max_iterations: 3, message: enough}}
${agent('Final', always('{last_user}', 0), 'input_mode: prompt, ')}
  edges:
    - {from: Critic, to: Final, trigger: false}
    - {from: Writer, to: Critic}
    - {from: Critic, to: Writer}
    - {from: Critic, to: Guard}
    - {from: Guard, to: Writer}
    - {from: Guard, to: Final}`,
    );
  },
};

/** Seven units, three at a time, and a join that sees all of them. */
export const map: Scenario = {
  name: 'map',
  input: 'one\ntwo\nthree\nfour\nfive\nsix\nseven',
  answers: [],
  yaml: (delayMs) =>
    graph(
      'map',
      `  start: [Source]
  nodes:
    - {id: Source, type: passthrough, config: {}}
${agent('Each', always('done: {last_user}', delayMs))}
${agent('Join', always('{last_user}', 0), 'input_mode: prompt, ')}
  edges:
    - {from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 3}}}
    - {from: Each, to: Join}`,
    ),
};

/** Pairs are reduced to one text. */
export const tree: Scenario = {
  name: 'tree',
  input: 'a\nb\nc\nd\ne',
  answers: [],
  yaml: (delayMs) =>
    graph(
      'tree',
      `  start: [Source]
  nodes:
    - {id: Source, type: passthrough, config: {}}
${agent('Reduce', always('<{last_user}>', delayMs), 'input_mode: prompt, ')}
    - {id: Final, type: passthrough, config: {}}
  edges:
    - {from: Source, to: Reduce, dynamic: {type: tree, config: {split_type: lines, group_size: 2}}}
    - {from: Reduce, to: Final}`,
    ),
};

/** Branches of unlike length, one of them a graph of its own with a loop in it. */
export const branches: Scenario = {
  name: 'branches',
  input: 'task',
  answers: [],
  yaml: (delayMs) =>
    graph(
      'branches',
      `  start: [Source]
  nodes:
    - {id: Source, type: passthrough, config: {}}
${agent('Left', always('left({last_user})', delayMs))}
${agent('Right', always('right({last_user})', delayMs))}
${agent('Further', always('further({last_user})', delayMs))}
    - id: Inner
      type: subgraph
      config:
        type: config
        config:
          id: inner
          start: [W]
          end: [END]
          nodes:
            - {id: W, type: literal, config: {content: draft}}
            - {id: C, type: literal, config: {content: again}}
            - {id: G, type: loop_counter, config: {max_iterations: 2, message: inner done}}
            - {id: END, type: passthrough, config: {}}
          edges:
            - {from: W, to: C}
            - {from: C, to: W}
            - {from: C, to: G}
            - {from: G, to: W}
            - {from: G, to: END}
${agent('Join', always('{last_user}', 0), 'input_mode: prompt, ')}
  edges:
    - {from: Source, to: Left}
    - {from: Source, to: Right}
    - {from: Source, to: Inner}
    - {from: Right, to: Further}
    - {from: Left, to: Join}
    - {from: Further, to: Join}
    - {from: Inner, to: Join}`,
    ),
};

/** A person is asked twice. */
export const human: Scenario = {
  name: 'human',
  input: 'task',
  answers: ['rather not', 'ACCEPT'],
  yaml: (delayMs) =>
    graph(
      'human',
      `  start: [Writer]
  end: [Final]
  nodes:
${agent('Writer', repliesInOrder(['draft 1', 'draft 2', 'too many'], delayMs))}
    - {id: Reviewer, type: human, config: {description: Enter ACCEPT to accept.}}
    - {id: Final, type: passthrough, config: {}}
  edges:
    - {from: Writer, to: Reviewer}
    - {from: Reviewer, to: Writer, condition: {type: keyword, config: {none: [ACCEPT]}}}
    - {from: Reviewer, to: Final, condition: {type: keyword, config: {any: [ACCEPT]}}}`,
    ),
};

const waiting = (config: string): string =>
  graph(
    'waiting',
    `  start: [Pause]
  nodes:
    - {id: Pause, type: delay, config: {for: 30ms}}
    - {id: Wait, type: wait_for, config: {event: go, ${config}}}
    - {id: InTime, type: template, config: {text: 'in time: {{ text }}'}}
    - {id: TooLate, type: template, config: {text: 'too late: {{ text }}'}}
    - {id: End, type: passthrough, config: {}}
  edges:
    - {from: Pause, to: Wait}
    - {from: Wait, to: InTime, condition: {type: branch, config: {is: event}}}
    - {from: Wait, to: TooLate, condition: {type: branch, config: {is: timeout}}}
    - {from: InTime, to: End}
    - {from: TooLate, to: End}`,
  );

/** A delay, during which the event comes that the next node waits for. */
export const earlySignal: Scenario = {
  name: 'early signal',
  input: 'task',
  answers: [],
  signals: [{ name: 'go', data: 'early', during: 'delay' }],
  yaml: () => waiting('timeout: 1h, on_timeout: continue'),
};

/** A delay, and a node that waits for an event, which comes while it waits. */
export const awaitedSignal: Scenario = {
  name: 'awaited signal',
  input: 'task',
  answers: [],
  signals: [{ name: 'go', data: 'awaited', during: 'wait' }],
  yaml: () => waiting('timeout: 1h, on_timeout: continue'),
};

/** A delay, and a node that waits for an event, which does not come in time. */
export const missedSignal: Scenario = {
  name: 'missed signal',
  input: 'task',
  answers: [],
  yaml: () => waiting('timeout: 5ms, on_timeout: continue'),
};

/** Two who would talk for ever, and are stopped at the tenth message. */
export const stopped: Scenario = {
  name: 'stopped',
  input: 'task',
  answers: [],
  yaml: (delayMs) =>
    graph(
      'stopped',
      `  start: [A]
  end: [B]
  termination: {any_of: [{type: max_messages, config: {max_messages: 10}}, {type: text_mention, config: {text: over}}]}
  nodes:
${agent('A', always('a({last_user})', delayMs))}
${agent('B', always('b({last_user})', delayMs))}
  edges:
    - {from: A, to: B}
    - {from: B, to: A}`,
    ),
};

/** All of them. */
export const scenarios: readonly Scenario[] = [chain, cycle, map, tree, branches, human];
