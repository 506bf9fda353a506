import { isSecretName } from '@millrace/core';

/**
 * Hides the values of secrets in foreign texts, such as from a server that repeats the headers of its request. A value
 * is hidden as it is, as it is written in JSON and in a URL.
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

  const hide = (text: string): string =>
    spellings.reduce((rest, value) => (rest.includes(value) ? rest.replaceAll(value, hiddenSecret) : rest), text);

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
          const text = hide(held + piece);
          const length = beginning(text, spellings);
          held = text.slice(text.length - length);
          say(text.slice(0, text.length - length));
        },
        end() {
          say(held);
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

function spellingsOf(value: string): readonly string[] {
  const utf8 = Buffer.from(value).toString('latin1');
  return [value, utf8, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
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
