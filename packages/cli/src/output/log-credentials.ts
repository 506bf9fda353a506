/** Names of headers and parameters whose values are credentials. */
const names = String.raw`(?:proxy-)?authorization|(?:set-)?cookie|[\w-]*api[-_]?key|[\w-]*(?:token|secret|password)|webhook-signature`;
/** Pattern of a JSON string, one within a JSON string, or a list of them. */
const value = String.raw`(?:"(?:[^"\\]|\\.)*"|\\"(?:[^"\\]|\\[^"])*\\"|\[[^\]]*\])`;

const hidden = '[hidden]';

/** Patterns of credentials, and their replacements. */
const rules: readonly (readonly [RegExp, string])[] = [
  // {"authorization":"…"}, and the same within a text
  [new RegExp(String.raw`((\\?")(?:${names})\2\s*:\s*)${value}`, 'gi'), `$1$2${hidden}$2`],
  // ["Authorization","…"], the form of raw headers in Node
  [new RegExp(String.raw`("(?:${names})",)"(?:[^"\\]|\\.)*"`, 'gi'), `$1"${hidden}"`],
  // ?api_key=…
  [/([?&;](?:[\w-]*key|[\w-]*token|[\w-]*secret|password|code|signature)=)[^&\s"'\\#]+/gi, `$1${hidden}`],
  // https://ann:secret@example.com
  [/(\w:\/\/)[^\s/"'@\\]*@/g, `$1${hidden}@`],
  [/\b(Bearer|Basic|Token)\s+(?=[\w.~+/=-]*\d|[\w.~+/=-]{20})[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  // An API key of Millrace; its id stays visible.
  [/\b(mk_[a-z0-9-]{1,32}_[a-z0-9]{12}_)[0-9a-f]{16,}/g, `$1${hidden}`],
  // JSON web tokens
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, hidden],
];

/** Hides credentials anywhere in a line of JSON; the line stays valid JSON. */
export const withoutCredentials = (line: string): string =>
  rules.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), line);
