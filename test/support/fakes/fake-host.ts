import type { ChatReply, ChatRequest, EdgeHost, Host, Skills, StepAction, Workspace } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import { realSleep } from '../../../packages/catalog/test-support/real-sleep.ts';

/** A reply of a model; its end follows from its calls, if a test does not say it. */
export type GivenReply = Omit<ChatReply, 'end'> & Partial<Pick<ChatReply, 'end'>>;

/** A host that keeps what it is asked; whatever a test does not give it is left out or refused. */
export function fakeHost(
  given: Partial<Host & EdgeHost> & { readonly reply?: GivenReply; readonly replies?: readonly GivenReply[] } = {},
): Host & EdgeHost & { readonly asked: ChatRequest[] } {
  const { reply, replies, ...rest } = given;
  const asked: ChatRequest[] = [];
  return {
    run: 'run_1',
    node: 'N',
    activation: 'a1',
    signal: new AbortController().signal,
    compat: false,
    isUnit: false,
    isRepeated: false,
    now: () => 0,
    runTime: () => (rest.now ?? (() => 0))(),
    state: undefined,
    answer: undefined,
    chat: async (request) => {
      asked.push(request);
      const answer = replies?.[asked.length - 1] ?? reply;
      if (answer === undefined) throw new Error('This test expects no model call.');
      return { end: answer.toolCalls === undefined ? 'stop' : 'calls', ...answer };
    },
    runProgram: noProgram,
    storeResults: async () => undefined,
    recall: async () => undefined,
    remember: () => Promise.reject(new Error('This test expects no memories.')),
    memoryFiles: {
      read: () => Promise.reject(new Error('This test expects no memory files.')),
      write: () => Promise.reject(new Error('This test expects no memory files.')),
    },
    note: () => undefined,
    warn: () => undefined,
    ask: () => Promise.reject(new Error('This test expects no question.')),
    workspace: noWorkspace,
    openWorkspace: async () => noWorkspace,
    fetch: () => Promise.reject(new Error('This test expects no requests.')),
    skills: noSkills,
    mcp: () => {
      throw new Error('This test expects no MCP server.');
    },
    undecided: () => Promise.reject(new Error('This test expects no approval.')),
    decisionOn: async () => undefined,
    toolPolicies: { graphs: [], operator: [] },
    step: (_name, _request, action) => action(stepAction(omitUndefined({ runProgram: rest.runProgram }))),
    ...rest,
    asked,
  };
}

const noProgram = () => Promise.reject(new Error('This test expects no program.'));

/** Returns what the action of a step gets, with what a test gives. */
export const stepAction = (given: Partial<StepAction> = {}): StepAction => ({
  signal: new AbortController().signal,
  emit: () => undefined,
  sleep: realSleep,
  runProgram: noProgram,
  ...given,
});

const refuse = () => Promise.reject(new Error('This test expects no files.'));

/** A workspace that must not be used. */
const noWorkspace: Workspace = {
  directory: '/nowhere',
  find: refuse,
  list: refuse,
  read: refuse,
  write: refuse,
  update: refuse,
  makeFolder: refuse,
  remove: refuse,
  move: refuse,
  copy: refuse,
};

/** A place without skills. */
const noSkills: Skills = { folders: async () => [], read: refuse };
