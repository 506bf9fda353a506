import { isSecretName } from '@millrace/core';

/**
 * Hides the values of secrets in foreign texts, such as from a server that repeats the headers of its request. A value
 * is hidden as it is, as it is written in JSON, in HTML and in a URL, and without the white space around it, which headers lose.
 */
export interface SecretMask {
  /** Hides this value from now on, unless it is so short that it could be part of other words. */
  add(value: string): void;
  hide(text: string): string;
  /** Returns a JSON value with all texts in it hidden, contents of data URIs included; the very same one when nothing was. */
  hideIn<T>(value: T): T;
  /** Hides the values in the messages of an error and its causes; returns the very same error. */
  hideInError<E>(error: E): E;
  /**
   * Hides values in a text that comes in pieces. The possible beginning of a value is held back until the next piece
   * decides.
   */
  maskStream(write: (text: string) => void): { emit(piece: string): void; end(): void };
}

/** Replacement of a secret. */
export const hiddenSecret = '[secret]';
const shortest = 8;

/** Creates a mask for these values, and for those that are added. */
export function createSecretMask(secrets: Iterable<string> = []): SecretMask {
  const known = new Set<string>();
  /** Returns all spellings, the longest first, so that no part of one remains when a shorter one is found in it. */
  let spellings: readonly string[] = [];

  function add(value: string): void {
    if (value.length < shortest || known.has(value)) return;
    known.add(value);
    spellings = [...new Set([...spellings, ...spellingsOf(value)])].sort((a, b) => b.length - a.length);
  }

  const hide = (text: string): string => {
    const found = spellings.filter((value) => text.includes(value));
    return found.length === 0 ? text : hideAll(text, found);
  };

  function hideInText(text: string): string {
    const [, head, base64] = /^(data:[^,]*;base64,)(.*)$/s.exec(text.slice(0, 5) === 'data:' ? text : '') ?? [];
    if (head === undefined || base64 === undefined) return hide(text);
    // Latin-1 keeps every byte; secrets of other characters are found as UTF-8 in it.
    const content = Buffer.from(base64, 'base64').toString('latin1');
    const hidden = hide(content);
    return hidden === content ? text : head + Buffer.from(hidden, 'latin1').toString('base64');
  }

  function hideInValue(value: unknown): unknown {
    if (typeof value === 'string') return hideInText(value);
    if (Array.isArray(value)) {
      const items = value.map(hideInValue);
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
    const entries = Object.entries(value);
    const hidden = entries.map(([key, field]) => [hide(key), hideInValue(field)] as const);
    const isSame = hidden.every(([key, field], at) => key === entries[at]?.[0] && field === entries[at]?.[1]);
    return isSame ? value : Object.fromEntries(hidden);
  }

  for (const value of secrets) add(value);
  return {
    add,
    hide,
    // The shape stays: only texts are replaced.
    hideIn: <T>(value: T): T => (spellings.length === 0 ? value : (hideInValue(value) as T)),
    hideInError(error) {
      if (spellings.length > 0) hideInCauses(error, hide);
      return error;
    },
    maskStream(write) {
      let held = '';
      const say = (text: string) => {
        if (text !== '') write(text);
      };
      return {
        emit(piece) {
          const text = held + piece;
          const places = new Map(spellings.map((value) => [value, -1]));
          let [from, said] = [0, ''];
          for (;;) {
            // From here on, a value may continue, also one that begins with a shorter one.
            const until = text.length - beginning(text.slice(from), spellings);
            const first = firstOf(places, text, from);
            if (first === undefined || first.at >= until) {
              held = text.slice(until);
              return say(said + text.slice(from, until));
            }
            said += text.slice(from, first.at) + hiddenSecret;
            from = first.at + first.value.length;
          }
        },
        end() {
          say(hide(held));
          held = '';
        },
      };
    },
  };
}

/** Returns the values of variables that, by their names, hold secrets, and the passwords in addresses. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const password = URL.canParse(value) ? passwordIn(new URL(value)) : '';
    return [...(isSecretName(name) ? [value] : []), ...(password === '' ? [] : [password])];
  });
}

function passwordIn({ password }: URL): string {
  try {
    return decodeURIComponent(password);
  } catch {
    // A `%` that is not followed by two digits is part of the password.
    return password;
  }
}

/** Returns a text with every value replaced: of those that begin at one place the longest, and none within another. */
function hideAll(text: string, values: readonly string[]): string {
  let [from, hidden] = [0, ''];
  const places = new Map(values.map((value) => [value, text.indexOf(value)]));
  for (;;) {
    const first = firstOf(places, text, from);
    if (first === undefined) return hidden + text.slice(from);
    hidden += text.slice(from, first.at) + hiddenSecret;
    from = first.at + first.value.length;
  }
}

/** Returns the first occurrence from a place on, and brings the next place of each value up to date. */
function firstOf(places: Map<string, number>, text: string, from: number): Occurrence | undefined {
  let first: Occurrence | undefined;
  for (const [value, before] of places) {
    const at = before < from ? text.indexOf(value, from) : before;
    if (at < 0) places.delete(value);
    else places.set(value, at);
    if (at >= 0 && (first === undefined || at < first.at)) first = { value, at };
  }
  return first;
}

/** A value in a text. */
interface Occurrence {
  readonly value: string;
  readonly at: number;
}

/** Returns the forms in which servers write a value; those of a value of letters and digits are all the same. */
function spellingsOf(value: string): readonly string[] {
  return [value, value.trim()]
    .filter(({ length }) => length >= shortest)
    .flatMap((one) => [one, Buffer.from(one).toString('latin1'), htmlOf(one), ...jsonOf(one), ...urlOf(one)]);
}

const htmlOf = (value: string): string =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** Returns a value in JSON as JavaScript, Python, PHP, Go and .NET write it. */
function jsonOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const escaped = (characters: RegExp, hexOf: (hex: string) => string) =>
    json.replaceAll(characters, (one) => `\\u${hexOf(one.charCodeAt(0).toString(16).padStart(4, '0'))}`);
  const lower = (hex: string) => hex;
  const upper = (hex: string) => hex.toUpperCase();
  const ascii = escaped(/[^ -~]/g, lower);
  return [
    json,
    json.replaceAll('/', '\\/'),
    ascii,
    ascii.replaceAll('/', '\\/'),
    escaped(/[<>&]/g, lower),
    escaped(/[^ -~]|[<>&'+`]/g, upper).replaceAll('\\"', '\\u0022'),
  ];
}

/** Returns a value in a URL, also as forms and with digits in lower case. */
function urlOf(value: string): readonly string[] {
  const form = new URLSearchParams({ '': value }).toString().slice(1);
  const encoded = [encodeURIComponent(value), encodeURI(value), form];
  return [...encoded, ...encoded.map((one) => one.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()))];
}

/** Returns the length of the end of a text that is a beginning, but not the whole, of one of these. */
function beginning(text: string, spellings: readonly string[]): number {
  let longest = 0;
  for (const spelling of spellings) {
    for (let length = Math.min(spelling.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(spelling.slice(0, length))) longest = length;
    }
  }
  return longest;
}

function hideInCauses(error: unknown, hide: (text: string) => string): void {
  const seen = new Set<unknown>();
  const open = [error];
  while (open.length > 0) {
    const one = open.pop();
    if (!(one instanceof Error) || seen.has(one)) continue;
    seen.add(one);
    one.message = hide(one.message);
    if (one.stack !== undefined) one.stack = hide(one.stack);
    open.push(one.cause);
    if (one instanceof AggregateError) for (const error of one.errors) open.push(error);
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
