import type { ServerResponse } from 'node:http';
import { anthropicMessages } from './dialects/anthropic-messages.ts';
import type { Dialect, StreamEvent } from './dialects/dialect.ts';
import { geminiContent } from './dialects/gemini-content.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiResponses } from './dialects/openai-responses.ts';
import type { Form } from './quirks/quirk-forms.ts';
import type { Answer } from './reply.ts';
import type { Refusal } from './rules/refusal.ts';
import { refusalBody } from './rules/refusal.ts';
import type { Api, Json, Turn } from './turn.ts';

/** APIs, each with its reader and its writer. */
export const dialects: Readonly<Record<Api, Dialect>> = {
  chat: openaiChat,
  responses: openaiResponses,
  messages: anthropicMessages,
  content: geminiContent,
};

type Headers = Readonly<Record<string, string>>;
const json = { 'content-type': 'application/json' };

/** Sends a refusal in the shape of the API; returns what was sent in some words, as the others do. */
export function sendRefusal(outgoing: ServerResponse, api: Api, refusal: Refusal): string {
  outgoing.writeHead(refusal.refuse, { ...json, ...refusal.headers }).end(JSON.stringify(refusalBody(api, refusal)));
  return `${refusal.refuse} ${refusal.message}`;
}

/** Sends a body as it is. */
export function sendBody(
  outgoing: ServerResponse,
  { body, status = 200, headers }: { readonly body: unknown; readonly status?: number; readonly headers?: Headers },
): string {
  outgoing.writeHead(status, { ...json, ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
  return String(status);
}

/** Sends events as they are. */
export function sendEvents(outgoing: ServerResponse, events: readonly (Json | string)[]): string {
  sendPieces(
    outgoing,
    events.map((data) =>
      typeof data === 'object' && typeof data['type'] === 'string'
        ? named({ event: data['type'], data })
        : written(data),
    ),
    { type: 'text/event-stream' },
  );
  return '200 events';
}

/** Sends an answer: whole or streamed, in another form if there is one, and only the first half of it if it breaks off. */
export function sendAnswer(
  outgoing: ServerResponse,
  answer: Answer,
  {
    turn,
    form,
    headers,
    half,
  }: { readonly turn: Turn; readonly form: Form | undefined; readonly headers: Headers; readonly half: boolean },
): void {
  const dialect = dialects[turn.api];
  if (turn.stream) {
    const events = dialect.events(answer, turn);
    const pieces = (form?.events(events) ?? events).map(named);
    sendPieces(outgoing, pieces, { type: 'text/event-stream', headers, half });
  } else {
    const whole = dialect.whole(answer, turn);
    const text = JSON.stringify(form?.whole(whole) ?? whole);
    const middle = text.length / 2;
    sendPieces(outgoing, [text.slice(0, middle), text.slice(middle)], { type: 'application/json', headers, half });
  }
}

const named = ({ event, data }: StreamEvent): string =>
  (event === undefined ? '' : `event: ${event}\n`) + written(data);

const written = (data: Json | string): string =>
  typeof data === 'string' && data !== '[DONE]' ? data : `data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`;

function sendPieces(
  outgoing: ServerResponse,
  pieces: readonly string[],
  { type, headers, half = false }: { readonly type: string; readonly headers?: Headers; readonly half?: boolean },
): void {
  outgoing.writeHead(200, { 'content-type': type, ...headers });
  if (half) {
    outgoing.write(pieces.slice(0, Math.ceil(pieces.length / 2)).join(''), () => outgoing.destroy());
    return;
  }
  for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
}
