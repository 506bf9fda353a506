/** A JSON object as it came over HTTP. */
export type Json = Readonly<Record<string, unknown>>;

/** APIs that the provider speaks. */
export type Api = 'chat' | 'responses' | 'messages' | 'content';

/** Whose servers the provider stands for; `compatible` is a server of nobody known that has the API of OpenAI. */
export type Vendor = 'openai' | 'anthropic' | 'gemini' | 'compatible';

/** A function that the model may call. */
export interface OfferedTool {
  readonly name: string;
  readonly schema: unknown;
}

/** A part of a prompt, in the order in which the vendor reads it; `keep` marks a breakpoint of its cache after it. */
export interface Segment {
  readonly text: string;
  readonly keep?: 'short' | 'long';
}

/** A request for a reply, read from the body of any of the APIs. */
export interface Turn {
  readonly api: Api;
  readonly vendor: Vendor;
  readonly model: string;
  /** Account that pays. */
  readonly key: string;
  readonly body: Json;
  readonly stream: boolean;
  readonly tools: readonly OfferedTool[];
  /** Function that must be called: a name, or any. */
  readonly forced?: string | true;
  /** JSON Schema of the text, where one is demanded. */
  readonly schema?: unknown;
  /** Limit of the tokens of the reply. */
  readonly limit?: number;
  readonly segments: readonly Segment[];
  /** Messages as role and text, system texts among them. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  /** Replies with calls since the last text of the user. */
  readonly rounds: number;
  /** Tier of service that was asked for. */
  readonly tier?: string;
  /** Whether the model is asked to think, or does so by default. */
  readonly thinks: boolean;
  /** Whether the reply is to show the thoughts. */
  readonly showsThoughts?: boolean;
  /** Lists what the cache of the vendor tells apart beside the model, the account and the bytes. */
  readonly cacheKey?: string;
}

/** Returns the last message of the user as text. */
export const lastText = ({ messages }: Turn): string => messages.findLast(({ role }) => role === 'user')?.text ?? '';

/** Returns whether a value is a JSON object. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a value as an object; an empty one if it is none. */
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** Returns the objects of a list; none if it is no list. */
export const objectsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Returns a value as text; an empty one if it is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the text of a content: itself, or the texts of its parts. */
export const contentText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objectsOf(content)
        .map(({ text }) => textOf(text))
        .join('');
