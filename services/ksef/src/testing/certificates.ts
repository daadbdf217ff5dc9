import { X509Certificate } from 'node:crypto';
import { simulatorControl } from './simulator-control.js';

/** Properties of a certificate that the KSeF simulator issues. See `POST /control/certificates`. */
export interface CertificateWishes {
  readonly nip?: string;
  readonly pesel?: string;
  readonly type?: 'Authentication' | 'Offline';
  readonly days?: number;
  readonly key?: 'EC' | 'RSA';
  readonly password?: string;
}

export interface TestCertificate {
  readonly serialNumber: string;
  /** Certificate that the KSeF simulator issued, in PEM format. */
  readonly certificate: string;
  /** Private key of the certificate that the KSeF simulator issued, in PEM format. */
  readonly privateKey: string;
}

/**
 * Requests a certificate from an environment of the KSeF simulator.
 * @param environmentUrl address such as `${simulator.url}/test`
 */
export async function issueCertificate(environmentUrl: string, wishes: CertificateWishes): Promise<TestCertificate> {
  return simulatorControl(() => environmentUrl)<TestCertificate>('POST', 'certificates', wishes);
}

/** Converts a test certificate from PEM to DER in base64. */
export function toDer(pem: string): string {
  return new X509Certificate(pem).raw.toString('base64');
}
