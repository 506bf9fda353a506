import type { ChatReply, ChatRequest, Host } from '@millrace/core';

/** A host that keeps what it is asked; whatever a test does not give it is left out or refused. */
export function fakeHost(
  given: Partial<Host> & { readonly reply?: ChatReply } = {},
): Host & { readonly asked: ChatRequest[] } {
  const { reply, ...rest } = given;
  const asked: ChatRequest[] = [];
  return {
    run: 'run_1',
    node: 'N',
    activation: 'a1',
    signal: new AbortController().signal,
    compat: false,
    now: () => 0,
    state: undefined,
    answer: undefined,
    chat: async (request) => {
      asked.push(request);
      if (reply === undefined) throw new Error('This test expects no model call.');
      return reply;
    },
    runProgram: () => Promise.reject(new Error('This test expects no program.')),
    recall: async () => undefined,
    remember: () => Promise.reject(new Error('This test expects no memories.')),
    step: (_name, _request, action) => action(new AbortController().signal),
    ...rest,
    asked,
  };
}
