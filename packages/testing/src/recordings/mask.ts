import { isDigest } from '@millrace/runtime';
import { RE2JS } from 're2js';

/** What a mask hides beside known secrets. */
export interface MaskOptions {
  /** Values of secrets, hidden in every spelling. */
  readonly secrets: readonly string[];
  /** `email`, `phone`, or regular expressions in the syntax of RE2. */
  readonly patterns?: readonly string[];
}

/** Replaces secret values in recorded data; the same value by the same word everywhere. */
export interface Mask {
  hide(text: string): string;
  /** Returns JSON with all of its texts and names of fields hidden, and the whole values of fields with names of secrets. */
  hideIn(value: unknown): unknown;
  /** Number of values that were hidden, by kind. */
  counts(): ReadonlyMap<string, number>;
}

/** Values shorter than this are parts of other words. */
const shortest = 8;
const placeholder = /«([a-z]+):(\d+)»/g;

/** Names of fields whose values are secrets. */
const secretName =
  /(?:^|[-_])(?:passwd|password|secret|token|api[-_]?key|authorization|cookie|client[-_]?secret|access[-_]?key)$/i;
/** Values of such fields that are not secret: references to variables, and what is hidden. */
const openValue = /^(?:(?:bearer|basic|token)\s+)?(?:\$\{[^}]*\}|«[a-z]+:\d+»)?$/i;
/** Fields with what people, models and tools write; others are of the journal itself. */
const contentName = /^(?:arguments|body|config|content|data|description|metadata|text|vars)$/;

/** A form of values: a group in its pattern is the value, or else the whole match. */
interface Form {
  readonly kind: string;
  readonly pattern: RE2JS;
}

const form = (kind: string, pattern: string): Form => ({ kind, pattern: RE2JS.compile(pattern) });

/** Forms of keys of providers and clouds, of tokens, private keys and passwords. */
const wellKnown: readonly Form[] = [
  '-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.)*?-----END [A-Z ]*PRIVATE KEY-----',
  String.raw`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`,
  String.raw`\bsk-[A-Za-z0-9_-]{16,}`,
  String.raw`\b(?:gsk_|xai-|hf_|npm_|glpat-|github_pat_|gh[pousr]_|pplx-|r8_)[A-Za-z0-9_-]{20,}`,
  String.raw`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,
  String.raw`\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`,
  String.raw`\bAIza[0-9A-Za-z_-]{35}`,
  String.raw`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
  String.raw`(?i)\b(?:aws_secret_access_key|AccountKey)["']?\s*[:=]\s*["']?([A-Za-z0-9/+=]{32,})`,
  String.raw`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`,
  String.raw`(?i)\b(?:authorization|x-api-key)["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token)\s+)?([^\s"',;$«][^\s"',;]{7,})`,
  String.raw`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,})`,
  String.raw`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@"']*:([^\s/@"'$«][^\s/@"']*)@`,
  String.raw`(?i)\b(?:api[_-]?key|client[_-]?secret|password|passwd)["']?\s*[:=]\s*["']?([^\s"',;&$«][^\s"',;&]{7,})`,
].map((pattern) => form('secret', pattern));

const named: Readonly<Record<string, Form>> = {
  email: form('email', String.raw`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`),
  phone: form(
    'phone',
    String.raw`(?:\+|\b00)\d[\d ()./-]{6,}\d|\b0\d{1,4}[ /-]\d[\d ()/-]{4,}\d|\(\d{3}\) ?\d{3}-\d{4}|\b\d{3}-\d{3}-\d{4}\b`,
  ),
};

