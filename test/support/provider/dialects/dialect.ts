import type { Answer } from '../reply.ts';
import type { Json, Turn } from '../turn.ts';

/** Event of a stream: its name, where the API has names, and its data. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: Json | '[DONE]';
}

/** An API: how its requests are read, and how its replies are written. */
export interface Dialect {
  /** Reads what the body says; the vendor, the account and the rules come from elsewhere. */
  read(body: Json): Omit<Turn, 'vendor' | 'key' | 'body' | 'model' | 'stream' | 'api'>;
  whole(answer: Answer, turn: Turn): Json;
  events(answer: Answer, turn: Turn): readonly StreamEvent[];
}

/** Cuts a text in pieces, as models stream it. */
export const pieces = (text: string, length = 12): string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_none, at) => text.slice(at * length, (at + 1) * length));
