import { withWarnings } from './connection-warnings.js';
import type { ConnectionWarning } from './connection-warnings.js';
import type { Authentication, Connection, EndNotice } from './connection.js';
import { onlyViewing } from './permissions.js';
import { polishDayOf } from './preconditions.js';

const DAY_MS = 86_400_000;

/**
 * Days before the expiry of a KSeF secret on which users are notified (KSeF reference, section 18), in ascending order.
 */
const NOTICE_DAYS: Readonly<Record<Authentication, readonly number[]>> = { CERTIFICATE: [1, 7, 14, 30], TOKEN: [30] };
/** Maximum number of days before the expiry of a certificate or token on which a notice may be given. */
const NOTICE_DAYS_MAX = 30;

/**
 * The values on which expiry notices depend: the current time, and the announced date from which KSeF accepts no
 * tokens.
 */
export interface EndFacts {
  readonly now: Date;
  /** Time when KSeF stops accepting tokens in the PRODUCTION environment. Undefined if no date is known. */
  readonly tokensEnd: Date | undefined;
}

/** Search criteria for KSeF connections whose secret will expire soon. */
export interface EndsSoon {
  /** Search criterion: login certificates that expire after this time and no later than {@link certificatesTo}. */
  readonly certificatesFrom: Date;
  readonly certificatesTo: Date;
  /** True if connections with a token in the PRODUCTION environment of KSeF are included. */
  readonly includesTokens: boolean;
}

type Ending = Pick<Connection, 'authentication' | 'certificate' | 'environment' | 'status'>;

/** Returns the time when the secret of a KSeF connection expires, or undefined if the time is unknown. */
function endOf({ authentication, certificate, environment }: Ending, tokensEnd: Date | undefined): Date | undefined {
  switch (authentication) {
    case 'CERTIFICATE':
      return certificate?.expiresAt;
    case 'TOKEN':
      return environment === 'PRODUCTION' ? tokensEnd : undefined;
  }
}

/** Returns the search criteria for KSeF connections that may need a notice of expiry. */
export function endsSoon({ now, tokensEnd }: EndFacts): EndsSoon {
  return {
    certificatesFrom: now,
    certificatesTo: daysBefore(now, -NOTICE_DAYS_MAX),
    includesTokens: tokensEnd !== undefined && now >= daysBefore(tokensEnd, NOTICE_DAYS_MAX) && now < tokensEnd,
  };
}

/**
 * Returns the latest expiry notice that is due for a KSeF secret. Undefined if no notice is due yet, and for a disabled
 * KSeF connection.
 */
function noticeOf(connection: Ending, { now, tokensEnd }: EndFacts): EndNotice | undefined {
  const endsAt = endOf(connection, tokensEnd);
  if (endsAt === undefined || connection.status === 'DISABLED') return undefined;
  const days = NOTICE_DAYS[connection.authentication].find((each) => now >= daysBefore(endsAt, each));
  return days === undefined ? undefined : { endsAt, days };
}

/**
 * Returns the expiry notice that must be given for a KSeF secret now. Earlier notices that were missed are left out. A
 * secret that has already expired gets no notice, because KSeF then refuses the login, and this refusal is announced
 * separately.
 */
export function dueNotice(connection: Ending & Pick<Connection, 'endTold'>, facts: EndFacts): EndNotice | undefined {
  const notice = noticeOf(connection, facts);
  if (notice === undefined || facts.now >= notice.endsAt) return undefined;
  const { endTold: told } = connection;
  const isTold = told !== undefined && told.endsAt.getTime() === notice.endsAt.getTime() && told.days <= notice.days;
  return isTold ? undefined : notice;
}

/**
 * Returns the warnings about a KSeF connection: the warnings that KSeF sent, and the warnings of the ksef service about
 * an expiring secret or a missing permission.
 */
export function shownWarnings(connection: Connection, facts: EndFacts): readonly ConnectionWarning[] {
  const own = [endWarning(connection, facts), permissionWarning(connection)];
  return withWarnings(
    connection.warnings ?? [],
    own.filter((warning) => warning !== undefined),
  );
}

function permissionWarning({ status, authentication, readOnlySince: at }: Connection): ConnectionWarning | undefined {
  if (status !== 'CONNECTED' || at === undefined) return undefined;
  return { code: 'INVOICE_WRITE_MISSING', message: onlyViewing(authentication), at };
}

function endWarning(connection: Connection, facts: EndFacts): ConnectionWarning | undefined {
  const notice = noticeOf(connection, facts);
  if (notice === undefined) return undefined;
  const { endsAt, days } = notice;
  const isOver = facts.now >= endsAt;
  const reachedAt = isOver ? endsAt : daysBefore(endsAt, days);
  const { secretSavedAt = reachedAt } = connection;
  const at = reachedAt > secretSavedAt ? reachedAt : secretSavedAt;
  switch (connection.authentication) {
    case 'CERTIFICATE': {
      const message = isOver
        ? `The certificate of this connection expired at ${endsAt.toISOString()}, so KSeF refuses its logins. Save the connection again with a valid certificate.`
        : `The certificate of this connection expires at ${endsAt.toISOString()}. Create a new certificate in KSeF, and save the connection with it before then.`;
      return { code: 'CERTIFICATE_ENDS', message, at };
    }
    case 'TOKEN': {
      const lastDay = polishDayOf(new Date(endsAt.getTime() - 1));
      const message = isOver
        ? `According to the rules configured in this installation, KSeF accepted tokens until ${lastDay}. Save the connection again with a certificate.`
        : `According to the rules configured in this installation, KSeF accepts tokens until ${lastDay}. Save the connection again with a certificate before then.`;
      return { code: 'TOKENS_END', message, at };
    }
  }
}

function daysBefore(end: Date, days: number): Date {
  return new Date(end.getTime() - days * DAY_MS);
}