/** Creates a mask. Throws an error for a pattern that RE2 does not accept. */
export function createMask({ secrets, patterns = [] }: MaskOptions): Mask {
  const spellings = secrets
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => spellingsOf(secret).map((spelling) => ({ spelling, secret })))
    .sort(longestFirst);
  const wanted = patterns.map((pattern) => named[pattern] ?? form('masked', pattern));
  const words = new Map<string, string>();
  const numbers = new Map<string, number>();
  const learned = new Set<string>();

  /** Returns the word in place of a value. */
  function wordFor(kind: string, value: string): string {
    const known = words.get(value);
    if (known !== undefined) return known;
    const number = (numbers.get(kind) ?? 0) + 1;
    numbers.set(kind, number);
    const word = `«${kind}:${number}»`;
    words.set(value, word);
    return word;
  }

  /** Hides known secrets. */
  function hideKnown(text: string): string {
    for (const [, kind = '', number] of text.matchAll(placeholder))
      numbers.set(kind, Math.max(numbers.get(kind) ?? 0, Number(number)));
    let hidden = text;
    for (const { spelling, secret } of spellings)
      if (hidden.includes(spelling)) hidden = hidden.replaceAll(spelling, wordFor('secret', secret));
    return hidden;
  }

  function hide(text: string): string {
    let hidden = hideKnown(text);
    for (const { kind, pattern } of [...wellKnown, ...wanted])
      hidden = replaced(hidden, pattern, (value) => aroundWords(value, (part) => wordFor(kind, part)));
    return hidden;
  }

  /** Returns a value with its texts hidden; `inContents`: it is part of what people, models and tools write. */
  function hideBelow(value: unknown, inContents: boolean): unknown {
    if (typeof value === 'string')
      return !inContents && isReference(value) ? hideKnown(value) : hideInText(value, hide);
    if (Array.isArray(value)) return value.map((one) => hideBelow(one, inContents));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => {
        const name = !inContents && isReference(key) ? hideKnown(key) : hide(key);
        if (isSecretField(key, field, inContents)) return [name, wordFor('secret', field)];
        const isDigestField = key === 'digest' && typeof field === 'string' && isDigest(field);
        return [name, isDigestField ? field : hideBelow(field, inContents || contentName.test(key))];
      }),
    );
  }

  /** Makes the values of fields with names of secrets known, which are hidden in other places, too. */
  function learn(value: unknown, inContents: boolean): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, field] of Object.entries(value)) {
      if (!isSecretField(key, field, inContents)) learn(field, inContents || contentName.test(key));
      else if (isDistinct(field)) learned.add(field);
    }
  }

  function hideIn(value: unknown): unknown {
    learned.clear();
    learn(value, false);
    for (const { secret } of spellings) learned.delete(secret);
    for (const secret of learned) for (const spelling of spellingsOf(secret)) spellings.push({ spelling, secret });
    spellings.sort(longestFirst);
    return hideBelow(value, false);
  }

  return {
    hide,
    hideIn,
    counts() {
      const counts = new Map<string, number>();
      for (const word of words.values()) {
        const kind = word.slice(1, word.indexOf(':'));
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      return counts;
    },
  };
}

interface Spelling {
  readonly spelling: string;
  readonly secret: string;
}

const longestFirst = (one: Spelling, other: Spelling): number => other.spelling.length - one.spelling.length;

/** Returns whether a field has the value of a secret. The `token` of an event is a number of the journal. */
const isSecretField = (key: string, value: unknown, inContents: boolean): value is string =>
  typeof value === 'string' && secretName.test(key) && (inContents || key !== 'token') && !openValue.test(value);

/** Returns whether the value of a secret means nothing else where it is found: a plain word may. */
const isDistinct = (secret: string): boolean => secret.length >= shortest && /[^A-Za-z_-]/.test(secret);

/** Replaces the parts of a value around words in place of hidden values. */
const aroundWords = (value: string, word: (part: string) => string): string =>
  value
    .split(/(«[a-z]+:\d+»)/)
    .map((part, index) => (part === '' || index % 2 === 1 ? part : word(part)))
    .join('');

/** Returns whether a text is an id or a hash that a journal refers to: patterns of people must not change it. */
const isReference = (text: string): boolean => /^(?:[ams]\d+|\d+-\d+|[0-9a-f]{32}|[0-9a-f]{64})$/.test(text);

/** Hides values in a text, and in the content of one that is a data URI. */
function hideInText(text: string, hide: (text: string) => string): string {
  const [, head, base64] = /^(data:[^,]*;base64,)(.*)$/s.exec(text.startsWith('data:') ? text : '') ?? [];
  if (head === undefined || base64 === undefined) return hide(text);
  const content = Buffer.from(base64, 'base64').toString();
  const hidden = hide(content);
  return hidden === content ? text : head + Buffer.from(hidden).toString('base64');
}

/** Returns a text in which the value of each match is replaced. */
function replaced(text: string, pattern: RE2JS, word: (value: string) => string): string {
  const matcher = pattern.matcher(text);
  const parts: string[] = [];
  let end = 0;
  while (matcher.find()) {
    const group = matcher.groupCount() > 0 && matcher.start(1) >= 0 ? 1 : 0;
    const [from, to] = [matcher.start(group), matcher.end(group)];
    if (to === from) continue;
    parts.push(text.slice(end, from), word(text.slice(from, to)));
    end = to;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(end);
}

/** Returns a secret as it is, and as it is written in JSON, in addresses and in headers. */
function spellingsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [
    ...new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      base64,
      base64.replace(/=+$/, ''),
      Buffer.from(secret).toString('base64url'),
      Buffer.from(secret).toString('hex'),
    ]),
  ];
}
