import type { MessageBody } from '../../model/messages/message.ts';
import type { NamedMessage } from '../records/asked-request.ts';

/** A text of requests that is stored once for all calls of a node that have it. */
export interface SharedText {
  /** Hash of its content. */
  readonly digest: string;
  readonly body: MessageBody;
}

/** A message of a request whose content the run does not hold yet; with a digest, further calls of the node may name it. */
export interface NewText extends Partial<Pick<SharedText, 'digest'>> {
  readonly body: MessageBody;
}

/** The request of a model call as the worker describes it; a part that is absent is that of the call `base`. */
export interface NewRequest {
  /** Model, params and so on. */
  readonly settings?: SharedText;
  readonly tools?: SharedText | 'none';
  /** Call of the same activation with which the request shares its first messages. */
  readonly base?: { readonly step: number; readonly kept: number };
  /** The messages after those. */
  readonly messages: readonly (NamedMessage | NewText)[];
}
