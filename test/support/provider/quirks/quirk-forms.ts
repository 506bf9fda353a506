import type { StreamEvent } from '../dialects/dialect.ts';
import type { Json } from '../turn.ts';
import { isObject, objectOf, objectsOf, textOf } from '../turn.ts';

/** Change of the form of chat completions, whole and in a stream. */
export interface Form {
  whole(body: Json): unknown;
  events(events: readonly StreamEvent[]): readonly StreamEvent[];
}

type CallChange = (call: Json, at: number) => Json;

/** Changes each call; in a stream each call comes whole, in a chunk of its own, or all of them in one. */
export const callForm = (change: CallChange, { together = false, merge = true } = {}): Form => ({
  whole: (body) => inMessage(body, (message) => changedCalls(message, change)),
  events(events) {
    if (!merge)
      return events.map((event) =>
        inDelta(event, (delta) => changedCalls(delta, (call) => change(call, Number(call['index'])))),
      );
    const calls = mergedCalls(events).map(change);
    const [first = { data: '[DONE]' }] = events;
    const chunks = together && calls.length > 0 ? [calls] : calls.map((call) => [call]);
    const own = chunks.map((list) => withDelta(first, { tool_calls: list }));
    return events.flatMap((event, at) => {
      if ('tool_calls' in deltaOf(event)) return [];
      return finishOf(event) !== null ||
        (event.data === '[DONE]' && !events.slice(0, at).some((one) => finishOf(one) !== null))
        ? [...own, event]
        : [event];
    });
  },
});

/** Changes the message, and each delta. */
export const messageForm = (change: (message: Json) => Json): Form => ({
  whole: (body) => inMessage(body, change),
  events: (events) => events.map((event) => inDelta(event, change)),
});

/** Changes the order or the contents of the events only. */
export const streamForm = (events: Form['events'], whole: Form['whole'] = (body) => body): Form => ({ whole, events });

/** Leaves the reason of the end out. */
export const withoutReason: Form = {
  whole: (body) => inChoice(body, (choice) => ({ ...choice, finish_reason: null })),
  events: (events) => events.filter((event) => finishOf(event) === null),
};

/** The usage comes in a chunk whose choices are null. */
export const nullChoices: Form = streamForm((events) =>
  events.map((event) => (isUsage(event) ? { data: { ...objectOf(event.data), choices: null } } : event)),
);

/** The usage comes first. */
export const usageFirst: Form = streamForm((events) => [
  ...events.filter(isUsage),
  ...events.filter((event) => !isUsage(event)),
]);

/** Each chunk has the usage so far, and the last one is repeated. */
export const usageRepeated: Form = streamForm((events) => {
  const last = events.find(isUsage);
  const usage = objectOf(objectOf(last?.data)['usage']);
  return events.flatMap((event, at) => {
    if (event.data === '[DONE]') return [event];
    if (isUsage(event)) return [event, event];
    const sofar = { ...usage, completion_tokens: Math.min(at, Number(usage['completion_tokens'] ?? 0)) };
    return [last === undefined ? event : { data: { ...event.data, usage: sofar } }];
  });
});

/** The text breaks off with an error in the stream. */
export const errorAfterText = (error: unknown): Form => ({
  whole: () => ({ error }),
  events: (events) => [...events.slice(0, 2), { data: { error } }],
});

/** The first call has another field. */
export const fieldOnFirstCall = (field: Json): Form =>
  callForm((call, index) => ({ index, ...call, ...(index === 0 && field) }));

const isUsage = ({ data }: StreamEvent): boolean => isObject(data) && isObject(data['usage']);
const choiceOf = ({ data }: StreamEvent): Json => objectsOf(objectOf(data)['choices'])[0] ?? {};
const deltaOf = (event: StreamEvent): Json => objectOf(choiceOf(event)['delta']);
const finishOf = (event: StreamEvent): unknown => choiceOf(event)['finish_reason'] ?? null;

const withDelta = (event: StreamEvent, delta: Json): StreamEvent => ({
  data: { ...objectOf(event.data), choices: [{ index: 0, delta, finish_reason: null }] },
});

function inDelta(event: StreamEvent, change: (delta: Json) => Json): StreamEvent {
  const choice = choiceOf(event);
  if (!isObject(choice['delta'])) return event;
  return { data: { ...objectOf(event.data), choices: [{ ...choice, delta: change(choice['delta']) }] } };
}

const inChoice = (body: Json, change: (choice: Json) => Json): Json => ({
  ...body,
  choices: objectsOf(body['choices']).map(change),
});

const inMessage = (body: Json, change: (message: Json) => Json): Json =>
  inChoice(body, (choice) => ({ ...choice, message: change(objectOf(choice['message'])) }));

const changedCalls = (message: Json, change: CallChange): Json =>
  Array.isArray(message['tool_calls'])
    ? { ...message, tool_calls: objectsOf(message['tool_calls']).map((call, at) => change(call, at)) }
    : message;

function mergedCalls(events: readonly StreamEvent[]): Json[] {
  const calls: Json[] = [];
  for (const part of events.flatMap((event) => objectsOf(deltaOf(event)['tool_calls']))) {
    const [at, added] = [Number(part['index']), objectOf(part['function'])];
    const { index: _index, ...call } = calls[at] ?? part;
    const before = calls[at] === undefined ? '' : textOf(objectOf(call['function'])['arguments']);
    calls[at] = {
      ...call,
      function: { ...objectOf(call['function']), arguments: before + textOf(added['arguments']) },
    };
  }
  return calls;
}
