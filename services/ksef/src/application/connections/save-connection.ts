import { DomainError, invalidField } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import { hasCompany } from '@invoicecontrol/tenants/facts';
import type { Tenants } from '@invoicecontrol/tenants/from-organization';
import { faultOfSecret } from '@invoicecontrol/values/secret-text';
import { connectionId, isNip } from '../../domain/connection.js';
import type { Authentication, Connection, Environment, ShownCertificate } from '../../domain/connection.js';
import {
  encodeLoginCertificate,
  expiryOf,
  identityOf,
  maskedIdentity,
  readLoginCertificate,
} from '../../domain/login-certificate.js';
import type { UploadedCertificate } from '../../domain/login-certificate.js';
import { connectionAudit } from './connection-events.js';
import { wakeWaiting } from './disable-connection.js';
import type { ConnectionStore, OpenSubmissions } from './stores.js';

const TOKEN_LENGTH_MIN = 20;
const TOKEN_LENGTH_MAX = 4_096;

export interface SaveDeps {
  readonly connections: Pick<ConnectionStore, 'insert' | 'find' | 'save'>;
  readonly submissions: OpenSubmissions;
  readonly secrets: Pick<SealedField, 'seal'>;
  readonly tenants: Tenants;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface NewConnection {
  readonly organizationId: string;
  /** Id of the company that the KSeF connection is for. Undefined for the default company. */
  readonly companyId?: string | undefined;
  readonly environment: Environment;
  readonly contextNip: string;
  /** The KSeF token. Empty if the request to save a KSeF connection contains a certificate. */
  readonly token: string;
  readonly certificate?: UploadedCertificate | undefined;
}

/** Credential for KSeF as a user has sent it: a token, or a certificate with its private key. */
interface Credential {
  readonly authentication: Authentication;
  readonly certificate: ShownCertificate | undefined;
  /** KSeF token, or private key of a login certificate, in plain text. It is sealed before it is stored. */
  readonly secret: string;
}

interface SavedConnection {
  readonly connection: Connection;
  /** True for a new KSeF connection, false for an existing connection whose token or certificate was replaced. */
  readonly isCreated: boolean;
}

/**
 * Stores the token or the certificate of a company and environment (endpoint 12; KSeF reference, section 18). If a KSeF
 * connection already exists, even a disabled one, its secret is replaced and must be tested again.
 * @throws DomainError invalid; wrong_state when the NIP changes while submissions of the connection are open
 */
export const saveConnection =
  ({ connections, submissions, secrets, tenants, clock, logger }: SaveDeps) =>
  async (request: NewConnection, context: RequestContext): Promise<SavedConnection> => {
    const { organizationId, environment, contextNip } = request;
    if (!isNip(contextNip)) throw invalidField('context_nip', 'must be exactly ten digits, 0 to 9.');
    const { authentication, certificate, secret } = readCredential(request, clock.now());
    const companyId = await readCompany(tenants, request, context);
    const id = connectionId(organizationId, companyId, environment);
    const owner = { id, organizationId };
    const created = async (): Promise<Connection | undefined> => {
      const connection: Connection = {
        ...owner,
        version: 1,
        companyId,
        environment,
        contextNip,
        authentication,
        certificate,
        secret: secrets.seal(owner, secret),
        secretSavedAt: clock.now(),
        status: 'PENDING',
        lastTestedAt: undefined,
        lastErrorMessage: undefined,
        createdAt: clock.now(),
      };
      const isInserted = await connections.insert(connection, [connectionAudit('created', id, context)]);
      return isInserted ? connection : undefined;
    };
    return retryOnConflict(async () => {
      const stored = await connections.find(organizationId, id);
      if (stored === undefined) {
        const connection = await created();
        if (connection !== undefined) return { connection, isCreated: true };
      }
      const current = stored ?? (await connections.find(organizationId, id));
      if (current === undefined)
        throw new DomainError('unavailable', 'The KSeF connection could not be stored. Retry the request.');
      if (current.contextNip !== contextNip && (await submissions.hasOpenSubmissions(organizationId, id))) {
        throw new DomainError(
          'wrong_state',
          'Submissions of this KSeF connection are still in progress with its current NIP. Change `context_nip` after they have finished.',
        );
      }
      const connection = await connections.save(
        current,
        {
          status: 'PENDING',
          contextNip,
          authentication,
          certificate,
          secret: secrets.seal(owner, secret),
          secretSavedAt: clock.now(),
          refusal: undefined,
          refusalToldAt: undefined,
          readOnlySince: undefined,
          lastTestedAt: undefined,
          lastErrorMessage: undefined,
          // The stored warnings of the KSeF connection may not apply to the new token or certificate.
          warnings: undefined,
        },
        [connectionAudit('rotated', id, context)],
      );
      // KSeF submissions that were already sent are tracked with the new secret.
      await wakeWaiting({ submissions, logger }, connection);
      return { connection, isCreated: false };
    });
  };

/**
 * Reads the KSeF token or the certificate.
 * @throws DomainError invalid if both or neither are given, or if KSeF would not accept it
 */
function readCredential({ token, certificate: uploaded }: NewConnection, now: Date): Credential {
  if (uploaded === undefined) {
    const fault = faultOfSecret(token, TOKEN_LENGTH_MIN, TOKEN_LENGTH_MAX);
    if (fault !== undefined) throw invalidField('ksef_token', fault);
    return { authentication: 'TOKEN', certificate: undefined, secret: token };
  }
  if (token !== '') {
    throw invalidField(
      'ksef_token',
      'A token and a certificate must not be sent together. Send either `ksef_token` or `certificate`.',
    );
  }
  const login = readLoginCertificate(uploaded, now);
  const identity = identityOf(login.certificate);
  return {
    authentication: 'CERTIFICATE',
    certificate: {
      expiresAt: expiryOf(login.certificate),
      subjectMasked: identity === undefined ? undefined : maskedIdentity(identity),
    },
    secret: encodeLoginCertificate(login),
  };
}

/**
 * Finds the company to which the KSeF connection belongs.
 * @throws DomainError invalid if the company is unknown or belongs to another organization
 */
async function readCompany(
  tenants: Tenants,
  { organizationId, companyId: named }: Pick<NewConnection, 'organizationId' | 'companyId'>,
  context: RequestContext,
): Promise<string> {
  const tenant = await tenants.factsOf(organizationId, context, named);
  const companyId = named ?? tenant.defaultCompanyId;
  if (hasCompany(tenant, companyId)) return companyId;
  throw invalidField(
    'company_id',
    'is not the id of a company in this organization. Omit it to use the default company.',
  );
}
