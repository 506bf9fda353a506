import type { Answer } from './reply.ts';
import type { Turn } from './turn.ts';

/** What a vendor remembers of its replies, to recognise what comes back with a conversation. */
export interface Issued {
  add(answer: Answer, turn: Turn): void;
  /** Signature of the thoughts that led to a call; undefined if there were none, or the call is of another vendor. */
  signatureOf(callId: string, vendor: Turn['vendor']): string | undefined;
  /** Whether a signature, or a name of encrypted thoughts, was issued to this account. */
  isOf(mark: string, key: string): boolean;
  /** Whether an item of a response is stored at the vendor. */
  isStored(itemId: string): boolean;
}

/** Starts a memory without replies. */
export function openIssued(): Issued {
  const signatures = new Map<string, string>();
  const accounts = new Map<string, string>();
  const stored = new Set<string>();
  return {
    add({ id, signature, calls }, { api, key, body, vendor }) {
      accounts.set(`enc_${id}`, key);
      if (api === 'responses' && body['store'] !== false) for (const kind of ['rs', 'msg']) stored.add(`${kind}_${id}`);
      if (signature === undefined) return;
      accounts.set(signature, key);
      for (const call of calls) signatures.set(`${vendor} ${call.id}`, signature);
    },
    signatureOf: (callId, vendor) => signatures.get(`${vendor} ${callId}`),
    isOf: (mark, key) => accounts.get(mark) === key,
    isStored: (itemId) => stored.has(itemId),
  };
}
