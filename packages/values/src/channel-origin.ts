/** Names of the channels through which documents arrive without an upload by a caller. */
export const channels = ['KSEF'] as const;
export type Channel = (typeof channels)[number];

/** Maximum length of the id that a channel gave a document. A KSeF number has 35 characters. */
export const EXTERNAL_ID_CHARACTERS_MAX = 100;

/** The channel through which a document was received, and the id of the document in that channel: its KSeF number. */
export interface ChannelOrigin {
  readonly channel: Channel;
  readonly externalId: string;
}

/**
 * Reads the origin of a document; undefined if the channel is unknown or the id is not one word of visible ASCII
 * characters.
 */
export function parseOrigin({ channel, externalId }: Record<keyof ChannelOrigin, string>): ChannelOrigin | undefined {
  const known = channels.find((one) => one === channel);
  const isId = externalId.length <= EXTERNAL_ID_CHARACTERS_MAX && /^[!-~]+$/.test(externalId);
  return known !== undefined && isId ? { channel: known, externalId } : undefined;
}

/**
 * Checks whether two documents, or a document and a request about it, have the same origin. Undefined means an upload
 * by a caller.
 */
export function isSameOrigin(left: ChannelOrigin | undefined, right: ChannelOrigin | undefined): boolean {
  return left?.channel === right?.channel && left?.externalId === right?.externalId;
}
