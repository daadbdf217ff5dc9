/**
 * Reason why a certificate names no service of this installation. The metric of refused connections has the same
 * values.
 */
export type NameFault = 'no_identity' | 'several_identities' | 'foreign_trust_domain' | 'unknown_identity';

/** Error that is thrown if a certificate does not name exactly one service of this installation. */
export class ServiceNameError extends Error {
  readonly fault: NameFault;

  constructor(fault: NameFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** Name of a service in a certificate, and the Kubernetes namespace in which it runs, if the certificate says so. */
export interface CertifiedService {
  readonly service: string;
  readonly namespace?: string;
}

/**
 * Reads which service a certificate names. There must be exactly one URI, of this trust domain, in one of two forms:
 * `spiffe://<domain>/service/<name>`, or `spiffe://<domain>/ns/<namespace>/sa/<account>`, which the SPIFFE driver of
 * cert-manager issues and in which the account has the name of the service.
 * @param subjectAltName the names of the certificate as Node.js writes them: `URI:spiffe://..., DNS:...`
 * @throws ServiceNameError
 */
export function certifiedService(subjectAltName: string | undefined, trustDomain: string): CertifiedService {
  // Node.js quotes a name in the list only if the name could be confused with the separators. No name in a certificate
  // of the product needs quotes, so a list with quotes counts as empty.
  const names = subjectAltName === undefined || subjectAltName.includes('"') ? [] : subjectAltName.split(', ');
  const uris = names.filter((name) => name.startsWith('URI:')).map((name) => name.slice('URI:'.length));
  const [uri] = uris;
  if (uri === undefined) throw new ServiceNameError('no_identity', 'the certificate has no readable URI');
  if (uris.length > 1) throw new ServiceNameError('several_identities', `the certificate has ${uris.length} URIs`);
  const origin = `spiffe://${trustDomain}/`;
  if (!uri.startsWith(origin)) throw new ServiceNameError('foreign_trust_domain', `${uri} is not of ${trustDomain}`);
  const [kind, first, account, second, ...rest] = uri.slice(origin.length).split('/');
  if (kind === 'service' && isName(first) && account === undefined) return { service: first };
  if (kind === 'ns' && isName(first) && account === 'sa' && isName(second) && rest.length === 0)
    return { service: second, namespace: first };
  throw new ServiceNameError(
    'unknown_identity',
    `${uri} has neither the form /service/<name> nor /ns/<namespace>/sa/<name>`,
  );
}

function isName(part: string | undefined): part is string {
  return part !== undefined && /^[a-z0-9-]{1,63}$/.test(part);
}

/** The part of a service's own identity with which the certificates of other services are compared. */
interface Own {
  readonly trustDomain: string;
  /** Kubernetes namespace in the service's own certificate, if the certificate names one. */
  readonly namespace: string | undefined;
}

/**
 * Returns the name of the service at the other end of a connection, as its certificate states it. If that certificate
 * names a Kubernetes namespace, the service's own certificate must name the same one, because accounts of other
 * namespaces may have the same names.
 * @throws ServiceNameError
 */
export function peerService(subjectAltName: string | undefined, own: Own): string {
  const { service, namespace } = certifiedService(subjectAltName, own.trustDomain);
  if (namespace !== undefined && namespace !== own.namespace)
    throw new ServiceNameError('foreign_trust_domain', `${service} runs in the namespace ${namespace}`);
  return service;
}
