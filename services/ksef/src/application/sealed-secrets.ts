import type { SealedRecords } from '@invoicecontrol/secretbox/sealed-records';
import type { Submission } from '../domain/submission.js';
import type { TokenSecrets } from './connections/secrets.js';
import type { SealedToken, SealedTokens } from './connections/stores.js';
import type { SessionSecrets } from './submissions/session-secrets.js';
import type { SealedSessionKeys } from './submissions/stores.js';

/** A connection with its token, or a submission with the key of a session. */
export type SealedSecret = { readonly connection: SealedToken } | { readonly submission: Submission };

interface Stores {
  readonly connections: SealedTokens;
  readonly submissions: SealedSessionKeys;
}

/** Everything that the service keeps sealed: a key may leave the ring when neither kind is sealed with it. */
export function sealedSecrets({ connections, submissions }: Stores): SealedRecords<SealedSecret> {
  const sum = async (...counts: readonly Promise<number>[]): Promise<number> =>
    (await Promise.all(counts)).reduce((all, one) => all + one, 0);
  return {
    async sealedWith(keyId, limit) {
      const tokens = await connections.sealedWith(keyId, limit);
      const found: SealedSecret[] = tokens.map((connection) => ({ connection }));
      if (found.length === limit) return found;
      const sessions = await submissions.sealedWith(keyId, limit - found.length);
      return [...found, ...sessions.map((submission) => ({ submission }))];
    },
    countSealedWith: (keyId) => sum(connections.countSealedWith(keyId), submissions.countSealedWith(keyId)),
    countSealedWithOthers: (keyIds) =>
      sum(connections.countSealedWithOthers(keyIds), submissions.countSealedWithOthers(keyIds)),
  };
}

/** Seals a secret under the newest key; one that was changed meanwhile stays. */
export const rewrapSecret =
  ({
    connections,
    submissions,
    tokens,
    sessionKeys,
  }: Stores & {
    readonly tokens: Pick<TokenSecrets, 'rewrap'>;
    readonly sessionKeys: Pick<SessionSecrets, 'rewrap'>;
  }) =>
  async (secret: SealedSecret): Promise<void> => {
    if ('connection' in secret) {
      const { connection } = secret;
      await connections.replaceSealed(connection.id, connection.token, tokens.rewrap(connection, connection.token));
      return;
    }
    const { submission } = secret;
    const sessions = submission.sessions.map((session) =>
      session.key === undefined ? session : { ...session, key: sessionKeys.rewrap(submission, session.key) },
    );
    await submissions.replaceSessions(submission, sessions);
  };
